/// The points of Edwards 25519 that must not be used as keys.
enum Ed25519Point {
    /// Whether the encoding is of a point whose order divides 8.
    ///
    /// Under such a key, anyone can compute a signature that is valid for many messages. The library does not check the
    /// point before it verifies. (RFC 8032 section 5.1.7, RFC 7748 section 7)
    static func hasSmallOrder(_ encoding: [UInt8]) -> Bool {
        guard encoding.count == 32 else { return false }
        var y = encoding
        // The top bit is the sign of x; the points come in pairs that differ in it only.
        y[31] &= 0x7F
        return smallOrderY.contains(y)
    }

    /// Whether the y-coordinate is below p, as its only encoding is. (RFC 8032 section 5.1.3)
    ///
    /// The library reduces it instead: one key would have two thumbprints.
    static func isReduced(_ encoding: [UInt8]) -> Bool {
        guard encoding.count == 32 else { return false }
        return encoding[31] & 0x7F != 0x7F || encoding[1..<31].contains { $0 != 0xFF } || encoding[0] < 0xED
    }

    /// The y-coordinates, little-endian: 1 (order 1), p - 1 (order 2), 0 (order 4), two of order 8, and 0 and 1 in the
    /// encodings that are not reduced modulo p.
    private static let smallOrderY: [[UInt8]] = [
        [1] + [UInt8](repeating: 0, count: 31),
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [UInt8](repeating: 0, count: 32),
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
        [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    ]
}
