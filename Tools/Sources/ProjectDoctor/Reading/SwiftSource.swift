/// A Swift file, read far enough to separate code, comments and strings.
///
/// It is not a parser: it knows the words of the code with their places, and the string literals with the words before
/// them. It reports nothing that is uncertain.
package struct SwiftSource: Sendable {
    /// A string literal.
    package struct Literal: Sendable, Hashable {
        package let text: String
        package let line: Int
        /// Whether a part of it is known only when the app runs.
        package let isInterpolated: Bool
        /// The range from its first quotation mark to its last one.
        let range: Range<Int>
    }

    package let path: String
    package let literals: [Literal]
    /// The file's bytes with blanks for comments and for the text of strings.
    let code: [UInt8]
    /// The code's words, each with the places where it stands.
    let words: [String: [Int]]
    private let lineStarts: [Int]

    package init(path: String, bytes: [UInt8]) {
        var lexer = SwiftLexer(bytes)
        lexer.run()
        self.path = path
        code = lexer.code
        lineStarts = [0] + bytes.indices.filter { bytes[$0].isNewline }.map { $0 + 1 }
        let starts = lineStarts
        literals = lexer.strings.map { string in
            Literal(
                text: String(decoding: string.text, as: UTF8.self),
                line: starts.line(of: string.range.lowerBound),
                isInterpolated: string.isInterpolated,
                range: string.range
            )
        }.sorted { $0.range.lowerBound < $1.range.lowerBound }
        words = Self.words(of: lexer.code)
    }

    private static func words(of code: [UInt8]) -> [String: [Int]] {
        var words: [String: [Int]] = [:]
        var position = 0
        while position < code.count {
            guard code[position].isOfName else {
                position += 1
                continue
            }
            let start = position
            while position < code.count, code[position].isOfName { position += 1 }
            words[String(decoding: code[start..<position], as: UTF8.self), default: []].append(start)
        }
        return words
    }

    /// The line on which a place stands, from 1.
    func line(at place: Int) -> Int { lineStarts.line(of: place) }

    /// The lines on which a word stands in the code.
    func lines(of word: String) -> [Int] { (words[word] ?? []).map(line(at:)) }

    var lineCount: Int { lineStarts.count }

    func uses(_ word: String) -> Bool { words[word] != nil }

    /// The code of a line, without comments and strings.
    func codeLine(_ line: Int) -> String {
        let start = lineStarts[line - 1]
        let end = line < lineStarts.count ? lineStarts[line] : code.count
        return String(decoding: code[start..<end], as: UTF8.self)
    }

    /// The modules that it imports.
    package var imports: [String] {
        (words["import"] ?? []).compactMap { place in
            codeLine(line(at: place)).split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." })
                .drop { $0 != "import" }.dropFirst()
                .first { !["struct", "class", "enum", "func", "protocol", "actor", "var", "let"].contains($0) }
                .map { String($0.prefix { $0 != "." }) }
        }
    }
}

extension [Int] {
    /// The number of the line whose start is the last one not after a place.
    fileprivate func line(of place: Int) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] <= place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
