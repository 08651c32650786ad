public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Stores the sessions of users, whose tokens the backend holds.
public protocol ServerSessionStore: Sendable {
    /// Stores a new session.
    ///
    /// - Returns: Whether it was stored; not when there is one with that identifier.
    func insert(_ session: ServerSessionRecord) async throws(StorageFailure) -> Bool

    /// A session that has not expired.
    func session(_ id: StoreDigest, now: Date) async throws(StorageFailure) -> ServerSessionRecord?

    /// Replaces the session that was read, and ends the lease of its refresh token.
    ///
    /// - Parameters:
    ///   - session: The new session; its ``ServerSessionRecord/version`` is that of the session that was read, plus 1.
    ///   - now: The time.
    /// - Returns: Whether it was stored; not when the session was replaced or removed meanwhile, or has expired.
    /// - Throws: The store's failure, after which the session may have been replaced all the same.
    func replace(with session: ServerSessionRecord, now: Date) async throws(StorageFailure) -> Bool

    /// Extends the idle expiry of a session, and changes neither its version nor its lease.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - idleExpiry: The new idle expiry; one before the stored one changes nothing.
    ///   - now: The time.
    /// - Returns: Whether there is such a session that has not expired.
    /// - Throws: The store's failure, after which the expiry may have been extended all the same.
    func extendIdle(_ id: StoreDigest, until idleExpiry: Date, now: Date) async throws(StorageFailure) -> Bool

    /// Removes a session, if there is one, and the lease of its refresh token.
    func remove(_ id: StoreDigest) async throws(StorageFailure)

    /// Removes a session and its lease, if it is still of a version.
    ///
    /// - Returns: Whether it was removed; not when it was replaced or removed meanwhile.
    func remove(_ id: StoreDigest, version: Int) async throws(StorageFailure) -> Bool

    /// Removes the sessions that a logout token names, and stores the revocations of their refresh tokens in the same
    /// step. (OpenID Connect Back-Channel Logout 1.0 section 2.7)
    ///
    /// A process that ends meanwhile leaves either both or neither. A store that cannot do both in one step stores the
    /// revocation of a session before it removes that session.
    ///
    /// - Parameters:
    ///   - issuer: The issuer that ended them.
    ///   - subject: The user of the sessions; `nil` for any.
    ///   - sessionID: The issuer's identifier of the session (`sid`); `nil` for all of the subject. With neither, none
    ///     is removed.
    ///   - revocation: Returns the revocation to store for a session, `nil` for none. It may be called for a session
    ///     that is not removed in the end, and it neither blocks nor calls the store.
    /// - Returns: The removed sessions.
    /// - Throws: The store's failure, after which the sessions may have been removed all the same, with their
    ///   revocations.
    func removeSessions(
        issuer: String,
        subject: String?,
        sessionID: String?,
        revoking revocation: @escaping @Sendable (ServerSessionRecord) -> PendingRevocation?
    ) async throws(StorageFailure) -> [ServerSessionRecord]
}

extension ServerSessionStore {
    /// Removes the sessions that a logout token names, and stores no revocation of their refresh tokens.
    public func removeSessions(
        issuer: String,
        subject: String?,
        sessionID: String?
    ) async throws(StorageFailure) -> [ServerSessionRecord] {
        try await removeSessions(issuer: issuer, subject: subject, sessionID: sessionID, revoking: { _ in nil })
    }
}

/// A stored session.
public struct ServerSessionRecord: Sendable, Hashable {
    /// A digest of the handle that the app presents: the store cannot be used to act as a user.
    public let id: StoreDigest
    /// The issuer that signed the user in (`iss`).
    public let issuer: String
    /// The user's identifier at the issuer (`sub`).
    public let subject: String
    /// The issuer's identifier of the session (`sid`), which a logout token may name.
    public let sessionID: String?
    /// The thumbprint of the key that the app must prove on every use (RFC 7638); `nil` for a session without a key.
    public let keyThumbprint: String?
    /// When it began.
    public let created: Date
    /// When it ends, however it is used.
    public let absoluteExpiry: Date
    /// When it ends unless it is used; not after ``absoluteExpiry``.
    public var idleExpiry: Date
    /// The tokens and other secrets, sealed by the caller: at most 256 KiB.
    public var sealed: [UInt8]
    /// 0 at first, and incremented by every change.
    public var version: Int

    /// Describes a session.
    public init(
        id: StoreDigest,
        issuer: String,
        subject: String,
        sessionID: String?,
        keyThumbprint: String?,
        created: Date,
        absoluteExpiry: Date,
        idleExpiry: Date,
        sealed: [UInt8],
        version: Int = 0
    ) {
        self.id = id
        self.issuer = issuer
        self.subject = subject
        self.sessionID = sessionID
        self.keyThumbprint = keyThumbprint
        self.created = created
        self.absoluteExpiry = absoluteExpiry
        self.idleExpiry = min(idleExpiry, absoluteExpiry)
        self.sealed = sealed
        self.version = version
    }

    /// Whether the session has expired.
    public func hasExpired(at now: Date) -> Bool { min(idleExpiry, absoluteExpiry) <= now }
}

extension ServerSessionRecord: CustomStringConvertible, CustomReflectable {
    /// The issuer and a part of the identifier: the user stays out of logs.
    public var description: String { "ServerSessionRecord(\(id), \(issuer), version \(version))" }
    /// The issuer, the identifier and the version.
    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "issuer": issuer, "version": version])
    }
}
