import OstiaryCompatibility
public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Verifies an issuer's logout tokens. (OpenID Connect Back-Channel Logout 1.0 section 2.6)
public struct LogoutTokenVerifier: Sendable {
    /// The longest token that is read, in bytes.
    public static let maximumBytes = 16_384

    private let keys: KeySource
    private let clientID: String
    private let algorithms: Set<SignatureAlgorithm>
    private let tolerance: Double
    private let replays: any ReplayStore
    private let now: @Sendable () -> Date

    /// Makes a verifier for a client of an issuer.
    ///
    /// - Parameters:
    ///   - keys: The issuer's keys.
    ///   - clientID: The client identifier that the tokens are for.
    ///   - algorithms: The accepted signature algorithms. Default: every algorithm of `SignatureAlgorithm`.
    ///   - clockTolerance: The accepted clock skew: 0 to 60 seconds. Default 30 seconds.
    ///   - replays: The replay store, shared by all instances of a service.
    ///   - clock: The time. Default: the system's.
    public init(
        keys: KeySource,
        clientID: String,
        algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases),
        clockTolerance: Duration = .seconds(30),
        replays: any ReplayStore,
        clock: DeviceClock = .server
    ) {
        self.keys = keys
        self.clientID = clientID
        self.algorithms = algorithms
        tolerance = min(max(clockTolerance.inSeconds, 0), 60)
        self.replays = replays
        now = clock.now
    }

    /// Verifies a token, ends the sessions that it names, and remembers it.
    ///
    /// A token is remembered only after its sessions have ended, so that one whose sessions could not be ended can be
    /// sent again.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - end: Ends the sessions, idempotently. Default: nothing.
    /// - Returns: The verified token, whose sessions have ended.
    /// - Throws: ``LogoutTokenFailure``; nothing is remembered then.
    @discardableResult
    public func verify(
        _ token: Secret,
        ending end: (LogoutToken) async throws(StorageFailure) -> Void = { _ in }
    ) async throws(LogoutTokenFailure) -> LogoutToken {
        let verified = try await signed(token)
        let now = now()
        let facts = LogoutTokenCheck.Facts(
            token: verified,
            issuer: keys.issuer,
            clientID: clientID,
            tolerance: tolerance,
            time: now.timeIntervalSince1970
        )
        if let check = LogoutTokenCheck.firstFailure(in: facts) { throw .refused(check) }
        let claims = verified.claims
        let meant = LogoutToken(
            issuer: keys.issuer,
            subject: claims["sub"]?.string,
            sessionID: claims["sid"]?.string,
            tokenID: claims["jti"]?.string ?? ""
        )
        let identifier = StoreDigest("logout token", [meant.issuer.description, meant.tokenID])
        let isKnown = try await asked { () async throws(StorageFailure) in
            try await replays.contains(identifier, now: now)
        }
        guard NamedCheck.holds("logout_token.replay", !isKnown) else { throw .refused(.replayed) }
        let answer = try await asked { () async throws(StorageFailure) in
            try await end(meant)
            // Two concurrent deliveries of one token both end its sessions, with the same result as one.
            return try await replays.insert(
                identifier,
                // Only the issuer can sign one, so every token has its own owner: no number of logouts keeps another
                // one from being processed.
                owner: identifier,
                until: (claims.date("exp") ?? now).addingTimeInterval(tolerance + 1),
                now: now
            )
        }
        guard answer != .full else { throw .storeUnavailable(.unavailable) }
        return meant
    }

    private func asked<Value>(
        _ question: () async throws(StorageFailure) -> Value
    ) async throws(LogoutTokenFailure) -> Value {
        do throws(StorageFailure) { return try await question() } catch { throw .storeUnavailable(error) }
    }

    private func signed(_ token: Secret) async throws(LogoutTokenFailure) -> VerifiedJWT {
        guard let unverified = try? UnverifiedJWT(token.reveal(), maximumBytes: Self.maximumBytes) else {
            throw .refused(.form)
        }
        guard let algorithm = SignatureAlgorithm(rawValue: unverified.header.algorithmName),
            NamedCheck.holds("logout_token.alg", algorithms.contains(algorithm))
        else { throw .refused(.algorithm) }
        let set: JSONWebKeySet
        do throws(SignInError) {
            set = try await keys.keys(keyID: unverified.header.keyID, algorithm: algorithm)
        } catch {
            throw .keysUnavailable(error)
        }
        do throws(JOSEError) {
            return try unverified.verified(by: set, algorithms: algorithms)
        } catch {
            throw .refused(error.failure(form: .form, algorithm: .algorithm, key: .key, signature: .signature))
        }
    }
}
