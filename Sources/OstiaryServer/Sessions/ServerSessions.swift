import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The sessions of an app's users, whose tokens the backend holds.
///
/// The app has a handle, 256 random bits, and a key. It presents the handle as a DPoP token with a proof by that key,
/// so a leaked handle is useless (RFC 9449 section 7.1). Tokens are sealed at rest. One instance at a time refreshes a
/// session; the others wait and read the result, and no refresh token is presented twice unless ``LostRefresh`` allows it.
public struct ServerSessions: Sendable {
    /// The store of sessions.
    public typealias Store = ServerSessionStore & RefreshLeaseStore & PendingRevocationStore

    /// The lifetimes of sessions.
    public struct Lifetimes: Sendable, Hashable {
        /// From its beginning, whether or not it is used.
        public var absolute: Duration
        /// From its last use.
        public var idle: Duration
        /// 30 days, and 7 without use, by default.
        public init(absolute: Duration = .seconds(2_592_000), idle: Duration = .seconds(604_800)) {
            self.absolute = max(absolute, .seconds(60))
            self.idle = min(max(idle, .seconds(60)), self.absolute)
        }

        /// The new idle expiry of a session that is used now.
        func idleExpiry(of session: ServerSessionRecord, at now: Date) -> Date {
            min(now.addingTimeInterval(idle.inSeconds), session.absoluteExpiry)
        }
    }

    /// The consequence of a refresh whose response was lost: the issuer may have used the refresh token up.
    public enum LostRefresh: String, Sendable, Hashable, CaseIterable {
        /// The session ends, and the refresh token is never presented again: for an issuer that revokes the user's other
        /// tokens when it sees one twice. (RFC 9700 section 4.14.2)
        case ends
        /// The session stays, and the next refresh presents the same refresh token when the issuer answers again: for an
        /// issuer that rotates none, or accepts the earlier one for some time.
        ///
        /// No time limits the repetition, which may be as late as the user's next request: after the time that the issuer
        /// accepts it, the issuer sees a reuse. It then ends the session by its response, and may revoke the user's other
        /// tokens. The session also ends when the instance dies after it has marked the token as presented, or cannot
        /// reach the store for the ten seconds in which it releases the lease.
        case isRepeated = "repeated"
    }

    let client: Client
    let keys: KeySource
    let metadata: IssuerMetadata
    /// Whether the issuer publishes its metadata.
    let isPublished: Bool
    let store: any Store
    let sealing: SealingKeys
    let proofs: ProofChecking
    let lifetimes: Lifetimes
    let lostRefresh: LostRefresh
    let transport: any HTTPTransport
    let context: ExchangeContext
    let clock: DeviceClock
    let holdOffs = SessionHoldOffs()
    let issuerHoldOff = IssuerHoldOff()
    /// The back-off from the revocation endpoint: after a failure one revocation tries it, and the others stay stored.
    let revocationHoldOff = IssuerHoldOff(patience: 1)
    let flights = SessionFlights()
    let revocations = RevocationQueue()
    /// The sessions whose last UserInfo request failed recently, in at most 1 MiB.
    let userInfoFailures = BoundedCache<StoreDigest, Date>(maximumBytes: 1_048_576)
    let limiter: RequestLimiter
    let report: @Sendable (Event) -> Void
    let reportVerdict: @Sendable (Verdict) -> Void

