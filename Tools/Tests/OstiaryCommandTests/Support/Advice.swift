import ArgumentParser
import Testing

@testable import OstiaryCommand

/// The commands that a message tells its reader to run.
enum Advice {
    /// The commands of `ostiary` in a text, as words: what stands after a colon up to the end of its line.
    static func commands(in text: String) -> [[String]] {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.lowercased().hasPrefix("usage:") }
        return lines.flatMap { line -> [[String]] in
            // The program's own name begins its messages.
            line.trimmingPrefix("ostiary: ").matches(of: /: ((?:ostiary )[^:].*)$/).flatMap { match in
                match.output.1.split(separator: " | ").compactMap { part in
                    var words = words(of: part.trimmingSuffix { ".?)\"}".contains($0) })
                    guard words.first == "ostiary" else { return nil }
                    words.removeFirst()
                    return words.map { placeholders[$0] ?? $0 }
                }
            }
        }
    }

    /// The first words of each other mention of a command, such as `use ostiary request`.
    static func mentions(in text: String) -> [String] {
        text.matches(of: /\b(?:use|see|run) ostiary ([a-z][a-z-]+)/).map { String($0.output.1) }
    }

    /// The reason the command line does not parse the words; `nil` when it does.
    static func problem(of words: [String]) -> String? {
        do {
            let (_, rest) = try GlobalArguments.taking(words)
            try CommandTree.check(rest)
            _ = try OstiaryCommand.parseAsRoot(rest)
            return nil
        } catch let error as UsageError {
            return error.message
        } catch {
            return OstiaryCommand.exitCode(for: error) == .success ? nil : OstiaryCommand.message(for: error)
        }
    }

    /// Whether a command asks nothing of the network, and changes nothing.
    static func isHarmless(_ words: [String]) -> Bool {
        words.contains("--help") || ["status", "discover"].contains(words.first) && words.count == 1
            || words.starts(with: ["sessions", "list"]) || words.starts(with: ["probe", "--list"])
    }

    private static let placeholders = [
        "NAME": "name", "URL": "https://id.example.com", "ISSUER": "https://id.example.com", "FILE": "file",
        "FOLDER": "folder", "PORT": "4456",
    ]

    /// The words of a line, as a shell splits them.
    static func words(of line: some StringProtocol) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> SubSequence {
        var rest = self[...]
        while let last = rest.last, isTrimmed(last) { rest = rest.dropLast() }
        return rest
    }
}
