import OstiaryCompatibility
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Access tokens of a session, refreshed by one instance at a time.
extension ServerSessions {
    /// The longest wait for another instance's refresh, in seconds.
    private static let patience: Double = 20
    /// The remaining validity that makes a token usable, in seconds.
    private static let leastValidity: Double = 5

    /// The result of an attempt to refresh a token.
    private enum Attempt {
        case token(Secret)
        /// Another instance is refreshing the session.
        case held
        /// The session was refreshed meanwhile.
        case superseded
        /// The refresh token may be used up without a replacement, and no access token is valid any more: the session
        /// has ended.
        case lost(SignInError)
    }

    /// Returns a valid access token of the session, refreshing it first if it is about to expire.
    ///
    /// It is valid for at least a minute and a tenth of its lifetime, or for half its lifetime where the issuer issues
    /// shorter ones. When the refresh fails, a token that is still valid for some seconds is returned nevertheless. The
    /// refresh continues when the caller is cancelled; ``settle()`` waits for it.
    ///
    /// An issuer that asked for it, did not answer, or has failed five times in a row is not contacted by any session,
    /// for a time that doubles up to half a minute. One session is not refreshed for as long as `Retry-After` says.
    /// Until then calls throw the last failure with `retryAfter`.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - refused: An access token that a resource server rejected: another one is required, even if this one has not
    ///     expired. Default: none.
    /// - Returns: The access token.
    /// - Throws: `signInRequired` at stage `refresh` when the session has ended, or the result of its refresh is
    ///   unknown; `storage`; `cancelled`; `timedOut` when another instance's refresh or the checks of the response take
    ///   too long; and the issuer's error, after which the session is unchanged. Where the
    ///   refresh token may be used up without a replacement, the call that finds so throws the failure, and the session
    ///   has ended. After two responses in a row that failed a check, the next refresh waits for a time that doubles,
    ///   from 1 to 60 seconds; until then the call throws the same failure with `retryAfter`. Where the refresh token
    ///   is presented again, it waits after the first response without tokens.
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

    /// Returns a valid access token of a session that was read for the request that is being served.
    ///
    /// Unlike ``accessToken(of:insteadOf:)`` it uses the tokens that ``session(of:)`` has read, and reads the store again only
    /// when a refresh is due. A session that another request ends meanwhile is therefore used once more.
    ///
    /// - Throws: The errors of ``accessToken(of:insteadOf:)``.
    public func accessToken(ofPresented session: ServerSession) async throws(SignInError) -> Secret {
        let record = session.record
        guard let tokens = try? open(record), !isDue(tokens, of: record, insteadOf: nil, at: clock.now()) else {
            return try await accessToken(of: session)
        }
        return tokens.accessToken
    }

    /// Whether a token must be refreshed.
    func isDue(_ tokens: TokenSet, of record: ServerSessionRecord, insteadOf refused: Secret?, at now: Date)
        -> Bool
    {
        tokens.accessToken == refused || !tokens.isFresh(at: now, for: Self.validity(of: tokens, in: record))
            || isOverdue(tokens, of: record, at: now)
    }

    /// The time after which an access token is refreshed whose lifetime neither the issuer nor the token states, in seconds.
    private static let assumedLifetime: Double = 3600

    /// The claims of an access token without `expires_in` that is a JWT with an `exp`, and that time.
    private func ownExpiry(of tokens: TokenSet) -> (claims: JSONObject, end: Date)? {
        guard tokens.expiry == nil, let token = try? UnverifiedJWT(tokens.accessToken.reveal()),
            let claims = token.unverifiedClaims, let end = claims.date("exp")
        else { return nil }
        return (claims, end)
    }

    /// Whether a token without `expires_in` is due: a minute before its own `exp`, or after half its lifetime where that is
    /// less than two minutes; without `exp` an hour after it was received.
    ///
    /// (RFC 6749 section 5.1 recommends `expires_in` and does not require it.)
    private func isOverdue(_ tokens: TokenSet, of record: ServerSessionRecord, at now: Date) -> Bool {
        guard tokens.expiry == nil, tokens.refreshToken != nil else { return false }
        // Sessions that older versions stored have no time of receipt.
        let received = (try? received(of: record)) ?? record.created
        if let (claims, end) = ownExpiry(of: tokens) {
            let lifetime = end.timeIntervalSince(claims.date("iat") ?? received)
            return now.addingTimeInterval(min(60, max(lifetime, 0) / 2)) >= end
        }
        return now.timeIntervalSince(received) >= Self.assumedLifetime
    }

