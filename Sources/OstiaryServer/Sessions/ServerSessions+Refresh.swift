import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Access tokens of a session, renewed by one instance at a time.
extension ServerSessions {
    /// How long a lease holds, in seconds: longer than the refresh, the keys for its answer and the store take, each with its
    /// deadline.
    static let leaseLifetime: Double = 60
    /// How long somebody waits for another's refresh, in seconds.
    private static let patience: Double = 20
    /// How long a token has to be good yet to be of any use, in seconds.
    private static let leastValidity: Double = 5

    /// What came of an attempt to renew a token.
    private enum Attempt {
        case token(Secret)
        /// Another instance renews it.
        case held
        /// The session was renewed meanwhile.
        case superseded
        /// The refresh token may be used up, no answer took its place, and no token is good any more: the session has ended.
        case lost(SignInError)
    }

    /// The access token of a session, good for a minute at least and for a tenth of its life, or for half its life where the issuer
    /// gives shorter ones.
    ///
    /// When it cannot be renewed now, one that is good for some seconds yet is handed out all the same. The refresh goes on
    /// when the caller is cancelled; ``settle()`` waits for it.
    ///
    /// An issuer that asked for quiet, did not answer, or has failed five times in a row is left alone by all sessions, for a
    /// time that doubles up to half a minute, and one session is left alone for as long as `Retry-After` says. Until then
    /// calls throw the last failure with `retryAfter`.
    ///
    /// - Parameters:
    ///   - session: Whose.
    ///   - refused: An access token that a resource server has refused: another one is needed, though this one is not due.
    ///     Default: none.
    /// - Throws: `signInRequired` at stage `refresh` when the session has ended, or nobody knows what came of its refresh
    ///   token; `storage`; `cancelled`; and what the issuer answered, after which the session is as it was. Where the refresh
    ///   token may be used up and nothing took its place, the call that finds so throws what happened, and the session has
    ///   ended. After two responses in a row that failed a check, the next refresh waits for a time that doubles, from 1 to
    ///   60 seconds; until then the call throws the same failure with `retryAfter`.
    public func accessToken(
        of session: ServerSession,
        insteadOf refused: Secret? = nil
    ) async throws(SignInError) -> Secret {
        let id = session.record.id
        let record = try await current(id)
        let tokens = try stored { () throws(StorageFailure) in try open(record) }
        let now = clock.now()
        guard isDue(tokens, of: record, insteadOf: refused, at: now) else { return tokens.accessToken }
        let name = SessionFlights.Name(session: id, refused: refused)
        if flights.current(name) != nil, isUsable(tokens, insteadOf: refused, at: now) {
            report(.stale)
            return tokens.accessToken
        }
        let flight = flights.join(name) { await self.renewed(id, insteadOf: refused) }
        guard let outcome = await flight.sharedValue() else { throw SignInError(.refresh, .cancelled) }
        return try outcome.get()
    }

    /// Whether a token has to be renewed.
    func isDue(_ tokens: TokenSet, of record: ServerSessionRecord, insteadOf refused: Secret?, at now: Date)
        -> Bool
    {
        tokens.accessToken == refused || !tokens.isFresh(at: now, for: Self.validity(of: tokens, in: record))
    }

    /// Whether a token that is due is of use for some seconds yet.
    private func isUsable(_ tokens: TokenSet, insteadOf refused: Secret?, at now: Date) -> Bool {
        tokens.accessToken != refused && tokens.isFresh(at: now, for: Self.leastValidity)
    }

    private func renewed(_ id: StoreDigest, insteadOf refused: Secret?) async -> SessionFlights.Outcome {
        do throws(SignInError) {
            return .success(try await renewal(of: id, insteadOf: refused))
        } catch {
            return .failure(error)
        }
    }

