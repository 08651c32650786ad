public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps the sessions of users, whose tokens the backend holds.
public protocol ServerSessionStore: Sendable {
    /// Keeps a new session.
    ///
    /// - Returns: Whether it is kept; not when there is one with that identifier.
    func insert(_ session: ServerSessionRecord) async throws(StorageFailure) -> Bool

    /// A session that has not expired.
    func session(_ id: StoreDigest, now: Date) async throws(StorageFailure) -> ServerSessionRecord?

    /// Puts a session in the place of the one that was read, and ends the lease of its refresh token.
    ///
    /// - Parameters:
    ///   - session: The new one; its ``ServerSessionRecord/version`` is that of the one that was read, plus 1.
    ///   - now: The time.
    /// - Returns: Whether it is kept; not when somebody else replaced or removed the session meanwhile, or when it has expired.
    func replace(with session: ServerSessionRecord, now: Date) async throws(StorageFailure) -> Bool

    /// Puts the end of an idle session off, and changes nothing else of it: neither its version nor its lease.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - idleExpiry: When it ends unless it is used; an earlier end than the stored one changes nothing.
    ///   - now: The time.
    /// - Returns: Whether there is such a session that has not expired.
    func putOff(_ id: StoreDigest, until idleExpiry: Date, now: Date) async throws(StorageFailure) -> Bool

    /// Removes a session, if there is one, and the lease of its refresh token.
    func remove(_ id: StoreDigest) async throws(StorageFailure)

    /// Removes a session and its lease, if it is still of a version.
    ///
    /// - Returns: Whether it was removed; not when somebody else replaced or removed it meanwhile.
    func remove(_ id: StoreDigest, version: Int) async throws(StorageFailure) -> Bool

    /// Removes the sessions that a logout token means. (OpenID Connect Back-Channel Logout 1.0 section 2.7)
    ///
    /// - Parameters:
    ///   - issuer: Who ended them.
    ///   - subject: Whose they are; `nil` for whoever's.
    ///   - sessionID: The issuer's identifier of the session (`sid`); `nil` for all of the subject. With neither, none is removed.
    /// - Returns: Those that were removed, so that their refresh tokens can be revoked.
    func removeSessions(
        issuer: String,
        subject: String?,
        sessionID: String?
    ) async throws(StorageFailure) -> [ServerSessionRecord]
}

/// A session as it is stored.
public struct ServerSessionRecord: Sendable, Hashable {
    /// A digest of the handle that the app shows: the store cannot be used to act as a user.
    public let id: StoreDigest
    /// Who signed the user in (`iss`).
    public let issuer: String
    /// Who the user is at the issuer (`sub`).
    public let subject: String
    /// The issuer's identifier of the session (`sid`), which a logout token may name.
    public let sessionID: String?
    /// The thumbprint of the key that the app has to prove on each use (RFC 7638); `nil` for a session bound to none.
    public let keyThumbprint: String?
    /// When it began.
    public let created: Date
    /// When it ends, however it is used.
    public let absoluteExpiry: Date
    /// When it ends unless it is used; not after ``absoluteExpiry``.
    public var idleExpiry: Date
    /// The tokens and what else is secret, sealed by the caller: at most 256 KiB.
    public var sealed: [UInt8]
    /// 0 at first, and 1 more with each change.
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

    /// Whether it has ended by itself.
    public func hasExpired(at now: Date) -> Bool { min(idleExpiry, absoluteExpiry) <= now }
}

extension ServerSessionRecord: CustomStringConvertible, CustomReflectable {
    /// The issuer and a part of the identifier: who the user is stays out of logs.
    public var description: String { "ServerSessionRecord(\(id), \(issuer), version \(version))" }
    /// The issuer, the identifier and the version.
    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "issuer": issuer, "version": version])
    }
}
