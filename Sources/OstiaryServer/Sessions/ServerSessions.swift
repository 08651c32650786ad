import HTTPTypes
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The sessions of an app's users, whose tokens the backend holds.
///
/// The app has a handle, 256 random bits, and a key. It shows the handle as a DPoP token with a proof by that key, so a handle that
/// leaks is of no use (RFC 9449 section 7.1). Tokens are sealed at rest. Of all instances one refreshes a session at a time; the others wait and read
/// what it brought, and no refresh token is shown twice.
public struct ServerSessions: Sendable {
    /// Where sessions are kept.
    public typealias Store = ServerSessionStore & RefreshLeaseStore

    /// How long sessions last.
    public struct Lifetimes: Sendable, Hashable {
        /// From its beginning, however it is used, in seconds.
        public var absolute: Double
        /// From its last use, in seconds.
        public var idle: Double
        /// 30 days, and 7 without use, unless told otherwise.
        public init(absolute: Double = 2_592_000, idle: Double = 604_800) {
            self.absolute = max(absolute, 60)
            self.idle = min(max(idle, 60), max(absolute, 60))
        }

        /// When a session that is used now ends unless it is used again.
        func idleExpiry(of session: ServerSessionRecord, at now: Date) -> Date {
            min(now.addingTimeInterval(idle), session.absoluteExpiry)
        }
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
    let transport: any HTTPTransport
    let context: ExchangeContext
    let clock: DeviceClock
    let holdOffs = SessionHoldOffs()
    let issuerHoldOff = IssuerHoldOff()
    let flights = SessionFlights()
    let revocations = RevocationQueue()
    /// The sessions whose last UserInfo request failed a moment ago, in at most 1 MiB.
    let userInfoFailures = BoundedCache<StoreDigest, Date>(maximumBytes: 1_048_576)
    /// Until when senders have to wait who ask too often, in at most 1 MiB.
    let limited = BoundedCache<StoreDigest, Date>(maximumBytes: 1_048_576)
    let report: @Sendable (Event) -> Void
    let reportVerdict: @Sendable (Verdict) -> Void

    /// Keeps the sessions of a client of one issuer.
    ///
    /// - Parameters:
    ///   - client: The backend as the issuer knows it.
    ///   - keys: The issuer's keys.
    ///   - server: The issuer's metadata, for one that publishes none; otherwise it is read when it is needed.
    ///   - store: One that all instances share.
    ///   - sealing: Seals the tokens.
    ///   - proofs: How the app's proofs are checked.
    ///   - lifetimes: How long sessions last.
    ///   - transport: What carries requests.
    ///   - clock: The time, and the waiting. Default: the system's.
    ///   - report: Told what came of each token that had to be renewed, and of each session that cannot be; it may not block.
    ///     Default: nobody is told.
    ///   - reportVerdict: Receives the checks of each answer that failed one, with the values found and expected, for a
    ///     log; it may not block, and nothing in it is secret. Default: they are dropped.
    public init(
        client: Client,
        keys: KeySource,
        server: AuthorizationServer? = nil,
        store: any Store,
        sealing: SealingKeys,
        proofs: ProofChecking,
        lifetimes: Lifetimes = Lifetimes(),
        transport: any HTTPTransport,
        clock: DeviceClock = .server,
        reporting report: @escaping @Sendable (Event) -> Void = { _ in },
        reportingVerdicts reportVerdict: @escaping @Sendable (Verdict) -> Void = { _ in }
    ) {
        self.client = client
        self.keys = keys
        self.store = store
        self.sealing = sealing
        self.proofs = proofs
        self.lifetimes = lifetimes
        self.transport = transport
        self.clock = clock
        self.report = report
        self.reportVerdict = reportVerdict
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

    /// Begins a session with tokens that a sign-in brought.
    ///
    /// - Parameters:
    ///   - tokens: The tokens.
    ///   - userInfo: Claims about the user besides those of the ID token.
    ///   - keyThumbprint: The key that the app has proven, and has to prove on each use; `nil` for the session of a browser,
    ///     whose handle is a cookie.
    /// - Returns: The handle, for the app or the browser alone; the store has only its digest.
    func begin(
        _ tokens: TokenSet,
        userInfo: JSONObject? = nil,
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
            idleExpiry: min(now.addingTimeInterval(lifetimes.idle), absoluteExpiry(of: tokens, at: now)),
            sealed: []
        )
        record.sealed = try seal(tokens, userInfo: userInfo.map { UserInfo(claims: $0, read: nil) }, for: record)
        guard try await isBegun(record, until: now.addingTimeInterval(Self.beginTime)) else {
            revokeLater(tokens)
            throw .unavailable
        }
        if tokens.refreshToken == nil { report(.notRenewable) }
        return Secret(handle)
    }

