import OstiaryCompatibility

/// Strings. (RFC 8259 section 7)
extension JSONParser {
    /// Reads a string; the position is at its opening quotation mark, and afterwards behind the closing one.
    mutating func parseString() throws(JSONError) -> String {
        position += 1
        let start = position
        var end = start
        var seen: UInt8 = 0
        while end < bytes.count {
            let byte = bytes[end]
            if byte == ASCII.quote {
                position = end + 1
                return try decoded(bytes[start..<end], isASCII: seen < 0x80)
            }
            position = end
            if byte == ASCII.backslash { return try parseEscapedString(from: start) }
            guard byte >= 0x20 else { throw malformed }
            seen |= byte
            end += 1
        }
        position = end
        throw malformed
    }

    /// Goes on with a string whose first escape is at the position.
    private mutating func parseEscapedString(from start: Int) throws(JSONError) -> String {
        var unescaped = Array(bytes[start..<position])
        while let byte = current {
            guard byte >= 0x20 else { throw malformed }
            position += 1
            switch byte {
            case ASCII.quote: return try decoded(unescaped[...], isASCII: false)
            case ASCII.backslash: try appendEscape(to: &unescaped)
            default: unescaped.append(byte)
            }
        }
        throw malformed
    }

    private mutating func appendEscape(to unescaped: inout [UInt8]) throws(JSONError) {
        guard let letter = current else { throw malformed }
        switch letter {
        case ASCII.quote, ASCII.backslash, UInt8(ascii: "/"): unescaped.append(letter)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"):
            position += 1
            unescaped.append(contentsOf: String(Character(try parseScalar())).utf8)
            return
        default: throw malformed
        }
        position += 1
    }

    /// The code point of a `\u` escape, or of the two that write a surrogate pair; a surrogate alone is refused, since
    /// what a reader makes of it is not defined. (RFC 8259 section 8.2)
    private mutating func parseScalar() throws(JSONError) -> Unicode.Scalar {
        let first = try parseHexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800...0xDBFF).contains(first), current == ASCII.backslash else { throw .notUTF8 }
        position += 1
        guard current == UInt8(ascii: "u") else { throw .notUTF8 }
        position += 1
        let second = try parseHexadecimal()
        guard (0xDC00...0xDFFF).contains(second) else { throw .notUTF8 }
        let value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw .notUTF8 }
        return scalar
    }

    private mutating func parseHexadecimal() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current else { throw malformed }
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x37
            case 0x61...0x66: digit = byte - 0x57
            default: throw malformed
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    /// The bytes as text, refused when they are not well-formed UTF-8: a reader that repairs them would see another
    /// string than the one that was signed. (RFC 8259 section 8.1)
    private func decoded(_ slice: ArraySlice<UInt8>, isASCII: Bool) throws(JSONError) -> String {
        // The validating initializer is several times slower; ASCII needs no validation.
        if isASCII { return slice.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
        guard let text = String(utf8: slice) else { throw .notUTF8 }
        return text
    }
}
