import Crypto

/// The SHA-256 of a token, under which a cache stores it, so that the cache does not list tokens.
struct TokenDigest: Sendable, Hashable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    init(_ token: String) {
        var token = token
        let digest = token.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) }
        words = digest.withUnsafeBytes { bytes in
            func word(_ index: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) }
            return (word(0), word(1), word(2), word(3))
        }
    }

    static func == (left: TokenDigest, right: TokenDigest) -> Bool { left.words == right.words }

    /// One word suffices for hashing, since all of them are effectively random.
    func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
