#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What has to be new in every request that is sent: the time, one-time values, and the nonces that servers asked for.
///
/// A request that is sent again is made again with a new one, so that no proof and no assertion is ever used twice.
public struct Freshness {
    /// The time by the server's clock.
    public let now: Date
    private var random: any RandomNumberGenerator
    private let nonces: DPoPNonces
    private let attestations: Attestations
    /// What has to be done before the request can be made; `nil` for nothing.
    private(set) var preparation: Preparation?

    /// Something that a request needs and that takes a request of its own.
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

    /// A value that nobody can foresee and that never comes again: 32 random bytes as 43 characters of base64url.
    public mutating func oneTimeValue() -> String { OneTimeValue.make(using: &random) }

    /// Says what has to be done first: the request that is being made is not sent, and is made again after it.
    mutating func prepare(_ preparation: @escaping Preparation) { self.preparation = preparation }

    /// The challenge that a server gave last.
    func attestationChallenge(of issuer: Issuer) -> String? { attestations.challenge(of: issuer) }

    /// The attestation that a server wants a newer one for.
    var refusedAttestation: Secret? { attestations.refused }

    /// The nonce that a server asked for last.
    func nonce(for url: URL, as role: DPoPNonces.Role) -> String? { nonces.nonce(for: url, as: role) }
}
