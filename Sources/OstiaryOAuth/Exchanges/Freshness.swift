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

    /// Starts with a time and a secure generator, and knows no nonce.
    public init(now: Date, random: any RandomNumberGenerator) {
        self.init(now: now, random: random, nonces: DPoPNonces())
    }

    init(now: Date, random: any RandomNumberGenerator, nonces: DPoPNonces) {
        self.now = now
        self.random = random
        self.nonces = nonces
    }

    /// A value that nobody can foresee and that never comes again: 32 random bytes as 43 characters of base64url.
    public mutating func oneTimeValue() -> String { OneTimeValue.make(using: &random) }

    /// The nonce that a server asked for last.
    func nonce(for url: URL, as role: DPoPNonces.Role) -> String? { nonces.nonce(for: url, as: role) }
}
