import OstiaryJOSE
import OstiaryOAuth
import Synchronization

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

    private let tokens: BoundedCache<TokenDigest, VerifiedJWT>
    private let found = Atomic(0)
    private let missed = Atomic(0)

    /// Makes an empty cache.
    ///
    /// - Parameter maximumBytes: The room that tokens take, about. Default 16 MiB: some 10,000 tokens.
    public init(maximumBytes: Int = 16_777_216) { tokens = BoundedCache(maximumBytes: maximumBytes) }

    /// How many tokens there are.
    public var count: Int { tokens.count }
    /// How many bytes they take, about.
    public var bytes: Int { tokens.bytes }

    /// How many tokens were found here, since the beginning.
    public var hits: Int { found.load(ordering: .relaxed) }
    /// How many were not, so that their signature was checked.
    public var misses: Int { missed.load(ordering: .relaxed) }

    func token(_ compact: String, at now: Date) -> VerifiedJWT? {
        let token = tokens.value(TokenDigest(compact), at: now)
        if token == nil { missed.wrappingAdd(1, ordering: .relaxed) } else { found.wrappingAdd(1, ordering: .relaxed) }
        return token
    }

    func keep(_ token: VerifiedJWT, at now: Date) {
        // A token that says nothing of its end is refused by every policy.
        guard let expiry = token.claims.date("exp"), expiry > now else { return }
        tokens.keep(
            token,
            for: TokenDigest(token.compact),
            // The token itself, and its payload and header once more as JSON.
            bytes: token.compact.utf8.count * 2,
            until: min(expiry, now.addingTimeInterval(Self.maximumLifetime))
        )
    }
}
