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
/// It is of this process. ``SharedRevocations`` tells every instance of a service, through a store that they share; where there is none, ask
/// the issuer (``TokenIntrospector``), or have it give tokens that live for minutes.
///
///     let revoked = RevokedTokens(longestLifetime: 900)
///     let server = ResourceServer(keys: [keys], revoked: revoked)
///     let logout = BackChannelLogout(verifier: verifier, sessions: store, revoked: revoked)
public final class RevokedTokens: Sendable {
    /// What an entry is about: the claim that names it.
    enum Kind: String, CaseIterable {
        case tokenID = "jti"
        case sessionID = "sid"
        case subject = "sub"
    }

    private let lifetime: Double
    let maximumCount: Int
    private let now: @Sendable () -> Date
    private let entries = Mutex<[StoreDigest: RevocationRecord]>([:])

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
    public func revoke(tokenID: String, of issuer: Issuer) -> Bool {
        add(record(.tokenID, tokenID, issuer))
    }

    /// Takes the tokens of a session no more (`sid`), as far as they name it.
    ///
    /// - Returns: As ``revoke(tokenID:of:)``.
    @discardableResult
    public func revoke(sessionID: String, of issuer: Issuer) -> Bool {
        add(record(.sessionID, sessionID, issuer))
    }

    /// Takes the tokens of a person no more (`sub`) that have been made by now; later ones are of another sign-in.
    ///
    /// The issuer's clock may be ahead by the tolerance of a policy (30 seconds), so a token counts as made by now when it says
    /// that it was made within those seconds. Somebody who signs in again that soon gets such a token, and it is refused for
    /// as long as it lives; the next one, which a client asks for when it hears 401, is good.
    ///
    /// - Returns: As ``revoke(tokenID:of:)``.
    @discardableResult
    public func revoke(subject: String, of issuer: Issuer) -> Bool {
        add(record(.subject, subject, issuer))
    }

    /// Takes the tokens no more that a logout token means: those of its session, or all of its subject.
    ///
    /// - Returns: As ``revoke(tokenID:of:)``.
    @discardableResult
    public func revoke(_ logout: LogoutToken) -> Bool {
        record(logout).map(add) ?? true
    }

    /// Whether a token is one of those.
    ///
    /// - Parameter tolerance: How far ahead the clock may be that the token was made by, in seconds.
    func contains(_ token: VerifiedAccessToken, at now: Date, tolerance: Double) -> Bool {
        entries.withLock { entries in
            guard !entries.isEmpty else { return false }
            return Kind.allCases.contains { kind in
                guard let value = token.claims[kind.rawValue]?.string,
                    let entry = entries[Self.name(kind, value, token.issuer)], entry.expiry > now
                else { return false }
                // A token and a session are over whenever they began; only a person comes back under the same name.
                guard kind == .subject, let made = token.issuedAt else { return true }
                return made <= entry.revokedAt.addingTimeInterval(tolerance)
            }
        }
    }

    // MARK: Entries

    /// An entry that begins now and lasts as long as a token can live.
    func record(_ kind: Kind, _ value: String, _ issuer: Issuer) -> RevocationRecord {
        let now = now()
        return RevocationRecord(
            name: Self.name(kind, value, issuer.description),
            revokedAt: now,
            expiry: now.addingTimeInterval(lifetime)
        )
    }

    /// The entry that a logout token means; `nil` for one that names nothing.
    func record(_ logout: LogoutToken) -> RevocationRecord? {
        logout.sessionID.map { record(.sessionID, $0, logout.issuer) }
            ?? logout.subject.map { record(.subject, $0, logout.issuer) }
    }

    /// Adds an entry to what is known under its name.
    ///
    /// - Returns: Whether it is in the list: not when that is full.
    func add(_ record: RevocationRecord) -> Bool {
        let now = now()
        return entries.withLock { entries in
            if entries.count >= maximumCount, entries[record.name] == nil {
                entries = entries.filter { $0.value.expiry > now }
                guard entries.count < maximumCount else { return false }
            }
            entries[record.name] = record.merged(with: entries[record.name])
            return true
        }
    }

    private static func name(_ kind: Kind, _ value: String, _ issuer: String) -> StoreDigest {
        StoreDigest("revoked " + kind.rawValue, [issuer, value])
    }
}
