import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Access tokens of a session, renewed by one instance at a time.
extension ServerSessions {
    /// How long a lease holds, in seconds: longer than any answer is waited for.
    private static let leaseLifetime: Double = 30
    /// How long somebody waits for another's refresh, in seconds.
    private static let patience: Double = 20
    /// How long a token has to be good yet.
    private static let validity = TokenValidity.usually(60)

    /// The access token of a session, good for a minute at least, or for half its life where the issuer gives shorter ones.
    ///
    /// - Throws: `signInRequired` at stage `refresh` when the session has ended, or nobody knows what came of its refresh
    ///   token; `storage`; and what the issuer answered, after which the session is as it was.
    public func accessToken(of session: ServerSession) async throws(SignInError) -> Secret {
        let began = clock.uptime()
        let owner = Self.newOwner()
        var pause = 0.02
        while true {
            let record = try await current(session.record.id)
            let tokens = try stored { () throws(StorageFailure) in try open(record) }
            let now = clock.now()
            if tokens.isFresh(at: now, for: Self.validity) { return tokens.accessToken }
            guard tokens.refreshToken != nil else {
                // It cannot be renewed: it is good until its end.
                guard tokens.isFresh(at: now, for: 5) else { throw SignInError(.refresh, .signInRequired) }
                return tokens.accessToken
            }
            let answer = try await asked { () async throws(StorageFailure) in
                try await store.lease(
                    record.id,
                    version: record.version,
                    owner: owner,
                    until: now.addingTimeInterval(Self.leaseLifetime),
                    now: now
                )
            }
            switch answer {
            case .superseded: continue
            case .lost:
                // The token may have been used by an instance that died; showing it again would be taken for a theft.
                try await asked { () async throws(StorageFailure) in try await store.remove(record.id) }
                throw SignInError(.refresh, .signInRequired)
            case .granted(let lease):
                if let token = try await refresh(record, tokens, under: lease) { return token }
            case .held:
                // What there is may still be good enough.
                if tokens.isFresh(at: now, for: 5) { return tokens.accessToken }
                guard clock.uptime() - began < Self.patience else { throw SignInError(.refresh, .timedOut) }
                do { try await clock.sleep(pause) } catch { throw SignInError(.refresh, .cancelled) }
                pause = min(pause * 2, 0.5)
            }
        }
    }

    /// Shows the refresh token of a lease, and keeps what it brings; `nil` when the lease was lost meanwhile.
    private func refresh(
        _ record: ServerSessionRecord,
        _ tokens: TokenSet,
        under lease: RefreshLease
    ) async throws(SignInError) -> Secret? {
        let server: AuthorizationServer
        do throws(SignInError) {
            server = try await metadata.server()
        } catch {
            try await asked { () async throws(StorageFailure) in try await store.giveBack(lease) }
            throw error
        }
        let mayShow = try await asked { () async throws(StorageFailure) in
            try await store.markShown(lease, now: clock.now())
        }
        guard mayShow else { return nil }
        do throws(SignInError) {
            let requested = clock.now()
            let exchange = TokenExchange(try RefreshGrant(tokens), client: client, server: server)
            let response = try await transport.perform(exchange, in: context)
            let keys = try await signatureKeys(of: response)
            let renewed = try response.validated(by: keys, now: clock.now(), requested: requested)
            return try await keep(renewed, in: record, under: lease)
        } catch {
            try await settle(error, record, lease)
            throw error
        }
    }

    private func signatureKeys(of response: TokenResponse) async throws(SignInError) -> JSONWebKeySet {
        guard let signature = response.signature, let algorithm = signature.algorithm else { return JSONWebKeySet([]) }
        return try await keys.keys(keyID: signature.keyID, algorithm: algorithm)
    }

    private func keep(
        _ tokens: TokenSet,
        in record: ServerSessionRecord,
        under lease: RefreshLease
    ) async throws(SignInError) -> Secret {
        var next = record
        next.version += 1
        next.sealed = try stored { () throws(StorageFailure) in try seal(tokens, for: record.id) }
        next.idleExpiry = min(clock.now().addingTimeInterval(lifetimes.idle), record.absoluteExpiry)
        // Somebody signed out meanwhile: the sign-out wins, and the new tokens are of no use to anybody.
        guard try await isKept(next, until: lease.expiry) else { throw SignInError(.refresh, .signInRequired) }
        return tokens.accessToken
    }

    /// Puts a renewed session in its place, again and again while the store cannot be reached and the lease holds: what is not kept
    /// is lost, and the session with it.
    private func isKept(_ next: ServerSessionRecord, until end: Date) async throws(SignInError) -> Bool {
        var pause = 0.05
        while true {
            let failure: StorageFailure
            do throws(StorageFailure) {
                if try await store.replace(with: next, now: clock.now()) { return true }
                // An earlier attempt that threw may have been made all the same.
                let found = try await store.session(next.id, now: clock.now())
                return found?.version == next.version && found?.sealed == next.sealed
            } catch {
                failure = error
            }
            let mayPass = failure == .unavailable || failure == .locked
            guard mayPass, clock.now().addingTimeInterval(pause) < end else {
                throw SignInError(.storage, .storage(failure))
            }
            do { try await clock.sleep(pause) } catch { throw SignInError(.storage, .storage(failure)) }
            pause = min(pause * 2, 1)
        }
    }

    /// Ends the session, gives the lease back, or lets it run out, by what is known of the refresh token.
    private func settle(
        _ error: SignInError,
        _ record: ServerSessionRecord,
        _ lease: RefreshLease
    ) async throws(SignInError) {
        switch error.reason {
        case .refused(let refusal) where refusal.code == .invalidGrant:
            try await asked { () async throws(StorageFailure) in try await store.remove(record.id) }
        case .refused, .configuration, .unsupported, .server(status: 400..<500),
            .transport(.unreachable), .transport(.unknownHost), .transport(.tls), .transport(.insecureURL):
            // The issuer never saw the token, or said no to something else.
            try await asked { () async throws(StorageFailure) in try await store.giveBack(lease) }
        default:
            // The token may have been used: the lease runs out, and then the session is lost.
            break
        }
    }

    private func current(_ id: StoreDigest) async throws(SignInError) -> ServerSessionRecord {
        let found = try await asked { () async throws(StorageFailure) in try await store.session(id, now: clock.now()) }
        guard let found else { throw SignInError(.refresh, .signInRequired) }
        return found
    }

    private func asked<T>(_ call: () async throws(StorageFailure) -> T) async throws(SignInError) -> T {
        do throws(StorageFailure) { return try await call() } catch { throw SignInError(.storage, .storage(error)) }
    }

    private func stored<T>(_ call: () throws(StorageFailure) -> T) throws(SignInError) -> T {
        do throws(StorageFailure) { return try call() } catch { throw SignInError(.storage, .storage(error)) }
    }

    private static func newOwner() -> String {
        var random = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }
}
