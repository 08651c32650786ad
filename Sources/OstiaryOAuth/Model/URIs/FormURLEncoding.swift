import OstiaryCompatibility

/// The one encoder and decoder of `application/x-www-form-urlencoded` (RFC 6749 appendix B).
public enum FormURLEncoding {
    /// Escapes one name or value: everything outside `A-Z a-z 0-9 - . _ ~` becomes `%XX` of its UTF-8.
    ///
    /// A space becomes `%20`, which every decoder reads, in a form, in a query and in a Basic credential; `+` becomes
    /// `%2B`, so that no decoder takes it for a space.
    public static func escape(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(hexadecimalDigit(byte >> 4))
                bytes.append(hexadecimalDigit(byte & 0x0F))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads one escaped name or value; `+` is a space.
    ///
    /// - Returns: `nil` for a broken escape and for bytes that are not UTF-8.
    public static func unescape(_ text: some StringProtocol) -> String? {
        unescape(text.utf8)
    }

    private static func unescape(_ escaped: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(escaped.count)
        var rest = escaped.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(hexadecimalValue), let low = rest.next().flatMap(hexadecimalValue)
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(utf8: bytes)
    }

    /// Writes pairs in their order.
    public static func encode(_ parameters: Parameters) -> String {
        parameters.pairs.map { escape($0.name.rawValue) + "=" + escape($0.value) }.joined(separator: "&")
    }

    /// Reads a form body or a query.
    ///
    /// - Parameters:
    ///   - text: At most `maximumBytes` of UTF-8.
    ///   - maximumBytes: Default 65,536.
    ///   - maximumPairs: Default 256.
    /// - Returns: `nil` when it is too large or a part of it cannot be read. A pair without `=` has an empty value.
    public static func decode(
        _ text: some StringProtocol,
        maximumBytes: Int = 65_536,
        maximumPairs: Int = 256
    ) -> Parameters? {
        guard text.utf8.count <= maximumBytes else { return nil }
        var parameters = Parameters()
        // Bytes and not characters: to Swift, an ampersand and an accent behind it are one character, and no separator.
        for pair in text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: true) {
            guard parameters.pairs.count < maximumPairs else { return nil }
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = unescape(parts[0]), let value = parts.count > 1 ? unescape(parts[1]) : "" else {
                return nil
            }
            parameters.append(value, for: Parameters.Name(rawValue: name))
        }
        return parameters
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
