/// A strict parser for one JSON text, in one pass over its bytes. (RFC 8259)
///
/// Strings and numbers are read in `JSONParser+Strings.swift` and `JSONParser+Numbers.swift`.
struct JSONParser {
    let bytes: [UInt8]
    var position = 0
    private var remainingDepth: Int
    private var remainingValues: Int

    /// The object that is the whole text.
    static func object(in bytes: [UInt8], limits: JSONLimits) throws(JSONError) -> JSONObject {
        guard bytes.count <= limits.maximumBytes else { throw .tooLarge }
        if let text = plainObject(in: bytes, limits: limits) { return JSONObject(text) }
        return try completeObject(in: bytes, limits: limits)
    }

    /// Returns the object if it has few members with plain names; `nil` for any other text, valid or not.
    private static func plainObject(in bytes: [UInt8], limits: JSONLimits) -> JSONText? {
        guard limits.maximumDepth > 0, limits.maximumMembers > 0 else { return nil }
        var parser = JSONParser(bytes, limits)
        parser.remainingDepth -= 1
        return JSONText(bytes, remainingValues: parser.remainingValues - 1) { position, remaining in
            parser.position = position
            parser.remainingValues = remaining
            guard let value = try? parser.parseValue() else { return nil }
            return (value, parser.position, parser.remainingValues)
        }
    }

    /// The object, whatever it is like, with every member as a value.
    static func completeObject(in bytes: [UInt8], limits: JSONLimits) throws(JSONError) -> JSONObject {
        var parser = JSONParser(bytes, limits)
        parser.skipWhiteSpace()
        guard let first = parser.current else { throw .malformed(offset: parser.position) }
        guard first == ASCII.openBrace else {
            throw parser.startsValue(first) ? .notAnObject : .malformed(offset: parser.position)
        }
        try parser.countValue()
        // Members take some 24 bytes of text each. Only the outermost object gets room for them all at once: a text of
        // many small objects shall not take many times its size.
        let object = try parser.parseObject(capacity: min(max(bytes.count / 24, 4), JSONObject.linearLimit))
        parser.skipWhiteSpace()
        guard parser.position == bytes.count else { throw .malformed(offset: parser.position) }
        return object
    }

    private init(_ bytes: [UInt8], _ limits: JSONLimits) {
        self.bytes = bytes
        remainingDepth = min(limits.maximumDepth, 128)
        remainingValues = limits.maximumMembers
    }

    /// The byte at the position; `nil` at the end.
    var current: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    var malformed: JSONError { .malformed(offset: position) }

    private func startsValue(_ byte: UInt8) -> Bool {
        switch byte {
        case ASCII.openBracket, ASCII.quote, ASCII.minus, 0x30...0x39: true
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): true
        default: false
        }
    }

    private mutating func skipWhiteSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private mutating func countValue() throws(JSONError) {
        guard remainingValues > 0 else { throw .tooManyValues }
        remainingValues -= 1
    }

    private mutating func enter() throws(JSONError) {
        guard remainingDepth > 0 else { throw .tooDeep }
        remainingDepth -= 1
        position += 1
        skipWhiteSpace()
    }

    /// Moves past `byte` and the white space around it; returns whether it was there.
    private mutating func consume(_ byte: UInt8) -> Bool {
        skipWhiteSpace()
        guard current == byte else { return false }
        position += 1
        skipWhiteSpace()
        return true
    }

    private mutating func parseValue() throws(JSONError) -> JSONValue {
        try countValue()
        guard let byte = current else { throw malformed }
        switch byte {
        case ASCII.quote: return .string(try parseString())
        case ASCII.openBrace: return .object(try parseObject())
        case ASCII.openBracket: return .array(try parseArray())
        case ASCII.minus, 0x30...0x39: return try parseNumber()
        case UInt8(ascii: "t"): return try parseLiteral("true", .bool(true))
        case UInt8(ascii: "f"): return try parseLiteral("false", .bool(false))
        case UInt8(ascii: "n"): return try parseLiteral("null", .null)
        default: throw malformed
        }
    }

    private mutating func parseObject(capacity: Int = 8) throws(JSONError) -> JSONObject {
        try enter()
        var members = MemberList(capacity: capacity)
        if current == ASCII.closeBrace {
            position += 1
        } else {
            repeat {
                guard current == ASCII.quote else { throw malformed }
                let name = try parseString()
                guard consume(ASCII.colon) else { throw malformed }
                guard members.append(name, try parseValue()) else {
                    throw .duplicateMember(name.cappedForError)
                }
            } while consume(ASCII.comma)
            guard current == ASCII.closeBrace else { throw malformed }
            position += 1
        }
        remainingDepth += 1
        return JSONObject(members)
    }

    private mutating func parseArray() throws(JSONError) -> [JSONValue] {
        try enter()
        var values: [JSONValue] = []
        if current == ASCII.closeBracket {
            position += 1
        } else {
            repeat {
                values.append(try parseValue())
            } while consume(ASCII.comma)
            guard current == ASCII.closeBracket else { throw malformed }
            position += 1
        }
        remainingDepth += 1
        return values
    }

    private mutating func parseLiteral(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        for letter in UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) {
            guard current == letter else { throw malformed }
            position += 1
        }
        return value
    }
}

/// The reason a JSON text was rejected.
public enum JSONError: Error, Sendable, Hashable {
    /// The text is longer than ``JSONLimits/maximumBytes``.
    case tooLarge
    /// Arrays and objects are nested deeper than ``JSONLimits/maximumDepth``.
    case tooDeep
    /// There are more values than ``JSONLimits/maximumMembers``.
    case tooManyValues
    /// An object has this member twice. The name is cut to 64 characters. (RFC 8725 section 2.4, RFC 7515 section 4)
    case duplicateMember(String)
    /// A string is not well-formed UTF-8, or escapes a surrogate that has no partner.
    case notUTF8
    /// The text is JSON of another kind where an object is required.
    case notAnObject
    /// The text does not follow the grammar at this byte. (RFC 8259 section 2)
    case malformed(offset: Int)
}

/// The limits beyond which a JSON text is rejected.
///
/// The text is untrusted, so its size, depth and number of values are bounded before work is done.
public struct JSONLimits: Sendable, Hashable {
    /// Bytes of the whole text.
    public var maximumBytes: Int
    /// Levels of nested arrays and objects, the outermost object being level 1; values above 128 count as 128.
    public var maximumDepth: Int
    /// Values in the whole text, counting every member, element and the outermost object.
    public var maximumMembers: Int

    /// Limits that fit every token and key set seen in the field.
    ///
    /// - Parameters:
    ///   - maximumBytes: Bytes of the whole text. Default 262,144.
    ///   - maximumDepth: Levels of nesting, at most 128, so that no text can exhaust the stack. Default 16.
    ///   - maximumMembers: Values in the whole text. Default 10,000.
    public init(maximumBytes: Int = 262_144, maximumDepth: Int = 16, maximumMembers: Int = 10_000) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumMembers = maximumMembers
    }
}
