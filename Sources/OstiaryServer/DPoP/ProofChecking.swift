import HTTPTypes
import OstiaryCompatibility
public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checks of DPoP proofs, which show that a token's sender has the key that it is bound to. (RFC 9449 sections 4.3,
/// 9 and 11.1)
///
/// Share one among a server's routes: they use one replay store.
public struct ProofChecking: Sendable {
    /// The handling of a request when the replay store is unavailable.
    public enum StoreFailurePolicy: String, Sendable, Hashable {
        /// The request is rejected with 503.
        case refuse
        /// The request is accepted if its proof carries a nonce, which limits its age; without nonces it is rejected.
        case relyOnNonce
    }

    /// The accepted clock error of a sender whose proof carries a nonce: a day.
    public static let acceptedClockError = Duration.seconds(86_400)

    /// The server's public origins; never taken from a request.
    public let origins: [ExternalOrigin]
    /// The accepted signature algorithms of proofs.
    public let algorithms: Set<SignatureAlgorithm>
    /// The handling of requests when the replay store is unavailable.
    public let storeFailures: StoreFailurePolicy
    let nonces: ServerNonces?
    private let replays: any ReplayStore
    private let immediate: (any ImmediateReplayStore)?
    private let check: DPoPProofCheck

    /// Configures the checks.
    ///
    /// - Parameters:
    ///   - origins: The server's public origins, at least one.
    ///   - replays: The replay store, shared by all instances of a service. Of each key it must hold as many proofs as
    ///     are made within `acceptedAge`, or within two periods of the nonces.
    ///   - nonces: The nonces that proofs must carry. A nonce proves the age of a proof by this server's own clock, so
    ///     the sender's may be wrong by up to ``acceptedClockError`` (RFC 9449 section 11.1). Default: none required.
    ///   - algorithms: The accepted signature algorithms. Default: every algorithm of `SignatureAlgorithm`; RSA keys
    ///     have at most 4,096 bits.
    ///   - acceptedAge: The largest age of a proof without a nonce. Default: a minute.
    ///   - acceptedLead: The largest lead of the sender's clock for a proof without a nonce. Default: ten seconds.
    ///   - storeFailures: The handling of requests when the replay store is unavailable. Default: they are rejected.
    /// - Throws: `configuration` at stage `token` without an origin, and for times outside 1 to 300 and 0 to 60
    ///   seconds.
    public init(
        origins: [ExternalOrigin],
        replays: any ReplayStore,
        nonces: ServerNonces? = nil,
        algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases),
        acceptedAge: Duration = .seconds(60),
        acceptedLead: Duration = .seconds(10),
        storeFailures: StoreFailurePolicy = .refuse
    ) throws(SignInError) {
        func wrong(_ sentence: String) -> SignInError { SignInError(.token, .configuration(sentence)) }
        guard !origins.isEmpty else {
            throw wrong("A proof names the URL of its request: give the origin that clients use for this server.")
        }
        guard (.seconds(1) ... .seconds(300)).contains(acceptedAge) else {
            throw wrong("acceptedAge is \(acceptedAge), and must be 1 to 300 seconds.")
        }
        guard (.zero ... .seconds(60)).contains(acceptedLead) else {
            throw wrong("acceptedLead is \(acceptedLead), and must be 0 to 60 seconds.")
        }
        guard !algorithms.isEmpty else { throw wrong("Without an algorithm every proof would be rejected: name one.") }
        self.origins = origins
        self.replays = replays
        immediate = replays as? any ImmediateReplayStore
        self.nonces = nonces
        self.algorithms = algorithms
        self.storeFailures = storeFailures
        check = DPoPProofCheck(
            algorithms: algorithms,
            acceptedAge: (nonces == nil ? acceptedAge : Self.acceptedClockError).inSeconds,
            acceptedLead: (nonces == nil ? acceptedLead : Self.acceptedClockError).inSeconds
        )
    }

    /// The accepted signature algorithms, in the order of a challenge.
    var algorithmList: [SignatureAlgorithm] { SignatureAlgorithm.allCases.filter(algorithms.contains) }

    /// Whether the replay store answers without waiting.
    var remembersAtOnce: Bool { immediate != nil }

    /// The field with the nonce for the next proof; empty when proofs need no nonce.
    func nonceFields(at now: Date) -> HTTPFields { nonces.map { [.dpopNonce: $0.current(at: now)] } ?? [:] }

    /// Makes every check of a request's proof except the replay check, which ``remember(_:at:)`` makes.
    ///
    /// `token` is presented with it; `nil` for none.
    func proof(
        of request: ServerRequest,
        token: Secret?,
        at now: Date
    ) throws(ProofRefusal) -> DPoPProofCheck.Proof {
        let fields = request.fields[values: .dpop]
        guard NamedCheck.holds("proof.count", fields.count == 1), let field = fields.first else { throw .count }
        // Any client may use a key of its own, and verifying with a huge one costs the server more than the client.
        let signature = field.utf8.reversed().prefix { $0 != UInt8(ascii: ".") }
        let isBounded = signature.count <= Self.maximumSignatureLength || field.utf8.count > DPoPProofCheck.maximumBytes
        guard NamedCheck.holds("proof.size", isBounded) else { throw .key }
        let proof: DPoPProofCheck.Proof
        do throws(DPoPProofCheck.Failure) {
            let path = request.path
            proof = try check.proof(
                field,
                method: request.method,
                urls: origins.map { $0.url(ofPath: path) },
                accessToken: token,
                now: now
            )
        } catch {
            throw ProofRefusal(error)
        }
        if let nonces {
            let isAnswered = proof.nonce.map { nonces.accepts($0, at: now) } ?? false
            guard NamedCheck.holds("proof.nonce", isAnswered) else { throw .nonce }
        }
        return proof
    }

    /// The length of a signature by an RSA key of 4,096 bits, in Base64.
    private static let maximumSignatureLength = 683

    /// Remembers a proof for as long as it would be accepted.
    ///
    /// - Throws: `replayed` or `tooMany`.
    /// - Returns: The store's failure, when it was unavailable and the request must be rejected; otherwise `nil`.
    func remember(_ proof: DPoPProofCheck.Proof, at now: Date) async throws(ProofRefusal) -> StorageFailure? {
        if try rememberNow(proof, at: now) { return nil }
        let entry = entry(of: proof, at: now)
        let answer: ReplayAnswer
        do throws(StorageFailure) {
            answer = try await replays.insert(entry.name, owner: entry.owner, until: entry.expiry, now: now)
        } catch {
            return storeFailures == .relyOnNonce && nonces != nil ? nil : error
        }
        try Self.accept(answer)
        return nil
    }

    /// Remembers a proof without waiting; `false` when the store has to be waited for, and nothing is remembered.
    ///
    /// - Throws: `replayed` or `tooMany`.
    func rememberNow(_ proof: DPoPProofCheck.Proof, at now: Date) throws(ProofRefusal) -> Bool {
        guard let immediate else { return false }
        let entry = entry(of: proof, at: now)
        try Self.accept(immediate.insertNow(entry.name, owner: entry.owner, until: entry.expiry, now: now))
        return true
    }

    private static func accept(_ answer: ReplayAnswer) throws(ProofRefusal) {
        guard NamedCheck.holds("proof.replay", answer != .replayed) else { throw .replayed }
        guard answer != .full else { throw .tooMany }
    }

    /// The entry's name includes the key: two keys may use one identifier, and no client can use up another's.
    private func entry(
        of proof: DPoPProofCheck.Proof,
        at now: Date
    ) -> (name: StoreDigest, owner: StoreDigest, expiry: Date) {
        // A proof is accepted while its nonce is valid, or until its maximum age.
        let end =
            nonces.map { now.addingTimeInterval(2 * $0.period.inSeconds) }
            ?? proof.issuedAt.addingTimeInterval(check.acceptedAge)
        return (
            StoreDigest("dpop", [proof.thumbprint, proof.jti]),
            StoreDigest("dpop key", [proof.thumbprint]),
            // One more second, for stores that keep whole seconds.
            end.addingTimeInterval(1)
        )
    }
}
