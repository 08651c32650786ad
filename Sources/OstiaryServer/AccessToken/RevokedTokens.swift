import OstiaryCompatibility
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A list of revoked access tokens: single tokens, those of a session, and those of a user.
///
/// A signed token is valid until it expires unless the resource server learns of its revocation: by an issuer's logout
/// token (``BackChannelLogout``), by a security event, or from an administrator. Entries are kept for as long as a
/// token can be valid.
///
/// A full list drops its oldest entries, and rejects instead every token issued before the newest of the dropped
/// revocations. The clients of such tokens request new ones, and no revoked token becomes valid again.
///
/// The list belongs to one process. ``SharedRevocations`` shares it among all instances of a service, through a common
/// store. Without such a store, ask the issuer (``TokenIntrospector``), or have it issue tokens that expire within
/// minutes.
///
///     let revoked = RevokedTokens(longestLifetime: .seconds(900))
///     let server = ResourceServer(keys: [keys], revoked: revoked)
///     let logout = BackChannelLogout(verifier: verifier, sessions: store, revoked: revoked)
public final class RevokedTokens: Sendable {
    /// The kind of an entry: the claim that it is about.
    enum Kind: String, CaseIterable {
        case tokenID = "jti"
        case sessionID = "sid"
        case subject = "sub"
    }

    private let lifetime: Double
    let maximumCount: Int
    private let now: @Sendable () -> Date
    private let list = Lock(List())

    private struct List {
        var entries: [StoreDigest: RevocationRecord] = [:]
        /// The record of the dropped entries; `nil` when none was dropped.
        var forgotten: Forgotten?
    }

    /// Every token issued before a moment is rejected, for as long as a dropped entry would have applied.
    private struct Forgotten {
        var revokedAt: Date
        var expiry: Date
    }

    /// Makes an empty list.
    ///
    /// - Parameters:
    ///   - longestLifetime: The longest lifetime of the issuers' access tokens.
    ///   - maximumCount: The largest number of entries. Default 100,000, about 10 MB.
    ///   - clock: The time. Default: the system's.
    public init(
        longestLifetime: Duration,
        maximumCount: Int = 100_000,
        clock: DeviceClock = .server
    ) {
        // The clock tolerance of a policy is 60 seconds at most: the issuer's clock may be ahead by that much when it
        // issues a token, and the token is accepted for that much longer.
        lifetime = max(longestLifetime.inSeconds, 1) + 120
        self.maximumCount = max(maximumCount, 1)
        now = clock.now
    }

    /// Revokes one token (`jti`).
    ///
    /// - Returns: Whether there was room. If not, the list dropped its oldest entries, and more tokens are rejected
    ///   than were revoked.
    @discardableResult
    public func revoke(tokenID: String, of issuer: Issuer) -> Bool {
        add(record(.tokenID, tokenID, issuer))
    }

    /// Revokes the tokens of a session (`sid`), as far as they name it.
    ///
    /// - Returns: As ``revoke(tokenID:of:)``.
    @discardableResult
    public func revoke(sessionID: String, of issuer: Issuer) -> Bool {
        add(record(.sessionID, sessionID, issuer))
    }

    /// Revokes a user's tokens (`sub`) that have been issued so far; later ones belong to another sign-in.
    ///
    /// The issuer's clock may be ahead by the tolerance of a policy (30 seconds), so a token counts as issued before if
    /// its `iat` lies within those seconds. A user who signs in again within them gets such a token, and it is rejected
    /// until it expires. The next one, which the client requests after a 401, is valid.
    ///
    /// - Returns: As ``revoke(tokenID:of:)``.
    @discardableResult
    public func revoke(subject: String, of issuer: Issuer) -> Bool {
        add(record(.subject, subject, issuer))
    }

    /// Revokes the tokens that a logout token names: those of its session, or all of its subject.
    ///
    /// - Returns: As ``revoke(tokenID:of:)``.
    @discardableResult
    public func revoke(_ logout: LogoutToken) -> Bool {
        record(logout).map(add) ?? true
    }

    /// Whether a token is revoked.
    ///
    /// `tolerance` is the accepted clock skew of the issuer, in seconds.
    func contains(_ token: VerifiedAccessToken, at now: Date, tolerance: Double) -> Bool {
        guard !list.withLock({ $0.entries.isEmpty && $0.forgotten == nil }) else { return false }
        // Hashing takes time, and other requests must not wait for it.
        let names = Kind.allCases.compactMap { kind -> (kind: Kind, name: StoreDigest)? in
            let claim = kind == .tokenID ? token.profile.manners.tokenID : kind.rawValue
            return token.claims[claim]?.string.map { (kind, Self.name(kind, $0, token.issuer)) }
        }
        return list.withLock { list in
            if let forgotten = list.forgotten, forgotten.expiry > now,
                token.issuedAt.map({ $0 <= forgotten.revokedAt.addingTimeInterval(tolerance) }) ?? true
            {
                return true
            }
            return names.contains { kind, name in
                guard let entry = list.entries[name], entry.expiry > now else { return false }
                // A token or a session is revoked whatever its age; a user can sign in again under the same subject.
                guard kind == .subject, let made = token.issuedAt else { return true }
                return made <= entry.revokedAt.addingTimeInterval(tolerance)
            }
        }
    }

    // MARK: Entries

    /// An entry that begins now and ends when no token issued so far can be valid.
    func record(_ kind: Kind, _ value: String, _ issuer: Issuer) -> RevocationRecord {
        let now = now()
        return RevocationRecord(
            name: Self.name(kind, value, issuer.description),
            revokedAt: now,
            expiry: now.addingTimeInterval(lifetime)
        )
    }

    /// The entry for a logout token; `nil` if the token names nothing.
    func record(_ logout: LogoutToken) -> RevocationRecord? {
        logout.sessionID.map { record(.sessionID, $0, logout.issuer) }
            ?? logout.subject.map { record(.subject, $0, logout.issuer) }
    }

    /// Adds an entry, merged with an existing one of the same name.
    ///
    /// - Returns: Whether there was room without dropping entries.
    func add(_ record: RevocationRecord) -> Bool {
        let now = now()
        return list.withLock { list in
            if let known = list.entries[record.name] {
                list.entries[record.name] = record.merged(with: known)
                return true
            }
            guard list.entries.count >= maximumCount else {
                list.entries[record.name] = record
                return true
            }
            list.entries = list.entries.filter { $0.value.expiry > now }
            let hasRoom = list.entries.count < maximumCount
            if !hasRoom { forgetOldest(in: &list) }
            // An entry older than the dropped ones is covered by their record.
            if let forgotten = list.forgotten, forgotten.expiry > now, record.revokedAt <= forgotten.revokedAt {
                list.forgotten?.expiry = max(forgotten.expiry, record.expiry)
                return hasRoom
            }
            list.entries[record.name] = record
            return hasRoom
        }
    }

    /// Drops a tenth of the entries, so that a full list is not sorted for every new entry.
    private func forgetOldest(in list: inout List) {
        let oldest = list.entries.values.sorted { $0.revokedAt < $1.revokedAt }.prefix(max(1, maximumCount / 10))
        for record in oldest {
            list.entries[record.name] = nil
            let known = list.forgotten ?? Forgotten(revokedAt: record.revokedAt, expiry: record.expiry)
            list.forgotten = Forgotten(
                revokedAt: max(known.revokedAt, record.revokedAt),
                expiry: max(known.expiry, record.expiry)
            )
        }
    }

    private static func name(_ kind: Kind, _ value: String, _ issuer: String) -> StoreDigest {
        StoreDigest("revoked " + kind.rawValue, [issuer, value])
    }
}