    /// The time for which storing the tokens of a sign-in is retried, in seconds: a code is valid once.
    private static let beginTime: Double = 20

    /// Keeps a session that begins, again and again while the store cannot be reached.
    private func isBegun(_ record: ServerSessionRecord, until end: Date) async throws(StorageFailure) -> Bool {
        do throws(StorageFailure) {
            return try await clock.repeating(until: end) { () async throws(StorageFailure) in
                if try await store.insert(record) { return true }
                // An earlier attempt that threw may have been made all the same.
                return try await store.session(record.id, now: clock.now())?.sealed == record.sealed
            }
        } catch {
            return false
        }
    }

    /// Waits until no refresh and no sign-in is under way any more: before a process ends, and before its store is closed.
    ///
    /// A refresh token that was shown is used up, so what its answer brings has to be kept. Each takes a minute at most.
    public func settle() async { await flights.settle() }

    /// The issuer's metadata: what is known, while it is read anew.
    func server() async throws(SignInError) -> AuthorizationServer {
        let (server, isDue) = try await metadata.serverAtAnyAge()
        if isDue { Task { [metadata] in _ = try? await metadata.server() } }
        return server
    }

    /// When a session that begins with these tokens ends, however it is used: with the access token, when there is no
    /// refresh token.
    func absoluteExpiry(of tokens: TokenSet, at now: Date) -> Date {
        let end = now.addingTimeInterval(lifetimes.absolute)
        guard tokens.refreshToken == nil, let expiry = tokens.expiry else { return end }
        return min(end, expiry)
    }

