#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The values that must be new in every request: the time, one-time values, and the nonces that servers require.
///
/// A request that is sent again is built again with a new instance, so that no proof and no assertion is ever used
/// twice.
public struct Freshness {
    /// The time by the server's clock.
    public let now: Date
    private var random: any RandomNumberGenerator
    private let nonces: DPoPNonces
    private let attestations: Attestations
    /// The work to do before the request can be built; `nil` for none.
    private(set) var preparation: Preparation?

    /// The preparation of a request by a request of its own.
    typealias Preparation = @Sendable (any HTTPTransport, ExchangeContext) async throws(SignInError) -> Void

    /// Starts with a time and a secure generator, and knows no nonce.
    public init(now: Date, random: any RandomNumberGenerator) {
        self.init(now: now, random: random, nonces: DPoPNonces(), attestations: Attestations())
    }

    init(now: Date, random: any RandomNumberGenerator, nonces: DPoPNonces, attestations: Attestations) {
        self.now = now
        self.random = random
        self.nonces = nonces
        self.attestations = attestations
    }

    /// Returns an unpredictable value that never repeats: 32 random bytes as 43 characters of base64url.
    public mutating func oneTimeValue() -> String { OneTimeValue.make(using: &random) }

    /// Sets work to do first: the request is not sent, and is built again after it.
    mutating func prepare(_ preparation: @escaping Preparation) { self.preparation = preparation }

    /// Returns the last challenge of a server.
    func attestationChallenge(of issuer: Issuer) -> String? { attestations.challenge(of: issuer) }

    /// The attestation that a server rejected because it requires a newer one.
    var refusedAttestation: Secret? { attestations.refused }

    /// Returns the last nonce of a server.
    func nonce(for url: URL, as role: DPoPNonces.Role) -> String? { nonces.nonce(for: url, as: role) }
}