    /// Makes the sessions of a client of one issuer.
    ///
    /// - Parameters:
    ///   - client: The client registration of the backend at the issuer.
    ///   - keys: The issuer's keys.
    ///   - server: The issuer's metadata, for one that does not publish it; otherwise it is fetched on demand.
    ///   - store: A store that all instances share.
    ///   - sealing: Seals the tokens.
    ///   - dpop: The checks of the app's proofs.
    ///   - lifetimes: The lifetimes of sessions.
    ///   - lostRefresh: The consequence of a refresh whose response was lost. Default: the session ends.
    ///   - transport: The HTTP transport used for every request.
    ///   - clock: The time, and the waiting. Default: the system's.
    ///   - events: Called with the outcome of every refresh, and for every session that cannot be refreshed; it must
    ///     not block. Default: none.
    ///   - verdicts: Called with the checks of every response that failed one, with the values found and expected,
    ///     for a log; it must not block, and nothing in it is secret. Default: none.
    public init(
        client: Client,
        keys: KeySource,
        server: AuthorizationServer? = nil,
        store: any Store,
        sealing: SealingKeys,
        dpop: ProofChecking,
        lifetimes: Lifetimes = Lifetimes(),
        lostRefresh: LostRefresh = .ends,
        transport: any HTTPTransport,
        clock: DeviceClock = .server,
        events: @escaping @Sendable (Event) -> Void = { _ in },
        verdicts: @escaping @Sendable (Verdict) -> Void = { _ in }
    ) {
        self.client = client
        self.keys = keys
        self.store = store
        self.sealing = sealing
        proofs = dpop
        self.lifetimes = lifetimes
        self.lostRefresh = lostRefresh
        self.transport = transport
        self.clock = clock
        limiter = RequestLimiter(clock: clock)
        report = events
        reportVerdict = verdicts
        isPublished = server == nil
        context = ExchangeContext(clock: ServerClock(clock), random: { SystemRandomNumberGenerator() })
        metadata = IssuerMetadata(
            issuer: keys.issuer,
            server: server,
            transport: transport,
            context: context,
            now: clock.now
        )
    }

    /// Begins a session with the tokens of a sign-in.
    ///
    /// - Parameters:
    ///   - tokens: The tokens.
    ///   - keyThumbprint: The key that the app has proven, and must prove on every use; `nil` for the session of a
    ///     browser, whose handle is a cookie.
    /// - Returns: The handle, for the app or the browser alone; the store has only its digest.
    /// - Throws: The failure of the store; there is no session then.
    func begin(
        _ tokens: TokenSet,
        keyThumbprint: String?
    ) async throws(StorageFailure) -> Secret {
        var random = SystemRandomNumberGenerator()
        let handle = Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        let id = id(of: handle)
        let now = clock.now()
        let identity = tokens.identity
        var record = ServerSessionRecord(
            id: id,
            issuer: tokens.issuer.description,
            subject: identity?.subject ?? "",
            sessionID: identity?.claims["sid"]?.string,
            keyThumbprint: keyThumbprint,
            created: now,
            absoluteExpiry: absoluteExpiry(of: tokens, at: now),
            idleExpiry: min(now.addingTimeInterval(lifetimes.idle.inSeconds), absoluteExpiry(of: tokens, at: now)),
            sealed: []
        )
        record.sealed = try seal(tokens, userInfo: nil, received: now, for: record)
        guard try await isBegun(record, until: now.addingTimeInterval(Self.beginTime)) else {
            await revokeLater(tokens)
            throw .unavailable
        }
        report(.began)
        if tokens.refreshToken == nil { report(.notRenewable) }
        return Secret(handle)
    }

    /// The time for which storing the tokens of a sign-in is retried, in seconds: a code can be redeemed once.
    private static let beginTime: Double = 20

    /// Stores a new session, and retries while the store cannot be reached.
    private func isBegun(_ record: ServerSessionRecord, until end: Date) async throws(StorageFailure) -> Bool {
        do throws(StorageFailure) {
            return try await clock.repeating(until: end) { () async throws(StorageFailure) in
                if try await store.insert(record) { return true }
                // An earlier attempt that threw may have succeeded nevertheless.
                return try await store.session(record.id, now: clock.now())?.sealed == record.sealed
            }
        } catch {
            return false
        }
    }

    /// Waits until no refresh and no sign-in is in progress; call it before the process ends, and before its store is
    /// closed.
    ///
    /// A presented refresh token is used up, so the tokens of its response must be stored. Each takes a minute at most.
    public func settle() async { await flights.settle() }

    /// The issuer's metadata: the cached one, while it is fetched again.
    func server() async throws(SignInError) -> AuthorizationServer {
        let (server, isDue) = try await metadata.serverAtAnyAge()
        if isDue { Task { [metadata] in _ = try? await metadata.server() } }
        return server
    }

    /// The absolute expiry of a session that begins with these tokens: with the access token, when there is no refresh
    /// token.
    func absoluteExpiry(of tokens: TokenSet, at now: Date) -> Date {
        let end = now.addingTimeInterval(lifetimes.absolute.inSeconds)
        guard tokens.refreshToken == nil, let expiry = tokens.expiry else { return end }
        return min(end, expiry)
    }