    /// The session that a request is for.
    ///
    /// - Throws: ``SessionRefusal``, whose answer is a challenge.
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
            // Whose it is, and whose key it asks for, is as this service has written it.
            if let record { _ = try sealing.open(record.sealed, for: place(of: record)) }
        } catch {
            throw refusal(.storeUnavailable(error))
        }
        guard let record else { throw refusal(.ended) }
        let isHolder = record.keyThumbprint.map { constantTimeEqual($0, proof.thumbprint) } ?? false
        guard NamedCheck.holds("session.key", isHolder) else { throw refusal(.otherKey) }
        try await remember(proof, at: now)
        return ServerSession(record: await used(record, at: now))
    }

    /// Ends a session that a retired key has sealed: nobody can open it any more.
    func unlessRetired(_ record: ServerSessionRecord?) async throws(StorageFailure) -> ServerSessionRecord? {
        guard let record, sealing.isRetired(record.sealed) else { return record }
        try await store.remove(record.id)
        return nil
    }

    /// Puts the end of an idle session off, when a tenth of that time is over: not each use is written down.
    func used(_ record: ServerSessionRecord, at now: Date) async -> ServerSessionRecord {
        let end = lifetimes.idleExpiry(of: record, at: now)
        guard end.timeIntervalSince(record.idleExpiry) >= lifetimes.idle / 10 else { return record }
        var used = record
        used.idleExpiry = end
        // A store that cannot do it now is asked again by the next request.
        guard (try? await store.putOff(record.id, until: end, now: now)) ?? false else { return record }
        return used
    }

    /// The thumbprint of the key that a request proves, without a token.
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

    /// Ends a session here, and revokes its refresh token at the issuer if that can be done.
    ///
    /// The caller does not wait for the issuer, which gets four revocations at a time. One that fails for a passing reason is tried
    /// three times, after 1 and 5 seconds or the issuer's `Retry-After` of up to 30, and then reported as ``Event/notRevoked``.
    /// ``settle()`` waits for it, but not for another attempt.
    public func end(_ session: ServerSession) async throws(StorageFailure) {
        var record = session.record
        for _ in 0..<8 {
            guard try await !store.remove(record.id, version: record.version) else { return revokeLater(record) }
            // A refresh has replaced the session since it was read: what counts is the token that it brought.
            guard let current = try await store.session(record.id, now: clock.now()) else { return }
            record = current
        }
        try await store.remove(record.id)
        revokeLater(record)
    }

    /// Revokes the refresh token of a session that was removed; nothing happens for a session of another client.
    func revokeLater(_ record: ServerSessionRecord) {
        guard let tokens = try? open(record) else { return }
        revokeLater(tokens)
    }

    /// Revokes a refresh token at the issuer, if that can be done.
    func revokeLater(_ tokens: TokenSet) {
        guard let token = tokens.refreshToken else { return }
        switch revocations.add(token) {
        case .full: report(.notRevoked)
        case .queued: break
        case .needsWorker:
            flights.start { while let next = self.revocations.next() { await self.revoke(next) } }
        }
    }

    /// The longest time for which a revocation waits, in seconds.
    private static let longestPause: Double = 30

    private func revoke(_ token: Secret) async {
        var pauses = [1.0, 5]
        while true {
            do throws(SignInError) {
                if let refusal = issuerHoldOff.refusal(at: clock.uptime()) { throw refusal }
                let server = try await server()
                guard server.revocationEndpoint != nil else { return }
                return try await transport.perform(
                    RevocationRequest(token, kind: .refreshToken, client: client, server: server),
                    in: context
                )
            } catch {
                guard !flights.isSettling else {
                    // The process ends: what waits for an issuer that fails now does not keep it.
                    for _ in 0...revocations.removeAll() { report(.notRevoked) }
                    return
                }
                let pause = max(pauses.isEmpty ? .infinity : pauses.removeFirst(), error.retryAfter ?? 0)
                guard error.isOfIssuer, pause <= Self.longestPause, (try? await clock.sleep(pause)) != nil else {
                    return report(.notRevoked)
                }
            }
        }
    }

    // MARK: Pieces

    /// A handle names a session of this issuer and client alone: another one's `sub` may mean another person, and another client's
    /// users have not signed in to this one, whatever store they share.
    func id(of handle: String) -> StoreDigest {
        StoreDigest("session", [keys.issuer.description, client.id, handle])
    }

    /// What sealed tokens are bound to: another session's cannot be put there, nor the names beside them be changed.
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

    /// The claims of a UserInfo response.
    struct UserInfo {
        let claims: JSONObject
        /// The time at which they were read; `nil` for those of the sign-in.
        let read: Date?
    }

    func seal(
        _ tokens: TokenSet,
        userInfo: UserInfo?,
        for record: ServerSessionRecord
    ) throws(StorageFailure) -> [UInt8] {
        guard var stored = try? tokens.stored() else { throw .unavailable }
        stored[Self.userInfo] = userInfo.map { .object($0.claims) }
        stored[Self.userInfoRead] = userInfo?.read.map { .number($0.timeIntervalSince1970) }
        return try sealing.seal(stored.encoded(), for: place(of: record))
    }

    func open(_ record: ServerSessionRecord) throws(StorageFailure) -> TokenSet {
        let bytes = try sealing.open(record.sealed, for: place(of: record))
        guard let object = try? JSONObject(parsing: bytes), let tokens = try? TokenSet(stored: object) else {
            throw .corrupted
        }
        return tokens
    }

    /// The claims about the user that were stored beside the tokens.
    func userInfo(of record: ServerSessionRecord) throws(StorageFailure) -> UserInfo? {
        let bytes = try sealing.open(record.sealed, for: place(of: record))
        guard let object = try? JSONObject(parsing: bytes) else { throw .corrupted }
        return object[Self.userInfo]?.object.map { claims in
            UserInfo(claims: claims, read: object[Self.userInfoRead]?.number.map { Date(timeIntervalSince1970: $0) })
        }
    }

    func refusal(_ reason: SessionRefusal.Reason) -> SessionRefusal {
        SessionRefusal(reason, proofs: proofs, now: clock.now())
    }
}

/// A session that a request has shown the handle and the key of.
public struct ServerSession: Sendable, Hashable {
    let record: ServerSessionRecord

    /// The issuer that signed the user in (`iss`); the subject is unique at this issuer alone.
    public var issuer: String { record.issuer }
    /// Who the user is at the issuer (`sub`).
    public var subject: String { record.subject }
    /// The time at which it began.
    public var created: Date { record.created }
    /// When it ends, however it is used.
    public var expiry: Date { record.absoluteExpiry }
    /// The name of the session in a list of the user's sessions, which is of no use for anything else.
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
