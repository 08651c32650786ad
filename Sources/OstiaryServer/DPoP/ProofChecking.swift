import HTTPTypes
public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a server checks that whoever shows a token has the key that it is bound to. (RFC 9449 sections 4.3, 9 and 11.1)
///
/// Share one among the routes of a server: proofs are remembered in one place.
public struct ProofChecking: Sendable {
    /// What happens when the store of shown proofs cannot be asked.
    public enum StoreFailurePolicy: String, Sendable, Hashable {
        /// The request is refused with 503.
        case refuse
        /// The request goes on when its proof answers a nonce, which limits its age; without nonces it is refused.
        case relyOnNonce
    }

    /// How wrong the clock of a sender may be whose proof answers a nonce, in seconds: a day.
    public static let acceptedClockError: Double = 86_400

    /// The names by which the world reaches this server; never what a request says.
    public let origins: [ExternalOrigin]
    /// What a proof may be signed with.
    public let algorithms: Set<SignatureAlgorithm>
    /// What happens when the store cannot be asked.
    public let storeFailures: StoreFailurePolicy
    let nonces: ServerNonces?
    private let replays: any ReplayStore
    private let immediate: (any ImmediateReplayStore)?
    private let check: DPoPProofCheck

    /// Says how proofs are checked.
    ///
    /// - Parameters:
    ///   - origins: The names by which the world reaches this server, at least one.
    ///   - replays: Where shown proofs are remembered; one that all instances of a service share. Of each key it needs room for as
    ///     many as are made in `acceptedAge`, or in two periods of the nonces.
    ///   - nonces: The nonces that proofs have to carry. A nonce says how old a proof is, by this server's own clock, so the
    ///     sender's may be wrong by up to ``acceptedClockError`` (RFC 9449 section 11.1). Default: proofs need none.
    ///   - algorithms: What a proof may be signed with. Default: every algorithm of `SignatureAlgorithm`; RSA keys have at most
    ///     4,096 bits.
    ///   - acceptedAge: How old a proof may be, in seconds, where there are no nonces. Default 60.
    ///   - acceptedLead: How far ahead the sender's clock may be, in seconds, where there are no nonces. Default 10.
    ///   - storeFailures: Default: the request is refused.
    /// - Throws: `configuration` at stage `token` without an origin, and for times that are not 1 to 300 and 0 to 60.
    public init(
        origins: [ExternalOrigin],
        replays: any ReplayStore,
        nonces: ServerNonces? = nil,
        algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases),
        acceptedAge: Double = 60,
        acceptedLead: Double = 10,
        storeFailures: StoreFailurePolicy = .refuse
    ) throws(SignInError) {
        func wrong(_ sentence: String) -> SignInError { SignInError(.token, .configuration(sentence)) }
        guard !origins.isEmpty else {
            throw wrong("A proof names the URL of its request: give the origin by which clients know this server.")
        }
        guard (1...300).contains(acceptedAge), (0...60).contains(acceptedLead) else {
            throw wrong("A proof may be 1 to 300 seconds old and up to 60 seconds early.")
        }
        guard !algorithms.isEmpty else { throw wrong("With no algorithm every proof is refused: name one.") }
        self.origins = origins
        self.replays = replays
        immediate = replays as? any ImmediateReplayStore
        self.nonces = nonces
        self.algorithms = algorithms
        self.storeFailures = storeFailures
        check = DPoPProofCheck(
            algorithms: algorithms,
            acceptedAge: nonces == nil ? acceptedAge : Self.acceptedClockError,
            acceptedLead: nonces == nil ? acceptedLead : Self.acceptedClockError
        )
    }

    /// What proofs may be signed with, in the order of a challenge.
    var algorithmList: [SignatureAlgorithm] { SignatureAlgorithm.allCases.filter(algorithms.contains) }

    /// Whether the store of shown proofs is one that nobody waits for.
    var remembersAtOnce: Bool { immediate != nil }

    /// The nonce for the next proof; none when proofs need no nonce.
    func nonceFields(at now: Date) -> HTTPFields { nonces.map { [.dpopNonce: $0.current(at: now)] } ?? [:] }

    /// Checks a request's proof in all but that it is shown for the first time, which ``remember(_:at:)`` does.
    ///
    /// - Parameter token: The token that is shown with it; `nil` for none.
    func proof(
        of request: ServerRequest,
        token: Secret?,
        at now: Date
    ) throws(ProofRefusal) -> DPoPProofCheck.Proof {
        let fields = request.fields[values: .dpop]
        guard NamedCheck.holds("proof.count", fields.count == 1), let field = fields.first else { throw .count }
        // Anybody may bring a key of his own, and a huge one costs the server more than him.
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
    /// - Returns: Why the request may not go on, because the store could not be asked; `nil` when it may.
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

    /// Remembers a proof without waiting; `false` when the store is one that has to be waited for, and nothing is
    /// remembered.
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

    /// Two keys may use one identifier: the key is a part of the name, so that nobody can use up another's.
    private func entry(
        of proof: DPoPProofCheck.Proof,
        at now: Date
    ) -> (name: StoreDigest, owner: StoreDigest, expiry: Date) {
        // A proof is accepted for as long as its nonce is, which is good now, or for as long as it is young.
        let end =
            nonces.map { now.addingTimeInterval(2 * $0.period) } ?? proof.issuedAt.addingTimeInterval(check.acceptedAge)
        return (
            StoreDigest("dpop", [proof.thumbprint, proof.jti]),
            StoreDigest("dpop key", [proof.thumbprint]),
            // A second more, for stores that keep whole seconds.
            end.addingTimeInterval(1)
        )
    }
}
