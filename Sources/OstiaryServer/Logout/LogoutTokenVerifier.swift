public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Checks the tokens with which an issuer says that it has ended a session.
/// (OpenID Connect Back-Channel Logout 1.0 section 2.6)
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
    ///   - clientID: Who the tokens are for.
    ///   - algorithms: What they may be signed with. Default: every algorithm of ``SignatureAlgorithm``.
    ///   - clockTolerance: Seconds, 0 to 60. Default 30.
    ///   - replays: Where shown tokens are remembered; one that all instances of a service share.
    ///   - now: The time. Default: the system's clock.
    public init(
        keys: KeySource,
        clientID: String,
        algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases),
        clockTolerance: Double = 30,
        replays: any ReplayStore,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.keys = keys
        self.clientID = clientID
        self.algorithms = algorithms
        tolerance = min(max(clockTolerance, 0), 60)
        self.replays = replays
        self.now = now
    }

    /// Checks a token, and remembers it.
    ///
    /// - Throws: ``LogoutTokenFailure``; nothing is remembered then.
    public func verify(_ token: Secret) async throws(LogoutTokenFailure) -> LogoutToken {
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
        let tokenID = claims["jti"]?.string ?? ""
        let issuer = keys.issuer.description
        let answer: ReplayAnswer
        do throws(StorageFailure) {
            answer = try await replays.insert(
                StoreDigest("logout token", [issuer, tokenID]),
                owner: StoreDigest("logout tokens", [issuer]),
                until: (claims.date("exp") ?? now).addingTimeInterval(tolerance + 1),
                now: now
            )
        } catch {
            throw .storeUnavailable(error)
        }
        guard answer != .full else { throw .storeUnavailable(.unavailable) }
        guard NamedCheck.holds("logout_token.replay", answer == .inserted) else { throw .refused(.replayed) }
        return LogoutToken(
            issuer: keys.issuer,
            subject: claims["sub"]?.string,
            sessionID: claims["sid"]?.string,
            tokenID: tokenID
        )
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
            switch error {
            case .noMatchingKey, .ambiguousKey: throw .refused(.key)
            case .invalidSignature: throw .refused(.signature)
            default: throw .refused(.form)
            }
        }
    }
}
