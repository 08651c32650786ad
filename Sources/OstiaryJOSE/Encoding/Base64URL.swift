/// Base64url without padding, and nothing else. (RFC 7515 section 2, RFC 4648 section 5)
///
/// Every byte sequence has exactly one spelling. Were two accepted, a token could be altered without its signature
/// failing, and a list of revoked or used tokens evaded.
public enum Base64URL {
    /// The text for the bytes.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: ascii(bytes), as: UTF8.self)
    }

    /// The text for the bytes.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        encode(Array(bytes))
    }

    /// The bytes that the text stands for.
    ///
    /// - Throws: ``JOSEError/base64URL`` for padding, white space, `+`, `/` or any other character outside of the
    ///   alphabet, for an impossible length, and for bits that are not zero behind the last byte.
    public static func decode(_ text: some StringProtocol) throws(JOSEError) -> [UInt8] {
        try decode(Array(text.utf8)[...])
    }

    /// The bytes that the ASCII text stands for.
    ///
    /// - Throws: ``JOSEError/base64URL``, as ``decode(_:)-(StringProtocol)`` does.
    public static func decode(_ ascii: [UInt8]) throws(JOSEError) -> [UInt8] {
        try decode(ascii[...])
    }

    /// The bytes that a part of an ASCII text stands for.
    ///
    /// - Throws: ``JOSEError/base64URL``, as ``decode(_:)-(StringProtocol)`` does.
    public static func decode(_ ascii: ArraySlice<UInt8>) throws(JOSEError) -> [UInt8] {
        let source = ascii.span
        let values = values.span
        let tail = source.count & 3
        guard tail != 1 else { throw .base64URL }
        var decoded = [UInt8](repeating: 0, count: source.count / 4 * 3 + (tail * 3) / 4)
        var target = decoded.mutableSpan
        // Characters outside of the alphabet have the value 0xFF: its top bit is looked at once, at the end.
        var seen: UInt8 = 0
        var read = 0
        var written = 0
        // Unchecked: the condition of the loop bounds every position, and the table has a place for every byte.
        while read &+ 4 <= source.count {
            let first = values[unchecked: Int(source[unchecked: read])]
            let second = values[unchecked: Int(source[unchecked: read &+ 1])]
            let third = values[unchecked: Int(source[unchecked: read &+ 2])]
            let fourth = values[unchecked: Int(source[unchecked: read &+ 3])]
            seen |= first | second | third | fourth
            target[unchecked: written] = first << 2 | second >> 4
            target[unchecked: written &+ 1] = second << 4 | third >> 2
            target[unchecked: written &+ 2] = third << 6 | fourth
            read &+= 4
            written &+= 3
        }
        if tail > 0 {
            let first = values[Int(source[read])]
            let second = values[Int(source[read + 1])]
            seen |= first | second
            target[written] = first << 2 | second >> 4
            if tail == 3 {
                let third = values[Int(source[read + 2])]
                seen |= third
                target[written + 1] = second << 4 | third >> 2
                guard third & 0x03 == 0 else { throw .base64URL }
            } else {
                guard second & 0x0F == 0 else { throw .base64URL }
            }
        }
        guard seen < 0x80 else { throw .base64URL }
        return decoded
    }

    /// The text for the bytes, as ASCII.
    static func ascii(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        append(bytes, to: &text)
        return text
    }

    /// Appends the text for the bytes.
    static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        let source = bytes.span
        let letters = alphabet.span
        var read = 0
        while read &+ 3 <= source.count {
            let (first, second, third) = (source[read], source[read &+ 1], source[read &+ 2])
            text.append(letters[Int(first >> 2)])
            text.append(letters[Int((first & 0x03) << 4 | second >> 4)])
            text.append(letters[Int((second & 0x0F) << 2 | third >> 6)])
            text.append(letters[Int(third & 0x3F)])
            read &+= 3
        }
        switch source.count - read {
        case 1:
            text.append(letters[Int(source[read] >> 2)])
            text.append(letters[Int((source[read] & 0x03) << 4)])
        case 2:
            text.append(letters[Int(source[read] >> 2)])
            text.append(letters[Int((source[read] & 0x03) << 4 | source[read + 1] >> 4)])
            text.append(letters[Int((source[read + 1] & 0x0F) << 2)])
        default:
            break
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of every byte in the alphabet, 0xFF for the others.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()
}
