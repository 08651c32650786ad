/// Reads a DER sequence of positive integers, which is all that a PKCS #1 key is. (RFC 8017 appendix A.1.2)
enum DERIntegers {
    /// The integers without their sign byte.
    static func sequence(in bytes: [UInt8]) throws(JOSEError) -> [[UInt8]] {
        var outer = bytes[...]
        var content = try element(tag: 0x30, from: &outer)
        guard outer.isEmpty else { throw .keyFailure }
        var integers: [[UInt8]] = []
        while !content.isEmpty {
            let integer = try element(tag: 0x02, from: &content)
            integers.append(Array(integer.drop { $0 == 0 }))
        }
        return integers
    }

    private static func element(
        tag: UInt8,
        from bytes: inout ArraySlice<UInt8>
    ) throws(JOSEError) -> ArraySlice<UInt8> {
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { throw .keyFailure }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), bytes.count >= count else { throw .keyFailure }
            length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            bytes.removeFirst(count)
        }
        guard bytes.count >= length else { throw .keyFailure }
        defer { bytes.removeFirst(length) }
        return bytes.prefix(length)
    }
}
