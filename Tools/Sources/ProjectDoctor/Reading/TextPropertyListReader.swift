/// Reads the text form that `project.pbxproj` is written in: `{ key = value; }`, `( value, )`, words and quoted
/// strings.
struct TextPropertyListReader {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var budget: PropertyListBudget

    static func read(_ bytes: [UInt8], _ limits: PropertyListLimits) throws(PropertyListError) -> PropertyList {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw PropertyListError(.notUTF8) }
        var reader = TextPropertyListReader(bytes: bytes, budget: PropertyListBudget(limits))
        let value = try reader.value(depth: 1)
        reader.skipBlank()
        guard reader.position == bytes.count else { throw reader.malformed }
        return value
    }

    private init(bytes: [UInt8], budget: PropertyListBudget) {
        self.bytes = bytes
        self.budget = budget
    }

    private mutating func value(depth: Int) throws(PropertyListError) -> PropertyList {
        skipBlank()
        let start = line
        try budget.spend(at: depth, line: start)
        switch next {
        case UInt8(ascii: "{"):
            advance()
            return PropertyList(.dictionary(try members(depth)), line: start)
        case UInt8(ascii: "("):
            advance()
            return PropertyList(.array(try elements(depth)), line: start)
        case UInt8(ascii: "<"):
            while let byte = next, byte != UInt8(ascii: ">") { advance() }
            guard next != nil else { throw malformed }
            advance()
            return PropertyList(.other, line: start)
        default: return PropertyList(.string(try string()), line: start)
        }
    }

    private mutating func members(_ depth: Int) throws(PropertyListError) -> [PropertyList.Member] {
        var members: [PropertyList.Member] = []
        while true {
            skipBlank()
            if take("}") { return members }
            let line = line
            let key = try string()
            skipBlank()
            guard take("=") else { throw malformed }
            let value = try value(depth: depth + 1)
            skipBlank()
            guard take(";") else { throw malformed }
            members.append(PropertyList.Member(key: key, line: line, value: value))
        }
    }

    private mutating func elements(_ depth: Int) throws(PropertyListError) -> [PropertyList] {
        var elements: [PropertyList] = []
        while true {
            skipBlank()
            if take(")") { return elements }
            elements.append(try value(depth: depth + 1))
            skipBlank()
            guard take(",") || next == UInt8(ascii: ")") else { throw malformed }
        }
    }

    private mutating func string() throws(PropertyListError) -> String {
        guard next == UInt8(ascii: "\"") else { return try word() }
        advance()
        var text: [UInt8] = []
        while let byte = next {
            advance()
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\"), let escaped = next else {
                text.append(byte)
                continue
            }
            advance()
            text.append(escaped == UInt8(ascii: "n") ? 0x0A : escaped == UInt8(ascii: "t") ? 0x09 : escaped)
        }
        throw malformed
    }

    private mutating func word() throws(PropertyListError) -> String {
        let start = position
        while let byte = next, byte.isOfName || "./$:-@+".utf8.contains(byte) { advance() }
        guard position > start else { throw malformed }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Skips white space and comments.
    private mutating func skipBlank() {
        while let byte = next {
            if byte.isWhitespace {
                advance()
            } else if byte == UInt8(ascii: "/"), following == UInt8(ascii: "*") {
                advance()
                advance()
                while next != nil, !(next == UInt8(ascii: "*") && following == UInt8(ascii: "/")) { advance() }
                if next != nil { advance() }
                if next != nil { advance() }
            } else if byte == UInt8(ascii: "/"), following == UInt8(ascii: "/") {
                while let byte = next, !byte.isNewline { advance() }
            } else {
                return
            }
        }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }
    private var following: UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }
    private var malformed: PropertyListError { PropertyListError(.malformed, line: line) }

    private mutating func advance() {
        if bytes[position].isNewline { line += 1 }
        position += 1
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        advance()
        return true
    }
}