    /// Whether a token that is due can be used for some seconds more.
    private func isUsable(_ tokens: TokenSet, insteadOf refused: Secret?, at now: Date) -> Bool {
        guard tokens.accessToken != refused, tokens.isFresh(at: now, for: .atLeast(Self.leastValidity)) else {
            return false
        }
        guard let (_, end) = ownExpiry(of: tokens) else { return true }
        return now.addingTimeInterval(Self.leastValidity) < end
    }

    private func renewed(_ id: StoreDigest, insteadOf refused: Secret?) async -> SessionFlights.Outcome {
        do throws(SignInError) {
            return .success(try await renewal(of: id, insteadOf: refused))
        } catch {
            return .failure(error)
        }
    }

    /// Refreshes a token, or waits until another instance has.
    private func renewal(of id: StoreDigest, insteadOf refused: Secret?) async throws(SignInError) -> Secret {
        let began = clock.uptime()
        var pause = Duration.milliseconds(20)
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
                guard isUsable, !error.endsServerSession else {
                    if !error.endsServerSession { report(.failed) }
                    throw error
                }
                report(.stale)
                return tokens.accessToken
            }
            report(.lost)
            throw loss
        }
    }

    private func wait(_ pause: inout Duration) async throws(SignInError) {
        do { try await clock.sleep(pause) } catch { throw SignInError(.refresh, .cancelled) }
        pause = min(pause * 2, .milliseconds(500))
    }

    /// A jitter, so that sessions that began together are not refreshed together.
    private static func validity(of tokens: TokenSet, in record: ServerSessionRecord) -> TokenValidity {
        let margin = max(60, (tokens.access.lifetime?.inSeconds ?? 0) / 10)
        return .usually(margin * (1 + Double(record.id.bytes[0]) / 1280))
    }

    private func attempt(
        _ record: ServerSessionRecord,
        _ tokens: TokenSet,
        isUsable: Bool
    ) async throws(SignInError) -> Attempt {
        guard tokens.refreshToken != nil else {
            // It cannot be refreshed: it is usable until it expires.
            guard isUsable else { throw SignInError(.refresh, .signInRequired) }
            return .token(tokens.accessToken)
        }
        let isProbe = try await admit()
        defer { if isProbe { issuerHoldOff.release() } }
        // Everything else that a refresh needs is fetched before the lease, whose time is for the refresh alone.
        let server: AuthorizationServer
        do throws(SignInError) {
            server = try await self.server()
        } catch {
            note(error)
            throw error
        }
        if tokens.identity != nil { try? await keys.warm() }
        let now = clock.now()
        let time = LeaseTime(clock)
        let answer = try await asked { () async throws(StorageFailure) in
            try await store.lease(
                record.id,
                version: record.version,
                owner: Self.newOwner(),
                until: now.addingTimeInterval(LeaseTime.lifetime),
                now: now
            )
        }
        switch answer {
        case .superseded: return .superseded
        case .held: return .held
        case .lost:
            // Nothing says when an opaque token of unstated lifetime ends: without a refresh it would stay in use for ever.
            let hasEnd = tokens.expiry != nil || ownExpiry(of: tokens) != nil
            if isUsable, hasEnd || !isOverdue(tokens, of: record, at: now) { return .token(tokens.accessToken) }
            // An instance that crashed may have used the token; presenting it again would look like an attack.
            try await remove(record)
            report(.lost)
            throw SignInError(.refresh, .signInRequired)
        case .granted(let lease):
            return try await refresh(record, tokens, isUsable: isUsable, at: server, under: lease, within: time)
        }
    }

    /// Admits a caller to the issuer, unless the issuer is not to be contacted.
    ///
    /// After a failure one caller first checks that it answers: a refresh token presented to a server that hangs is lost.
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
            // A document that does not exist is an answer as well.
            guard error.isOfIssuer else { return true }
            note(error)
            throw error
        }
        return true
    }

    /// Records a failure of the issuer.
    private func note(_ error: SignInError) {
        issuerHoldOff.note(error, at: clock.uptime(), jitter: Double.random(in: 0...1))
    }

    /// Records a failed refresh, for its session and for all of them.
    private func note(_ error: SignInError, of record: ServerSessionRecord) {
        holdOffs.note(error, of: record.id, now: clock.now(), uptime: clock.uptime())
        switch error.reason {
        // The issuer rejected one session's request, so it answers.
        case .refused where !error.isOfIssuer, .server where !error.isOfIssuer:
            issuerHoldOff.reset(at: clock.uptime())
        default: note(error)
        }
    }

    /// Presents the refresh token of a lease, and stores the result.
    private func refresh(
        _ record: ServerSessionRecord,
        _ tokens: TokenSet,
        isUsable: Bool,
        at server: AuthorizationServer,
        under lease: RefreshLease,
        within time: LeaseTime
    ) async throws(SignInError) -> Attempt {
        guard try await mayShow(lease, within: time) else { return .superseded }
        let requested = clock.now()
        let answer: RefreshAnswer
        let transport = time.bounding(transport)
        do throws(SignInError) {
            let exchange = RefreshExchange(try RefreshGrant(tokens), client: client, server: server)
            answer = try await transport.perform(exchange, in: context)
        } catch {
            let error = transport.refusal ?? error
            note(error, of: record)
            let isLost = try await settle(error, record, lease)
            guard isLost, !isUsable else { throw error }
            return await lose(record, error)
        }
        issuerHoldOff.reset(at: clock.uptime())
        let (result, successor) = await checked(answer, of: record, requested: requested, within: time)
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

    /// Ends at once a session that would be lost when its lease expires, so that no request waits for that.
    ///
    /// While the store is unavailable, the lease expires.
    private func lose(_ record: ServerSessionRecord, _ error: SignInError) async -> Attempt {
        try? await remove(record)
        return .lost(error)
    }

    /// Makes every check of a response that ends within the time of the lease.
    ///
    /// - Returns: The tokens if they may be used, and the refresh token to keep if they may not.
    private func checked(
        _ answer: RefreshAnswer,
        of record: ServerSessionRecord,
        requested: Date,
        within time: LeaseTime
    ) async -> (Result<TokenSet, SignInError>, RefreshSuccessor) {
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
            let unchecked = UncheckedResponse(response, requested: requested, keyFetches: keys.keys.fetches)
            do throws(SignInError) {
                let checked = try await checked(unchecked, by: verifier, within: time)
                if case .failure(let error) = checked.tokens {
                    rejected(error, of: record)
                    reportVerdict(checked.verdict)
                }
                return (checked.tokens, checked.successor)
            } catch {
                // The next refresh costs another rotation, and the keys may still be unavailable.
                holdOffs.note(error, of: record.id, now: clock.now(), uptime: clock.uptime())
                return (.failure(error), response.successor)
            }
        }
    }

    /// Makes every check of a response.
    ///
    /// - Throws: The error of a request that the checks need; `timedOut` when the time of the lease is over first.
    private func checked(
        _ unchecked: UncheckedResponse,
        by verifier: TokenResponseVerifier,
        within time: LeaseTime
    ) async throws(SignInError) -> CheckedResponse {
        if let checked = verifier.checkAtOnce(unchecked) { return checked }
        let result = await time.result { () async -> Result<CheckedResponse, SignInError> in
            do throws(SignInError) { return .success(try await verifier.check(unchecked)) } catch {
                return .failure(error)
            }
        }
        guard let result else { throw SignInError(.refresh, .timedOut) }
        return try result.get()
    }

    /// Reports a response that failed a check, and postpones the session's next refresh.
    private func rejected(_ error: SignInError, of record: ServerSessionRecord) {
        report(.unusable)
        holdOffs.noteRejection(error, of: record.id, now: clock.now(), uptime: clock.uptime())
    }

    /// Keeps the refresh token of a rejected response for the next refresh, and nothing else of it.
    ///
    /// Nothing is kept of a response about another session.
    ///
    /// - Returns: Whether the session is lost, since the old refresh token may be used up.
    private func spare(
        _ successor: RefreshSuccessor,
        of tokens: TokenSet,
        in record: ServerSessionRecord,
        under lease: RefreshLease
    ) async throws(SignInError) -> Bool {
        switch successor {
        case .new(let next): _ = try await keep(tokens.rotated(to: next), in: record, under: lease)
        case .unchanged: await release(lease)
        case .foreign: return true
        }
        return false
    }

    private func mayShow(_ lease: RefreshLease, within time: LeaseTime) async throws(SignInError) -> Bool {
        let failure: StorageFailure
        do throws(StorageFailure) {
            guard try await store.markShown(lease, now: clock.now()) else { return false }
            // After a slow store the request could not end before the lease does.
            if time.allows(EndpointRequest.Limits()) { return true }
            failure = .unavailable
        } catch {
            failure = error
        }
        // The mark may be stored, and the token was certainly not presented.
        await release(lease)
        throw SignInError(.storage, .storage(failure))
    }

    private func keep(
        _ tokens: TokenSet,
        in record: ServerSessionRecord,
        under lease: RefreshLease
    ) async throws(SignInError) -> Secret {
        var next = record
        next.version += 1
        next.sealed = try stored { () throws(StorageFailure) in
            try seal(
                tokens,
                userInfo: userInfo(of: record),
                // The access token of a rejected response's session is the one that there was.
                received: tokens.accessToken == open(record).accessToken ? received(of: record) : clock.now(),
                for: record
            )
        }
        next.idleExpiry = lifetimes.idleExpiry(of: record, at: clock.now())
        let presented = try stored { () throws(StorageFailure) in try open(record).refreshToken }
        guard try await isKept(next, of: tokens, insteadOf: presented, until: lease.expiry) else {
            // The user signed out meanwhile: the sign-out wins, and the new tokens are revoked.
            await revokeLater(tokens)
            throw SignInError(.refresh, .signInRequired)
        }
        return tokens.accessToken
    }

    /// Stores a refreshed session, and retries while the store cannot be reached and the lease holds: otherwise its
    /// tokens and the session are lost.
    ///
    /// - Returns: Whether the session goes on with these tokens, or with those that a later refresh got for them.
    private func isKept(
        _ next: ServerSessionRecord,
        of tokens: TokenSet,
        insteadOf presented: Secret?,
        until end: Date
    ) async throws(SignInError) -> Bool {
        try await repeatedly(until: end) { () async throws(StorageFailure) in
            if try await store.replace(with: next, now: clock.now()) { return true }
            // An earlier attempt that threw may have succeeded nevertheless, and the session been stored again since.
            guard let found = try await store.session(next.id, now: clock.now()), found.version >= next.version
            else { return false }
            let stored = try open(found).refreshToken
            return stored == tokens.refreshToken || stored != presented
        }
    }

    /// Releases a lease whose refresh token was certainly not used, or may be presented again.
    ///
    /// If the store is unavailable for ten seconds, the lease expires, and the session is lost.
    func release(_ lease: RefreshLease) async {
        let end = min(lease.expiry, clock.now().addingTimeInterval(10))
        _ = try? await repeatedly(until: end) { () async throws(StorageFailure) in
            try await store.release(lease)
        }
    }

    /// Retries a store operation for a while.
    private func repeatedly<T>(
        until end: Date,
        _ call: () async throws(StorageFailure) -> T
    ) async throws(SignInError) -> T {
        do throws(StorageFailure) { return try await clock.repeating(until: end, call) } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    /// Ends the session or releases the lease, by what a failed refresh says about the refresh token.
    ///
    /// - Returns: Whether the session is lost, since the refresh token may be used up.
    private func settle(
        _ error: SignInError,
        _ record: ServerSessionRecord,
        _ lease: RefreshLease
    ) async throws(SignInError) -> Bool {
        // A proxy may write a 503 after the issuer used the token; the session is lost then with a second presentation and
        // without.
        let isUnavailable = error.reason == .server(status: 503)
        switch isUnavailable ? .unused : RefreshOutcome(error) {
        case .refused:
            try await remove(record)
            report(.ended)
            return false
        case .unused:
            await release(lease)
            return false
        case .unknown: return await isLost(record, lease, error)
        }
    }

    /// Releases the lease of a refresh token that may be used up, where it may be presented again.
    ///
    /// - Returns: Whether it may not, so that the session is lost.
    private func isLost(_ record: ServerSessionRecord, _ lease: RefreshLease, _ error: SignInError) async -> Bool {
        guard lostRefresh == .isRepeated else { return true }
        // The other failures have caused a pause already.
        if !error.isOfIssuer {
            holdOffs.noteLoss(error, of: record.id, now: clock.now(), uptime: clock.uptime())
        }
        await release(lease)
        return false
    }

    /// Removes a session, unless it was refreshed since it was read.
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
    /// Whether the session is over: none of its tokens is valid any more, and a browser has to sign in again.
    var endsServerSession: Bool { reason == .signInRequired || endsSession }
}
