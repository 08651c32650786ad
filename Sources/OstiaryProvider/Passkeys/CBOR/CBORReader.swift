import OstiaryCompatibility

/// The reason bytes are not the CBOR of an authenticator.
package enum CBORError: Error, Sendable, Hashable {
    /// There are more than ``CBORReader/maximumBytes``.
    case tooLarge
    /// The bytes end before the value does.
    case truncated
    /// Bytes follow the value.
    case trailingBytes
    /// Arrays and maps are nested deeper than ``CBORReader/maximumDepth``.
    case tooDeep
    /// A string, an array or a map does not begin with its length.
    case indefiniteLength
    /// A number is written in more bytes than it needs.
    case notShortest
    /// A key of a map is there twice.
    case duplicateKey
    /// A key of a map is neither an integer nor a text.
    case unsupportedKey
    /// A text is not UTF-8.
    case notUTF8
    /// A tag, a floating-point number, an integer of more than 64 bits with its sign, or a reserved value.
    case unsupportedType
}

/// Reads the canonical CBOR of CTAP2, and nothing else. (Client to Authenticator Protocol 2.1 section 8)
///
/// Lengths are definite, numbers as short as they can be, keys unique, and there is no tag and no floating-point number.
/// Size and depth are bounded. The order of a map's keys alone is not checked, because some authenticators write the
/// members of an attestation object in another one.
package enum CBORReader {
    /// The most bytes that a value may have.
    package static let maximumBytes = 32_768
    /// The deepest nesting of arrays and maps that CTAP2 allows.
    package static let maximumDepth = 4

    /// The value that all of the bytes stand for.
    ///
    /// - Throws: ``CBORError``.
    package static func value(of bytes: [UInt8]) throws(CBORError) -> CBORValue {
        var rest = bytes[...]
        let value = try value(from: &rest)
        guard rest.isEmpty else { throw .trailingBytes }
        return value
    }

    /// The value that the bytes begin with, and takes it off them.
    ///
    /// - Throws: ``CBORError``.
    package static func value(from bytes: inout ArraySlice<UInt8>) throws(CBORError) -> CBORValue {
        guard bytes.count <= maximumBytes else { throw .tooLarge }
        return try value(from: &bytes, depth: 1)
    }

    private static func value(from bytes: inout ArraySlice<UInt8>, depth: Int) throws(CBORError) -> CBORValue {
        guard let first = bytes.popFirst() else { throw .truncated }
        let (type, information) = (first >> 5, first & 0x1F)
        guard information != 31 else { throw .indefiniteLength }
        guard type != 7 else { return try simple(information) }
        let argument = try argument(information, from: &bytes)
        switch type {
        case 0: return .integer(try signed(argument))
        case 1: return .integer(try -1 - signed(argument))
        case 2: return .bytes(Array(try string(argument, from: &bytes)))
        case 3:
            guard let text = String(utf8: try string(argument, from: &bytes)) else { throw .notUTF8 }
            return .text(text)
        case 4:
            try requireDepth(depth)
            // Each element has a byte at least, so the loop ends with the bytes.
            guard argument <= UInt64(bytes.count) else { throw .truncated }
            var elements: [CBORValue] = []
            for _ in 0..<argument { elements.append(try value(from: &bytes, depth: depth + 1)) }
            return .array(elements)
        case 5:
            try requireDepth(depth)
            guard argument <= UInt64(bytes.count / 2) else { throw .truncated }
            var map = CBORMap()
            for _ in 0..<argument {
                let key = try key(from: &bytes, depth: depth + 1)
                guard map.add(try value(from: &bytes, depth: depth + 1), for: key) else { throw .duplicateKey }
            }
            return .map(map)
        default: throw .unsupportedType
        }
    }

    private static func requireDepth(_ depth: Int) throws(CBORError) {
        guard depth <= maximumDepth else { throw .tooDeep }
    }

    private static func key(from bytes: inout ArraySlice<UInt8>, depth: Int) throws(CBORError) -> CBORMap.Key {
        switch try value(from: &bytes, depth: depth) {
        case .integer(let label): .integer(label)
        case .text(let name): .text(Array(name.utf8))
        default: throw .unsupportedKey
        }
    }

    private static func simple(_ information: UInt8) throws(CBORError) -> CBORValue {
        switch information {
        case 20: .bool(false)
        case 21: .bool(true)
        case 22: .null
        default: throw .unsupportedType
        }
    }

    /// The number behind the first byte: a value, a length or a count.
    private static func argument(
        _ information: UInt8,
        from bytes: inout ArraySlice<UInt8>
    ) throws(CBORError) -> UInt64 {
        guard information >= 24 else { return UInt64(information) }
        guard information <= 27 else { throw .unsupportedType }
        let count = 1 << Int(information - 24)
        guard bytes.count >= count else { throw .truncated }
        let value = bytes.prefix(count).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        bytes.removeFirst(count)
        // The largest number that one step fewer bytes hold.
        let shorter: UInt64 = count == 1 ? 23 : (1 << UInt64(count * 4)) - 1
        guard value > shorter else { throw .notShortest }
        return value
    }

    private static func signed(_ argument: UInt64) throws(CBORError) -> Int64 {
        guard let value = Int64(exactly: argument) else { throw .unsupportedType }
        return value
    }

    private static func string(
        _ length: UInt64,
        from bytes: inout ArraySlice<UInt8>
    ) throws(CBORError) -> ArraySlice<UInt8> {
        guard length <= UInt64(bytes.count) else { throw .truncated }
        defer { bytes.removeFirst(Int(length)) }
        return bytes.prefix(Int(length))
    }
}