    /// Renews a token, or waits until another instance has.
    private func renewal(of id: StoreDigest, insteadOf refused: Secret?) async throws(SignInError) -> Secret {
        let began = clock.uptime()
        var pause = 0.02
        var hasWaited = false
        while true {
            let record = try await current(id)
            let tokens = try stored { () throws(StorageFailure) in try open(record) }
            let now = clock.now()
            guard isDue(tokens, of: record, insteadOf: refused, at: now) else {
                if hasWaited { report(.waited) }
                return tokens.accessToken
            }
            let isUsable = isUsable(tokens, insteadOf: refused, at: now)
            let loss: SignInError
            do throws(SignInError) {
                if let refusal = holdOffs.refusal(of: record.id, now: now, uptime: clock.uptime()) { throw refusal }
                switch try await attempt(record, tokens, isUsable: isUsable) {
                case .token(let token): return token
                case .superseded: continue
                case .lost(let error): loss = error
                case .held:
                    if isUsable {
                        report(.stale)
                        return tokens.accessToken
                    }
                    hasWaited = true
                    guard clock.uptime() - began < Self.patience else { throw SignInError(.refresh, .timedOut) }
                    try await wait(&pause)
                    continue
                }
            } catch {
                guard isUsable, !error.endsSession else {
                    if !error.endsSession { report(.failed) }
                    throw error
                }
                report(.stale)
                return tokens.accessToken
            }
            report(.lost)
            throw loss
        }
    }

    private func wait(_ pause: inout Double) async throws(SignInError) {
        do { try await clock.sleep(pause) } catch { throw SignInError(.refresh, .cancelled) }
        pause = min(pause * 2, 0.5)
    }

    /// Sessions that began together are not renewed together.
    private static func validity(of tokens: TokenSet, in record: ServerSessionRecord) -> TokenValidity {
        let margin = max(60, (tokens.access.lifetime ?? 0) / 10)
        return .usually(margin * (1 + Double(record.id.bytes[0]) / 1280))
    }

    private func attempt(
        _ record: ServerSessionRecord,
        _ tokens: TokenSet,
        isUsable: Bool
    ) async throws(SignInError) -> Attempt {
        guard tokens.refreshToken != nil else {
            // It cannot be renewed: it is good until its end.
            guard isUsable else { throw SignInError(.refresh, .signInRequired) }
            return .token(tokens.accessToken)
        }
        let isProbe = try await admit()
        defer { if isProbe { issuerHoldOff.release() } }
        // What a refresh needs besides is there before the lease is: nothing but the refresh itself uses that up.
        let server: AuthorizationServer
        do throws(SignInError) {
            server = try await self.server()
        } catch {
            note(error)
            throw error
        }
        if tokens.identity != nil { try? await keys.warm() }
        let now = clock.now()
        let answer = try await asked { () async throws(StorageFailure) in
            try await store.lease(
                record.id,
                version: record.version,
                owner: Self.newOwner(),
                until: now.addingTimeInterval(Self.leaseLifetime),
                now: now
            )
        }
        switch answer {
        case .superseded: return .superseded
        case .held: return .held
        case .lost:
            if isUsable { return .token(tokens.accessToken) }
            // The token may have been used by an instance that died; showing it again would be taken for a theft.
            try await remove(record)
            report(.lost)
            throw SignInError(.refresh, .signInRequired)
        case .granted(let lease):
            return try await refresh(record, tokens, isUsable: isUsable, at: server, under: lease)
        }
    }

    /// Lets a caller to the issuer, unless that is to be left alone; after a failure one caller first looks whether it answers,
    /// since a refresh token that is shown to a server that hangs is lost.
    ///
    /// - Returns: Whether the others wait for what this caller finds.
    private func admit() async throws(SignInError) -> Bool {
        switch issuerHoldOff.admission(at: clock.uptime()) {
        case .free: return false
        case .refused(let error): throw error
        case .probe: break
        }
        guard isPublished else { return true }
        do throws(SignInError) {
            _ = try await transport.perform(ServerMetadataRequest(keys.issuer), in: context)
        } catch {
            // A document that is not there is an answer, too.
            guard error.isOfIssuer else { return true }
            note(error)
            throw error
        }
        return true
    }

    /// Takes a failure of the issuer into account.
    private func note(_ error: SignInError) {
        issuerHoldOff.note(error, at: clock.uptime(), jitter: Double.random(in: 0...1))
    }

    /// Takes a failed refresh into account, for its session and for all of them.
    private func note(_ error: SignInError, of record: ServerSessionRecord) {
        holdOffs.note(error, of: record.id, now: clock.now(), uptime: clock.uptime())
        switch error.reason {
        // It said no to one session: it answers.
        case .refused where !error.isOfIssuer, .server where !error.isOfIssuer:
            issuerHoldOff.reset(at: clock.uptime())
        default: note(error)
        }
    }

