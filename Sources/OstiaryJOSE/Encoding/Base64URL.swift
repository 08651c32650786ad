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
        let tail = ascii.count & 3
        guard tail != 1 else { throw .base64URL }
        var decoded = [UInt8](repeating: 0, count: ascii.count / 4 * 3 + (tail * 3) / 4)
        let isSpelledRight = ascii.withElements { source in
            values.withElements { values in
                decoded.withUnsafeMutableBufferPointer { target in decode(source, by: values, into: target) }
            }
        }
        guard isSpelledRight else { throw .base64URL }
        return decoded
    }

    /// - Returns: Whether every character is one of the alphabet, and the bits behind the last byte are zero.
    @inline(__always)
    private static func decode(
        _ source: LentElements<UInt8>,
        by values: LentElements<UInt32>,
        into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        let tail = source.count & 3
        // Characters outside of the alphabet have the value 0x80…: its top bit is looked at once, at the end.
        var seen: UInt32 = 0
        var read = 0
        var written = 0
        // Unchecked: the condition of the loop bounds every position, the table has a place for every byte in each of
        // its four parts, and the caller made the target as long as the text demands.
        let room = target.count
        guard let target = target.baseAddress else { return source.count == 0 }
        // Eight characters at a time, as long as there is room for eight bytes: the last two are written over.
        while read &+ 8 <= source.count, written &+ 8 <= room {
            let first = characters(source, values, read)
            let second = characters(source, values, read &+ 4)
            seen |= first | second
            let bytes = (UInt64(first) &<< 40 | UInt64(second) &<< 16).bigEndian
            UnsafeMutableRawPointer(target + written).storeBytes(of: bytes, as: UInt64.self)
            read &+= 8
            written &+= 6
        }
        while read &+ 4 <= source.count {
            let word = characters(source, values, read)
            seen |= word
            target[written] = UInt8(truncatingIfNeeded: word &>> 16)
            target[written &+ 1] = UInt8(truncatingIfNeeded: word &>> 8)
            target[written &+ 2] = UInt8(truncatingIfNeeded: word)
            read &+= 4
            written &+= 3
        }
        if tail > 0 {
            let third = tail == 3 ? values[512 + Int(source[read + 2])] : 0
            let word = values[Int(source[read])] | values[256 + Int(source[read + 1])] | third
            seen |= word
            target[written] = UInt8(truncatingIfNeeded: word >> 16)
            if tail == 3 { target[written + 1] = UInt8(truncatingIfNeeded: word >> 8) }
            guard word & (tail == 3 ? 0xFF : 0xFFFF) == 0 else { return false }
        }
        return seen < 0x8000_0000
    }

    /// The value of the four characters at a position that the caller knows to be within the bounds: 24 bits.
    @inline(__always)
    private static func characters(
        _ source: LentElements<UInt8>,
        _ values: LentElements<UInt32>,
        _ position: Int
    ) -> UInt32 {
        values[unchecked: Int(source[unchecked: position])]
            | values[unchecked: 256 &+ Int(source[unchecked: position &+ 1])]
            | values[unchecked: 512 &+ Int(source[unchecked: position &+ 2])]
            | values[unchecked: 768 &+ Int(source[unchecked: position &+ 3])]
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
        bytes.withElements { source in alphabet.withElements { letters in append(source, as: letters, to: &text) } }
    }

    @inline(__always)
    private static func append(_ source: LentElements<UInt8>, as letters: LentElements<UInt8>, to text: inout [UInt8]) {
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

    /// The value of every byte in the alphabet as the first of four characters, then as the second, third and fourth;
    /// the top bit alone for the others.
    private static let values: [UInt32] = {
        var values = [UInt32](repeating: 0x8000_0000, count: 4 * 256)
        for (value, letter) in alphabet.enumerated() {
            for place in 0..<4 { values[place * 256 + Int(letter)] = UInt32(value) << UInt32(18 - 6 * place) }
        }
        return values
    }()
}
