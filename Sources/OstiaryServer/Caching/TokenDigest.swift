import Crypto

/// A token by its SHA-256: what a cache knows it by, so that the cache is no list of tokens.
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

    /// One word is enough to place it: all of them are as good as random.
    func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
