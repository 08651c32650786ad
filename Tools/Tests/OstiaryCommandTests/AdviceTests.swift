import ArgumentParser
import Foundation
import Testing

@testable import OstiaryCommand

@Suite("The commands that help and messages name")
struct AdviceTests {
    /// A command of the program, with its name after `ostiary`.
    struct Command: Sendable, CustomTestStringConvertible {
        let path: [String]
        let type: any ParsableCommand.Type

        var testDescription: String { path.isEmpty ? "ostiary" : path.joined(separator: " ") }

        static func all(_ type: any ParsableCommand.Type = OstiaryCommand.self, _ path: [String] = []) -> [Command] {
            let below = type.configuration.subcommands
            return [Command(path: path, type: type)] + below.flatMap { all($0, path + [$0._commandName]) }
        }
    }

    @Test("Every example of the help is parsed by the command line", arguments: Command.all())
    func examples(_ command: Command) {
        let text = command.type.configuration.discussion.replacing("\\\n", with: " ")
        for line in text.split(separator: "\n") where line.hasPrefix("  ostiary ") {
            for part in line.replacing(" || ", with: " | ").split(separator: " | ") {
                let end = part.firstRange(of: " > ")?.lowerBound ?? part.endIndex
                let words = Advice.words(of: part[..<end].prefix { $0 != ";" })
                guard words.first == "ostiary" else { continue }
                let problem = Advice.problem(of: Array(words.dropFirst()))
                #expect(problem == nil, "\(line): \(problem ?? "")")
            }
        }
    }

    @Test("No line of an example is wrapped by the help", arguments: Command.all())
    func wrapping(_ command: Command) {
        let help = command.type.helpMessage(columns: 80).split(separator: "\n").map(String.init)
        for line in command.type.configuration.discussion.split(separator: "\n") where line.hasPrefix("  ") {
            #expect(help.contains(String(line)), "\(line)")
        }
    }

    @Test("An abstract is one phrase of 50 characters at most, without a colon", arguments: Command.all())
    func abstracts(_ command: Command) {
        let abstract = command.type.configuration.abstract
        #expect(abstract.count <= 50 && !abstract.contains(":") && abstract.hasSuffix("."), "\(abstract)")
    }

    @Test("The help says a default once", arguments: Command.all())
    func defaults(_ command: Command) {
        let help = command.type.helpMessage(columns: 400)
        for line in help.split(separator: "\n") {
            #expect(line.ranges(of: "default: ").count <= 1, "\(line)")
        }
    }

    @Test("The program without arguments shows the first commands in 30 lines at most")
    func summary() async throws {
        let transcript = try await CommandLineTool().run([])
        #expect(transcript.status == 0 && transcript.error == "")
        let lines = transcript.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 30)
        #expect(transcript.output.contains("\nAll commands: ostiary --help\n"))
        for line in lines where line.hasPrefix("  ostiary ") {
            #expect(Command.all().contains { $0.path == [String(line.split(separator: " ")[1])] }, "\(line)")
        }
    }

    @Test("Advice is read up to the end of its line, with quotes, pipes and placeholders")
    func reading() {
        let text = """
            ostiary: Not signed in.
              Run: ostiary login --profile 'a b' --store file:/tmp/x
            Pipe it: ostiary token | ostiary jwt decode
            (Or create one: ostiary register --issuer URL)
            """
        #expect(
            Advice.commands(in: text) == [
                ["login", "--profile", "a b", "--store", "file:/tmp/x"], ["token"], ["jwt", "decode"],
                ["register", "--issuer", "https://id.example.com"],
            ]
        )
        #expect(Advice.problem(of: ["login", "--nosuch"]) != nil)
        #expect(Advice.problem(of: ["nosuch"]) != nil)
        #expect(Advice.problem(of: ["login", "--issuer", "https://id.example.com", "--client-id", "x"]) == nil)
    }
}