    /// Returns the session of a request.
    ///
    /// - Throws: ``SessionRefusal``, whose response is a challenge.
    public func session(of request: ServerRequest) async throws(SessionRefusal) -> ServerSession {
        guard case .token(.dpop, let handle) = AccessTokenCredentials(in: request.fields) else {
            throw refusal(.noHandle)
        }
        let now = clock.now()
        let proof: DPoPProofCheck.Proof
        do throws(ProofRefusal) {
            proof = try proofs.proof(of: request, token: handle, at: now)
        } catch {
            throw refusal(.proof(error))
        }
        let record: ServerSessionRecord?
        do throws(StorageFailure) {
            record = try await unlessRetired(store.session(id(of: handle.reveal()), now: now))
            // Opening the seal proves that this service wrote the record's user, key and times.
            if let record { _ = try content(of: record) }
        } catch {
            throw refusal(.storeUnavailable(error))
        }
        guard let record else { throw refusal(.ended) }
        let isHolder = record.keyThumbprint.map { constantTimeEqual($0, proof.thumbprint) } ?? false
        guard NamedCheck.holds("session.key", isHolder) else { throw refusal(.otherKey) }
        try await remember(proof, at: now)
        return ServerSession(record: await used(record, at: now))
    }

    /// Ends a session that a retired key has sealed: it cannot be opened any more.
    func unlessRetired(_ record: ServerSessionRecord?) async throws(StorageFailure) -> ServerSessionRecord? {
        guard let record, sealing.isRetired(record.sealed) else { return record }
        try await store.remove(record.id)
        return nil
    }

    /// Extends an idle session once a tenth of the idle time is over, so that not every use is a write.
    func used(_ record: ServerSessionRecord, at now: Date) async -> ServerSessionRecord {
        let end = lifetimes.idleExpiry(of: record, at: now)
        guard end.timeIntervalSince(record.idleExpiry) >= lifetimes.idle.inSeconds / 10 else { return record }
        var used = record
        used.idleExpiry = end
        // If the store fails now, the next request tries again.
        guard (try? await store.extendIdle(record.id, until: end, now: now)) ?? false else { return record }
        return used
    }

    /// The thumbprint of the key that a request without a token proves.
    func provenKey(of request: ServerRequest) async throws(SessionRefusal) -> String {
        let now = clock.now()
        let proof: DPoPProofCheck.Proof
        do throws(ProofRefusal) {
            proof = try proofs.proof(of: request, token: nil, at: now)
        } catch {
            throw refusal(.proof(error))
        }
        try await remember(proof, at: now)
        return proof.thumbprint
    }

    private func remember(_ proof: DPoPProofCheck.Proof, at now: Date) async throws(SessionRefusal) {
        let failure: StorageFailure?
        do throws(ProofRefusal) { failure = try await proofs.remember(proof, at: now) } catch {
            throw refusal(.proof(error))
        }
        if let failure { throw refusal(.storeUnavailable(failure)) }
    }

    // MARK: Pieces

    /// A handle names a session of this issuer and client alone: another issuer's `sub` may be another user, and
    /// another client's users have not signed in to this one, whatever store they share.
    func id(of handle: String) -> StoreDigest {
        StoreDigest("session", [keys.issuer.description, client.id, handle])
    }

    /// The place that sealed tokens are bound to: neither another session's tokens nor other names can be put there.
    func place(of record: ServerSessionRecord) -> StoreDigest {
        StoreDigest(
            "session tokens",
            [keys.issuer.description, client.id, Base64URL.encode(record.id.bytes), record.issuer, record.subject]
                + [record.sessionID, record.keyThumbprint].map { $0.map { "=" + $0 } ?? "" }
        )
    }

    /// The members of the sealed tokens with the claims of a UserInfo response, and with the time at which they were read anew, in seconds
    /// since 1970.
    private static let userInfo = "user_info"
    private static let userInfoRead = "user_info_read"
    /// The member with the time at which the access token was received, in seconds since 1970.
    private static let received = "access_token_received"
    /// The members with the beginning and the absolute end of the session, in seconds since 1970.
    private static let created = "session_created"
    private static let absoluteExpiry = "session_expires"

