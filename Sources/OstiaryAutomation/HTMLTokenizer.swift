/// Splits a page into tags and text, in one pass and without building a tree.
///
/// This is enough to read forms, and no page can make it slow.
struct HTMLTokenizer {
    enum Token {
        case text(String)
        case start(name: String, attributes: [String: String])
        case end(name: String)
    }

    private static let maximumAttributes = 64

    private let bytes: [UInt8]
    private var index = 0
    /// The element whose content is text up to its end tag.
    private var rawElement: String?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next tag or text; `nil` at the end of the page.
    mutating func next() -> Token? {
        if let rawElement {
            self.rawElement = nil
            return rawText(of: rawElement)
        }
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else { return text() }
            if starts(with: "<!--") {
                skip(past: "-->", from: index + 4)
            } else if starts(with: "<!") || starts(with: "<?") {
                skip(past: ">", from: index + 2)
            } else if let token = tag() {
                return token
            }
        }
        return nil
    }

    private mutating func text() -> Token {
        let start = index
        repeat { index += 1 } while index < bytes.count && bytes[index] != UInt8(ascii: "<")
        return .text(HTMLEntities.decode(String(decoding: bytes[start..<index], as: UTF8.self)))
    }

    /// Reads the content of an element that contains no other tags, up to its end tag.
    private mutating func rawText(of name: String) -> Token {
        let start = index
        let end = Array("</\(name)".utf8)
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "<"), starts(with: end, ignoringCaseAt: index) { break }
            index += 1
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        return .text(name == "textarea" || name == "title" ? HTMLEntities.decode(text) : "")
    }

    /// Reads a tag; `nil` for a `<` that starts no tag, and for a tag without an end.
    private mutating func tag() -> Token? {
        var place = index + 1
        let isEnd = place < bytes.count && bytes[place] == UInt8(ascii: "/")
        if isEnd { place += 1 }
        guard place < bytes.count, Self.isLetter(bytes[place]) else {
            index += 1
            return nil
        }
        let nameStart = place
        while place < bytes.count, !Self.isSpace(bytes[place]), bytes[place] != UInt8(ascii: ">"),
            bytes[place] != UInt8(ascii: "/")
        {
            place += 1
        }
        let name = String(decoding: bytes[nameStart..<place], as: UTF8.self).lowercased()
        index = place
        let attributes = attributes()
        guard index < bytes.count else { return nil }
        index += 1
        if isEnd { return .end(name: name) }
        if ["script", "style", "textarea", "title"].contains(name) { rawElement = name }
        return .start(name: name, attributes: attributes)
    }

    /// Reads the attributes up to the `>`; of two with the same name, the first counts.
    private mutating func attributes() -> [String: String] {
        var attributes: [String: String] = [:]
        while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
            guard !Self.isSpace(bytes[index]), bytes[index] != UInt8(ascii: "/") else {
                index += 1
                continue
            }
            let start = index
            repeat {
                index += 1
            } while index < bytes.count && !Self.isSpace(bytes[index])
                && ![UInt8(ascii: "="), UInt8(ascii: ">"), UInt8(ascii: "/")].contains(bytes[index])
            let name = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
            skipSpace()
            var value = ""
            if index < bytes.count, bytes[index] == UInt8(ascii: "=") {
                index += 1
                skipSpace()
                value = attributeValue()
            }
            if attributes.count < Self.maximumAttributes, attributes[name] == nil { attributes[name] = value }
        }
        return attributes
    }

    private mutating func attributeValue() -> String {
        guard index < bytes.count else { return "" }
        let quote = bytes[index]
        let start: Int
        let end: Int
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            start = index + 1
            index = start
            while index < bytes.count, bytes[index] != quote { index += 1 }
            end = index
            index = min(index + 1, bytes.count)
        } else {
            start = index
            while index < bytes.count, !Self.isSpace(bytes[index]), bytes[index] != UInt8(ascii: ">") { index += 1 }
            end = index
        }
        return HTMLEntities.decode(String(decoding: bytes[start..<end], as: UTF8.self))
    }

    private mutating func skipSpace() {
        while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
    }

    private mutating func skip(past end: String, from start: Int) {
        let end = Array(end.utf8)
        index = start
        while index < bytes.count {
            if starts(with: end, ignoringCaseAt: index) {
                index += end.count
                return
            }
            index += 1
        }
    }

    private func starts(with text: String) -> Bool { starts(with: Array(text.utf8), ignoringCaseAt: index) }

    private func starts(with text: [UInt8], ignoringCaseAt place: Int) -> Bool {
        guard place + text.count <= bytes.count else { return false }
        for offset in text.indices {
            let byte = bytes[place + offset]
            guard (Self.isLetter(byte) ? byte | 0x20 : byte) == text[offset] else { return false }
        }
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

/// Character references, as far as forms need them.
enum HTMLEntities {
    private static let named: [Substring: Character] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}",
    ]

    /// Decodes references that end with a semicolon; others stay, as `&copy=` in a URL has to.
    static func decode(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text[...]
        while let ampersand = rest.firstIndex(of: "&") {
            result += rest[..<ampersand]
            rest = rest[ampersand...]
            let name = rest.dropFirst().prefix(10).prefix { $0 != ";" && $0 != "&" }
            if name.endIndex < rest.endIndex, rest[name.endIndex] == ";", let character = character(name) {
                result.append(character)
                rest = rest[rest.index(after: name.endIndex)...]
            } else {
                result += "&"
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> Character? {
        guard name.hasPrefix("#") else { return named[name] }
        let digits = name.dropFirst()
        let code =
            digits.hasPrefix("x") || digits.hasPrefix("X") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return code.flatMap(UnicodeScalar.init).map(Character.init)
    }
}
