import Crypto
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Caches tokens whose signature was verified, so that the next request with one needs a hash and no signature check.
///
/// Only the signature is cached: issuer, audience, times, binding, scopes and the policy's other requirements are
/// checked on every request. Proofs of possession are never cached. An entry is valid until its token expires, and at
/// most five minutes: for that long a key that the issuer withdrew stays in effect.
public final class VerifiedTokenCache: Sendable {
    /// The longest lifetime of an entry, in seconds.
    static let maximumLifetime: Double = 300

    /// A token, and the issuer whose key verified its signature.
    struct Entry: Sendable {
        let token: VerifiedJWT
        let issuer: Issuer
    }

    private let tokens: BoundedCache<TokenDigest, Entry>
    private let found = Lock(0)
    private let missed = Lock(0)

    /// Makes an empty cache.
    ///
    /// - Parameter maximumBytes: The approximate size limit of the tokens. Default 16 MiB: some 10,000 tokens.
    public init(maximumBytes: Int = 16_777_216) { tokens = BoundedCache(maximumBytes: maximumBytes) }

    /// The number of tokens.
    public var count: Int { tokens.count }
    /// Their approximate size in bytes.
    public var bytes: Int { tokens.bytes }

    /// The number of lookups that found a token.
    public var hits: Int { found.withLock { $0 } }
    /// The number of lookups that did not, each followed by a signature check.
    public var misses: Int { missed.withLock { $0 } }

    func entry(_ compact: String, at now: Date) -> Entry? {
        let entry = tokens.value(TokenDigest(compact), at: now)
        if entry == nil { missed.withLock { $0 &+= 1 } } else { found.withLock { $0 &+= 1 } }
        return entry
    }

    func keep(_ token: VerifiedJWT, of issuer: Issuer, at now: Date) {
        // A token without `exp` is rejected by every policy.
        guard let expiry = token.claims.date("exp"), expiry > now else { return }
        tokens.keep(
            Entry(token: token, issuer: issuer),
            for: TokenDigest(token.compact),
            // The token itself, and its payload and header once more as JSON.
            bytes: token.compact.utf8.count * 2,
            until: min(expiry, now.addingTimeInterval(Self.maximumLifetime))
        )
    }
}

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