    /// The claims of a UserInfo response.
    struct UserInfo {
        let claims: JSONObject
        /// The time at which they were read; `nil` for those of the sign-in.
        let read: Date?
    }

    func seal(
        _ tokens: TokenSet,
        userInfo: UserInfo?,
        received: Date?,
        for record: ServerSessionRecord
    ) throws(StorageFailure) -> [UInt8] {
        guard var stored = try? tokens.stored() else { throw .unavailable }
        stored[Self.userInfo] = userInfo.map { .object($0.claims) }
        stored[Self.received] = received.map { .number($0.timeIntervalSince1970) }
        stored[Self.userInfoRead] = userInfo?.read.map { .number($0.timeIntervalSince1970) }
        stored[Self.created] = .number(record.created.timeIntervalSince1970)
        stored[Self.absoluteExpiry] = .number(record.absoluteExpiry.timeIntervalSince1970)
        return try sealing.seal(stored.encoded(), for: place(of: record))
    }

    /// The sealed members of a session.
    ///
    /// Opening them proves that this service wrote the record's user, key, beginning and absolute end: who can write to
    /// the store cannot prolong a session.
    ///
    /// - Throws: `corrupted` for a record that was changed.
    func content(of record: ServerSessionRecord) throws(StorageFailure) -> JSONObject {
        let bytes = try sealing.open(record.sealed, for: place(of: record))
        guard let object = try? JSONObject(parsing: bytes),
            Self.isEqual(object[Self.created], to: record.created),
            Self.isEqual(object[Self.absoluteExpiry], to: record.absoluteExpiry)
        else { throw .corrupted }
        return object
    }

    /// Whether a sealed time is a record's, which a store may have rounded to a millisecond.
    ///
    /// A session that an earlier version sealed has no such times.
    private static func isEqual(_ sealed: JSONValue?, to time: Date) -> Bool {
        guard let sealed else { return true }
        guard let seconds = sealed.number else { return false }
        return abs(seconds - time.timeIntervalSince1970) < 0.002
    }

    func open(_ record: ServerSessionRecord) throws(StorageFailure) -> TokenSet {
        guard let tokens = try? TokenSet(stored: content(of: record)) else { throw .corrupted }
        return tokens
    }

    /// The claims about the user that were stored beside the tokens.
    func userInfo(of record: ServerSessionRecord) throws(StorageFailure) -> UserInfo? {
        let object = try content(of: record)
        return object[Self.userInfo]?.object.map { claims in
            UserInfo(claims: claims, read: object[Self.userInfoRead]?.number.map { Date(timeIntervalSince1970: $0) })
        }
    }

    /// The time at which a session's access token was received; `nil` where it was not recorded.
    func received(of record: ServerSessionRecord) throws(StorageFailure) -> Date? {
        try content(of: record)[Self.received]?.number.map { Date(timeIntervalSince1970: $0) }
    }

    func refusal(_ reason: SessionRefusal.Reason) -> SessionRefusal {
        SessionRefusal(reason, proofs: proofs, now: clock.now())
    }
}

/// A session whose handle and key a request has presented.
public struct ServerSession: Sendable, Hashable {
    let record: ServerSessionRecord

    /// The issuer that signed the user in (`iss`); the subject is unique at this issuer alone.
    public var issuer: String { record.issuer }
    /// The user's identifier at the issuer (`sub`).
    public var subject: String { record.subject }
    /// The time at which it began.
    public var created: Date { record.created }
    /// The time at which it ends, whether or not it is used.
    public var expiry: Date { record.absoluteExpiry }
    /// The name of the session in a list of the user's sessions, which cannot be used as a handle.
    public var name: String { Base64URL.encode(record.id.bytes) }
    /// Whether it is the session of a browser, and not of an app with a key.
    public var isOfBrowser: Bool { record.keyThumbprint == nil }
}

extension ServerSession: CustomStringConvertible, CustomReflectable {
    /// A part of its digest.
    public var description: String { "ServerSession(\(record.id))" }
    /// A part of its digest.
    public var customMirror: Mirror { Mirror(self, children: ["id": record.id]) }
}