    /// Shows the refresh token of a lease, and keeps what it brings.
    private func refresh(
        _ record: ServerSessionRecord,
        _ tokens: TokenSet,
        isUsable: Bool,
        at server: AuthorizationServer,
        under lease: RefreshLease
    ) async throws(SignInError) -> Attempt {
        guard try await mayShow(lease) else { return .superseded }
        let requested = clock.now()
        let answer: RefreshAnswer
        do throws(SignInError) {
            let exchange = RefreshExchange(try RefreshGrant(tokens), client: client, server: server)
            answer = try await transport.perform(exchange, in: context)
        } catch {
            note(error, of: record)
            let isLost = try await settle(error, record, lease)
            guard isLost, !isUsable else { throw error }
            return await lose(record, error)
        }
        issuerHoldOff.reset(at: clock.uptime())
        let (result, successor) = await checked(answer, of: record, requested: requested)
        switch result {
        case .success(let renewed):
            holdOffs.forget(record.id)
            let token = try await keep(renewed, in: record, under: lease)
            report(.renewed)
            return .token(token)
        case .failure(let error):
            let isLost = try await spare(successor, of: tokens, in: record, under: lease)
            guard isLost, !isUsable else { throw error }
            return await lose(record, error)
        }
    }

    /// Ends a session at once that would be lost when its lease runs out: nobody is to wait for that.
    ///
    /// Where the store cannot be told, the lease runs out.
    private func lose(_ record: ServerSessionRecord, _ error: SignInError) async -> Attempt {
        try? await remove(record)
        return .lost(error)
    }

    /// Makes every check of an answer.
    ///
    /// - Returns: The tokens if they may be handed out, and the refresh token to keep if they may not.
    private func checked(
        _ answer: RefreshAnswer,
        of record: ServerSessionRecord,
        requested: Date
    ) async -> (Result<TokenSet, SignInError>, RefreshSuccessor<Secret>) {
        switch answer {
        case .malformed(let error, let successor):
            rejected(error, of: record)
            return (.failure(error), successor)
        case .response(let response):
            let verifier = TokenResponseVerifier(
                keys: keys.keys,
                metadata: metadata,
                transport: transport,
                context: context,
                now: clock.now
            )
            do throws(SignInError) {
                let checked = try await verifier.check(
                    UncheckedResponse(response, requested: requested, keyFetches: keys.keys.fetches)
                )
                if case .failure(let error) = checked.tokens {
                    rejected(error, of: record)
                    reportVerdict(checked.verdict)
                }
                return (checked.tokens, checked.successor)
            } catch {
                // The next refresh costs another rotation, and may find the keys away, too.
                holdOffs.note(error, of: record.id, now: clock.now(), uptime: clock.uptime())
                return (.failure(error), response.successor)
            }
        }
    }

    /// Reports a response that failed a check, and puts the session's next refresh off.
    private func rejected(_ error: SignInError, of record: ServerSessionRecord) {
        report(.unusable)
        holdOffs.noteRejection(error, of: record.id, now: clock.now(), uptime: clock.uptime())
    }

    /// Keeps the refresh token of an answer that may not be handed out, for the next refresh, and nothing else of it.
    ///
    /// Of an answer about another session nothing is kept.
    ///
    /// - Returns: Whether the session is lost, since the old refresh token may be used up.
    private func spare(
        _ successor: RefreshSuccessor<Secret>,
        of tokens: TokenSet,
        in record: ServerSessionRecord,
        under lease: RefreshLease
    ) async throws(SignInError) -> Bool {
        switch successor {
        case .new(let next): _ = try await keep(tokens.rotated(to: next), in: record, under: lease)
        case .unchanged: await giveBack(lease)
        case .foreign: return true
        }
        return false
    }

    private func mayShow(_ lease: RefreshLease) async throws(SignInError) -> Bool {
        do throws(StorageFailure) {
            return try await store.markShown(lease, now: clock.now())
        } catch {
            // It may be marked all the same, and it is certainly not shown.
            await giveBack(lease)
            throw SignInError(.storage, .storage(error))
        }
    }

