import OstiaryCompatibility
import OstiaryJOSE
public import OstiaryOAuth

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
/// A list that is full forgets its oldest entries, and refuses instead every token that was made before the newest of those was revoked:
/// their clients fetch new ones, and no revoked token comes back.
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
    private let list = Lock(List())

    private struct List {
        var entries: [StoreDigest: RevocationRecord] = [:]
        /// The entry that represents the dropped ones; `nil` when none was dropped.
        var forgotten: Forgotten?
    }

    /// Every token that was made by a moment is refused, as long as one of the entries that gave way would have counted.
    private struct Forgotten {
        var revokedAt: Date
        var expiry: Date
    }

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
    /// - Returns: Whether there was room; not when the list was full, so that its oldest entries gave way and more tokens are refused
    ///   than were revoked.
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
        guard !list.withLock({ $0.entries.isEmpty && $0.forgotten == nil }) else { return false }
        // Digests take time, in which no other request has to wait.
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
    /// - Returns: Whether there was room: not when others gave way to it, or when it is older than those that did.
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
            // What is older than the entries that gave way is refused with them.
            if let forgotten = list.forgotten, forgotten.expiry > now, record.revokedAt <= forgotten.revokedAt {
                list.forgotten?.expiry = max(forgotten.expiry, record.expiry)
                return hasRoom
            }
            list.entries[record.name] = record
            return hasRoom
        }
    }

    /// Forgets a tenth of the entries, so that a list that stays full is not sorted for each one that comes.
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
