/// Finds the comments and strings of Swift code (The Swift Programming Language, "Lexical Structure").
struct SwiftLexer {
    struct Found {
        var text: [UInt8]
        var range: Range<Int>
        var isInterpolated: Bool
    }

    private(set) var code: [UInt8]
    private(set) var strings: [Found] = []
    private let bytes: [UInt8]
    private var position = 0
    /// The largest depth of nested strings, more than any program uses.
    private static let maximumDepth = 16

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        code = bytes
    }

    mutating func run() { lexCode(depth: 0) }

    /// Reads code to the end, or to the parenthesis that closes an interpolation.
    private mutating func lexCode(depth: Int) {
        var open = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"): blank(while: { !$0.isNewline })
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): comment()
            case UInt8(ascii: "\""): string(pounds: 0, depth)
            case UInt8(ascii: "#"):
                var pounds = 0
                while peek(pounds) == UInt8(ascii: "#") { pounds += 1 }
                if peek(pounds) == UInt8(ascii: "\"") { string(pounds: pounds, depth) } else { position += pounds }
            case UInt8(ascii: "("):
                open += 1
                position += 1
            case UInt8(ascii: ")"):
                if depth > 0, open == 0 { return }
                open -= 1
                position += 1
            default: position += 1
            }
        }
    }

    private mutating func comment() {
        var depth = 0
        repeat {
            if peek(0) == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                blankNext(2)
            } else if peek(0) == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                blankNext(2)
            } else {
                blankNext(1)
            }
        } while depth > 0 && position < bytes.count
    }

    private mutating func string(pounds: Int, _ depth: Int) {
        let start = position
        position += pounds
        let isLong = peek(1) == UInt8(ascii: "\"") && peek(2) == UInt8(ascii: "\"")
        let quotes = isLong ? 3 : 1
        position += quotes
        var found = Found(text: [], range: start..<start, isInterpolated: false)
        while position < bytes.count, !closes(quotes, pounds) {
            if !isLong, bytes[position].isNewline { break }
            guard bytes[position] == UInt8(ascii: "\\"), (0..<pounds).allSatisfy({ peek(1 + $0) == UInt8(ascii: "#") })
            else {
                found.text.append(bytes[position])
                blankNext(1)
                continue
            }
            blankNext(1 + pounds)
            if peek(0) == UInt8(ascii: "("), depth < Self.maximumDepth {
                found.isInterpolated = true
                position += 1
                lexCode(depth: depth + 1)
                if position < bytes.count { position += 1 }
            } else if let escaped = peek(0) {
                // An escape of any kind: its text differs from the file's.
                found.text.append(escaped)
                blankNext(1)
            }
        }
        if position < bytes.count, closes(quotes, pounds) { position += quotes + pounds }
        found.range = start..<position
        strings.append(found)
    }

    private func closes(_ quotes: Int, _ pounds: Int) -> Bool {
        (0..<quotes).allSatisfy { peek($0) == UInt8(ascii: "\"") }
            && (0..<pounds).allSatisfy { peek(quotes + $0) == UInt8(ascii: "#") }
    }

    private func peek(_ ahead: Int) -> UInt8? { position + ahead < bytes.count ? bytes[position + ahead] : nil }

    private mutating func blankNext(_ count: Int) {
        for _ in 0..<count where position < bytes.count {
            if !bytes[position].isNewline { code[position] = 0x20 }
            position += 1
        }
    }

    private mutating func blank(while condition: (UInt8) -> Bool) {
        while position < bytes.count, condition(bytes[position]) { blankNext(1) }
    }
}
