import OstiaryJOSE
public import OstiaryOAuth
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Tokens that a resource server no longer takes, though they have not expired: single ones, those of a session, those of a person.
///
/// A signed token is good until its end unless somebody says otherwise. What says so is an issuer's logout token (``BackChannelLogout``), a
/// security event, or an administrator. Each entry is kept for as long as a token can live.
///
/// It is of this process: every instance of a service has to be told. Where that cannot be, ask the issuer (``TokenIntrospector``), or have it
/// give tokens that live for minutes.
///
///     let revoked = RevokedTokens(longestLifetime: 900)
///     let server = ResourceServer(keys: [keys], revoked: revoked)
///     let logout = BackChannelLogout(verifier: verifier, sessions: store, revoked: revoked)
public final class RevokedTokens: Sendable {
    private struct Entry {
        /// Tokens that were made later are others.
        let revoked: Date
        let expiry: Date
    }

    private let lifetime: Double
    private let maximumCount: Int
    private let now: @Sendable () -> Date
    private let entries = Mutex<[StoreDigest: Entry]>([:])

    /// Makes an empty list.
    ///
    /// - Parameters:
    ///   - longestLifetime: How long an access token of the issuers may live, in seconds, 1 or more.
    ///   - maximumCount: How many entries there may be. Default 100,000, which are about 10 MB.
    ///   - now: The time. Default: the system's clock.
    public init(
        longestLifetime: Double,
        maximumCount: Int = 100_000,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        // The tolerance of a policy is 60 seconds at most: so much may the clock of the issuer be ahead when it makes a token,
        // and so much longer is that taken.
        lifetime = max(longestLifetime, 1) + 120
        self.maximumCount = max(maximumCount, 1)
        self.now = now
    }

    /// Takes one token no more (`jti`).
    ///
    /// - Returns: Whether it is in the list: not when that is full, and then the token is taken until it expires.
    @discardableResult
    public func revoke(tokenID: String, of issuer: Issuer) -> Bool { add("jti", tokenID, issuer) }

    /// Takes the tokens of a session no more (`sid`), as far as they name it.
    ///
    /// - Returns: As ``revoke(tokenID:of:)``.
    @discardableResult
    public func revoke(sessionID: String, of issuer: Issuer) -> Bool { add("sid", sessionID, issuer) }

    /// Takes the tokens of a person no more (`sub`) that have been made by now; later ones are of another sign-in.
    ///
    /// The issuer's clock may be ahead by the tolerance of a policy (30 seconds), so a token counts as made by now when it says
    /// that it was made within those seconds. Somebody who signs in again that soon gets such a token, and it is refused for
    /// as long as it lives; the next one, which a client asks for when it hears 401, is good.
    ///
    /// - Returns: As ``revoke(tokenID:of:)``.
    @discardableResult
    public func revoke(subject: String, of issuer: Issuer) -> Bool { add("sub", subject, issuer) }

    /// Takes the tokens no more that a logout token means: those of its session, or all of its subject.
    ///
    /// - Returns: As ``revoke(tokenID:of:)``.
    @discardableResult
    public func revoke(_ logout: LogoutToken) -> Bool {
        if let sessionID = logout.sessionID { return revoke(sessionID: sessionID, of: logout.issuer) }
        return logout.subject.map { revoke(subject: $0, of: logout.issuer) } ?? true
    }

    /// Whether a token is one of those.
    ///
    /// - Parameter tolerance: How far ahead the clock may be that the token was made by, in seconds.
    func contains(_ token: VerifiedAccessToken, at now: Date, tolerance: Double) -> Bool {
        entries.withLock { entries in
            guard !entries.isEmpty else { return false }
            return ["jti", "sid", "sub"].contains { name in
                guard let value = token.claims[name]?.string,
                    let entry = entries[Self.digest(name, value, token.issuer)], entry.expiry > now
                else { return false }
                // A token and a session are over whenever they began; only a person comes back under the same name.
                guard name == "sub", let made = token.issuedAt else { return true }
                return made <= entry.revoked.addingTimeInterval(tolerance)
            }
        }
    }

    private func add(_ name: String, _ value: String, _ issuer: Issuer) -> Bool {
        let now = now()
        let entry = Entry(revoked: now, expiry: now.addingTimeInterval(lifetime))
        let digest = Self.digest(name, value, issuer.description)
        return entries.withLock { entries in
            if entries.count >= maximumCount, entries[digest] == nil {
                entries = entries.filter { $0.value.expiry > now }
                guard entries.count < maximumCount else { return false }
            }
            entries[digest] = entry
            return true
        }
    }

    private static func digest(_ name: String, _ value: String, _ issuer: String) -> StoreDigest {
        StoreDigest("revoked " + name, [issuer, value])
    }
}