    private func keep(
        _ tokens: TokenSet,
        in record: ServerSessionRecord,
        under lease: RefreshLease
    ) async throws(SignInError) -> Secret {
        var next = record
        next.version += 1
        next.sealed = try stored { () throws(StorageFailure) in
            try seal(tokens, userInfo: userInfo(of: record), for: record)
        }
        next.idleExpiry = lifetimes.idleExpiry(of: record, at: clock.now())
        guard try await isKept(next, until: lease.expiry) else {
            // Somebody signed out meanwhile: the sign-out wins, and the new tokens are of no use to anybody.
            revokeLater(tokens)
            throw SignInError(.refresh, .signInRequired)
        }
        return tokens.accessToken
    }

    /// Puts a renewed session in its place, again and again while the store cannot be reached and the lease holds: what is not kept
    /// is lost, and the session with it.
    private func isKept(_ next: ServerSessionRecord, until end: Date) async throws(SignInError) -> Bool {
        try await stubbornly(until: end) { () async throws(StorageFailure) in
            if try await store.replace(with: next, now: clock.now()) { return true }
            // An earlier attempt that threw may have been made all the same.
            let found = try await store.session(next.id, now: clock.now())
            return found?.version == next.version && found?.sealed == next.sealed
        }
    }

    /// Gives a lease back whose refresh token was certainly not used.
    ///
    /// Where the store cannot be told for ten seconds, the lease runs out, and then the session is lost.
    func giveBack(_ lease: RefreshLease) async {
        let end = min(lease.expiry, clock.now().addingTimeInterval(10))
        _ = try? await stubbornly(until: end) { () async throws(StorageFailure) in
            try await store.giveBack(lease)
        }
    }

    /// Asks a store that may come back in time.
    private func stubbornly<T>(
        until end: Date,
        _ call: () async throws(StorageFailure) -> T
    ) async throws(SignInError) -> T {
        do throws(StorageFailure) { return try await clock.repeating(until: end, call) } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    /// Ends the session or gives the lease back, by what a failed refresh says of the refresh token.
    ///
    /// - Returns: Whether the session is lost, since the refresh token may be used up.
    private func settle(
        _ error: SignInError,
        _ record: ServerSessionRecord,
        _ lease: RefreshLease
    ) async throws(SignInError) -> Bool {
        switch error.reason {
        case .refused(let refusal) where refusal.endsSession:
            try await remove(record)
            report(.ended)
            return false
        // A server that failed in the middle may have used it.
        case .refused(let refusal) where refusal.code == .serverError: return true
        case .refused, .configuration, .unsupported, .server(status: 400..<500), .server(status: 503),
            .transport(.unreachable), .transport(.unknownHost), .transport(.tls), .transport(.insecureURL),
            .transport(.invalidRequest):
            // The issuer never saw the token, or said no to something else.
            await giveBack(lease)
            return false
        default: return true
        }
    }

    /// Removes a session, unless it was renewed since it was read.
    private func remove(_ record: ServerSessionRecord) async throws(SignInError) {
        try await asked { () async throws(StorageFailure) in
            _ = try await store.remove(record.id, version: record.version)
        }
    }

    func current(_ id: StoreDigest) async throws(SignInError) -> ServerSessionRecord {
        let found = try await asked { () async throws(StorageFailure) in try await store.session(id, now: clock.now()) }
        guard let found else { throw SignInError(.refresh, .signInRequired) }
        return found
    }

    func asked<T>(_ call: () async throws(StorageFailure) -> T) async throws(SignInError) -> T {
        do throws(StorageFailure) { return try await call() } catch { throw SignInError(.storage, .storage(error)) }
    }

    func stored<T>(_ call: () throws(StorageFailure) -> T) throws(SignInError) -> T {
        do throws(StorageFailure) { return try call() } catch { throw SignInError(.storage, .storage(error)) }
    }

    static func newOwner() -> String {
        var random = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }
}

extension SignInError {
    /// Whether the session is over, so that no token of it is good any more.
    fileprivate var endsSession: Bool {
        switch reason {
        case .signInRequired: true
        case .refused(let refusal): refusal.endsSession
        default: false
        }
    }
}
