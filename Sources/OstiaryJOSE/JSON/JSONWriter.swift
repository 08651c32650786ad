/// Writes compact JSON: no white space, members in order, only the escapes that JSON demands. (RFC 8259)
struct JSONWriter {
    var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(256)
    }

    mutating func write(_ object: JSONObject) {
        bytes.append(ASCII.openBrace)
        var isFirst = true
        for member in object.list.storage {
            if !isFirst { bytes.append(ASCII.comma) }
            isFirst = false
            write(member.name)
            bytes.append(ASCII.colon)
            write(member.value)
        }
        bytes.append(ASCII.closeBrace)
    }

    private mutating func write(_ value: JSONValue) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .number(let value): bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
        case .string(let value): write(value)
        case .array(let values): write(values)
        case .object(let object): write(object)
        }
    }

    private mutating func write(_ values: [JSONValue]) {
        bytes.append(ASCII.openBracket)
        var isFirst = true
        for value in values {
            if !isFirst { bytes.append(ASCII.comma) }
            isFirst = false
            write(value)
        }
        bytes.append(ASCII.closeBracket)
    }

    private mutating func write(_ text: String) {
        bytes.append(ASCII.quote)
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != ASCII.quote && $0 != ASCII.backslash }) {
            bytes.append(contentsOf: text.utf8)
            bytes.append(ASCII.quote)
            return
        }
        for byte in text.utf8 {
            switch byte {
            case ASCII.quote, ASCII.backslash:
                bytes.append(ASCII.backslash)
                bytes.append(byte)
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(contentsOf: [byte >> 4, byte & 0xF].map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 })
            default:
                bytes.append(byte)
            }
        }
        bytes.append(ASCII.quote)
    }
}

/// The bytes that JSON and compact tokens are made of.
enum ASCII {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let colon = UInt8(ascii: ":")
    static let comma = UInt8(ascii: ",")
    static let minus = UInt8(ascii: "-")
    static let zero = UInt8(ascii: "0")
    static let dot = UInt8(ascii: ".")

    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- zero < 10
    }
}
