import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Remembers tokens whose signature was found good, so that the next request with one costs a hash and not a signature.
///
/// What is remembered is the signature alone: issuer, audience, times, binding, scopes and what else a policy asks for are
/// checked on every request, as if the token came for the first time. A proof of possession is never remembered. An entry
/// lasts as long as its token, and at most five minutes: that long a key may go on that its issuer withdrew.
public final class VerifiedTokenCache: Sendable {
    /// How long an entry lasts at most, in seconds.
    public static let maximumLifetime: Double = 300

    /// A token, and the issuer whose key its signature is of.
    struct Entry: Sendable {
        let token: VerifiedJWT
        let issuer: Issuer
    }

    private let tokens: BoundedCache<TokenDigest, Entry>
    private let found = Lock(0)
    private let missed = Lock(0)

    /// Makes an empty cache.
    ///
    /// - Parameter maximumBytes: The room that tokens take, about. Default 16 MiB: some 10,000 tokens.
    public init(maximumBytes: Int = 16_777_216) { tokens = BoundedCache(maximumBytes: maximumBytes) }

    /// How many tokens there are.
    public var count: Int { tokens.count }
    /// How many bytes they take, about.
    public var bytes: Int { tokens.bytes }

    /// How many tokens were found here, since the beginning.
    public var hits: Int { found.withLock { $0 } }
    /// How many were not, so that their signature was checked.
    public var misses: Int { missed.withLock { $0 } }

    func entry(_ compact: String, at now: Date) -> Entry? {
        let entry = tokens.value(TokenDigest(compact), at: now)
        if entry == nil { missed.withLock { $0 &+= 1 } } else { found.withLock { $0 &+= 1 } }
        return entry
    }

    func keep(_ token: VerifiedJWT, of issuer: Issuer, at now: Date) {
        // A token that says nothing of its end is refused by every policy.
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
