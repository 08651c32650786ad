/// Reads the XML form, which is a small part of XML: no entity but the five that XML has, no declaration, no namespace.
struct XMLPropertyListReader {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var budget: PropertyListBudget

    static func read(_ bytes: [UInt8], _ limits: PropertyListLimits) throws(PropertyListError) -> PropertyList {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw PropertyListError(.notUTF8) }
        var reader = XMLPropertyListReader(bytes, limits)
        return try reader.document()
    }

    private init(_ bytes: [UInt8], _ limits: PropertyListLimits) {
        self.bytes = bytes
        budget = PropertyListBudget(limits)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    private struct Tag {
        enum Kind { case opening, closing, empty }
        let name: String
        let kind: Kind
        let line: Int
    }

    private mutating func document() throws(PropertyListError) -> PropertyList {
        let opening = try tag()
        guard opening.name == "plist", opening.kind == .opening else { throw malformed }
        let value = try value(try tag(), depth: 1)
        guard case let end = try tag(), end.name == "plist", end.kind == .closing else { throw malformed }
        return value
    }

    private mutating func value(_ tag: Tag, depth: Int) throws(PropertyListError) -> PropertyList {
        try budget.spend(at: depth, line: tag.line)
        guard tag.kind != .closing else { throw malformed }
        let content: PropertyList.Content
        switch tag.name {
        case "dict": content = .dictionary(tag.kind == .empty ? [] : try members(depth))
        case "array": content = .array(tag.kind == .empty ? [] : try elements(depth))
        case "string": content = .string(try text(of: tag))
        case "integer": content = Int(try text(of: tag)).map { .integer($0) } ?? .other
        case "true", "false":
            guard try text(of: tag).utf8.allSatisfy(\.isWhitespace) else { throw malformed }
            content = .bool(tag.name == "true")
        case "real", "date", "data":
            _ = try text(of: tag)
            content = .other
        default: throw malformed
        }
        return PropertyList(content, line: tag.line)
    }

    private mutating func members(_ depth: Int) throws(PropertyListError) -> [PropertyList.Member] {
        var members: [PropertyList.Member] = []
        while true {
            let next = try tag()
            if next.kind == .closing, next.name == "dict" { return members }
            guard next.name == "key" else { throw malformed }
            let key = try text(of: next)
            members.append(
                PropertyList.Member(key: key, line: next.line, value: try value(try tag(), depth: depth + 1))
            )
        }
    }

    private mutating func elements(_ depth: Int) throws(PropertyListError) -> [PropertyList] {
        var elements: [PropertyList] = []
        while true {
            let next = try tag()
            if next.kind == .closing, next.name == "array" { return elements }
            elements.append(try value(next, depth: depth + 1))
        }
    }

    private var malformed: PropertyListError { PropertyListError(.malformed, line: line) }
}

// MARK: - Markup

extension XMLPropertyListReader {
    /// The next tag; between tags there is nothing but white space, comments and what stands before the document.
    private mutating func tag() throws(PropertyListError) -> Tag {
        while true {
            skipWhitespace()
            guard take("<") else { throw malformed }
            if take("!--") {
                try skip(to: "-->")
            } else if take("?") {
                try instruction()
            } else if take("!DOCTYPE") {
                guard !(try skipped(to: ">")).contains(UInt8(ascii: "[")) else {
                    throw PropertyListError(.declarations, line: line)
                }
            } else {
                return try named()
            }
        }
    }

    private mutating func named() throws(PropertyListError) -> Tag {
        let line = line
        let isClosing = take("/")
        let start = position
        while position < bytes.count, bytes[position].isLetter { position += 1 }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        let rest = try skipped(to: ">")
        guard !rest.contains(UInt8(ascii: "<")) else { throw malformed }
        let isEmpty = rest.last == UInt8(ascii: "/")
        return Tag(name: name, kind: isClosing ? .closing : isEmpty ? .empty : .opening, line: line)
    }

    /// The declaration may name an encoding: another one would mean that the bytes say something else.
    private mutating func instruction() throws(PropertyListError) {
        let text = String(decoding: try skipped(to: "?>"), as: UTF8.self).lowercased()
        guard text.contains("encoding"), !text.contains("utf-8"), !text.contains("us-ascii") else { return }
        throw PropertyListError(.notUTF8, line: line)
    }

    /// The text up to the closing tag.
    private mutating func text(of tag: Tag) throws(PropertyListError) -> String {
        guard tag.kind == .opening else { return "" }
        var text: [UInt8] = []
        while position < bytes.count {
            if take("<![CDATA[") {
                text += try skipped(to: "]]>")
            } else if take("<!--") {
                try skip(to: "-->")
            } else if take("<") {
                guard case let end = try named(), end.kind == .closing, end.name == tag.name else { throw malformed }
                return String(decoding: text, as: UTF8.self)
            } else if take("&") {
                text += try reference()
            } else {
                text.append(bytes[position])
                advance()
            }
        }
        throw malformed
    }

    private mutating func reference() throws(PropertyListError) -> [UInt8] {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: ";"), position - start <= 10 { position += 1 }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        guard take(";") else { throw malformed }
        switch name {
        case "amp": return Array("&".utf8)
        case "lt": return Array("<".utf8)
        case "gt": return Array(">".utf8)
        case "quot": return Array("\"".utf8)
        case "apos": return Array("'".utf8)
        default:
            guard name.hasPrefix("#") else { throw PropertyListError(.declarations, line: line) }
            let digits = name.dropFirst()
            let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            guard let scalar = number.flatMap(Unicode.Scalar.init) else { throw malformed }
            return Array(String(scalar).utf8)
        }
    }
}

// MARK: - Bytes

extension XMLPropertyListReader {
    private mutating func advance() {
        if bytes[position].isNewline { line += 1 }
        position += 1
    }

    private mutating func skipWhitespace() {
        while position < bytes.count, bytes[position].isWhitespace { advance() }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard bytes.count - position >= length,
            text.withUTF8Buffer({ $0.elementsEqual(bytes[position..<(position + length)]) })
        else { return false }
        position += length
        return true
    }

    private mutating func skip(to end: StaticString) throws(PropertyListError) { _ = try skipped(to: end) }

    private mutating func skipped(to end: StaticString) throws(PropertyListError) -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.count {
            let here = position
            if take(end) { return bytes[start..<here] }
            advance()
        }
        throw malformed
    }
}

extension UInt8 {
    var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    /// Whether it can stand in a name of Swift; names beyond ASCII count as one.
    var isOfName: Bool { isLetter || isDigit || self == UInt8(ascii: "_") || self >= 0x80 }
}
