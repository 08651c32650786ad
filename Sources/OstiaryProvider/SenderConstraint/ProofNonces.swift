import Crypto
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The nonces of DPoP proofs (RFC 9449 sections 8 and 9), made from the time and a key, so that none is remembered.
struct ProofNonces: Sendable {
    /// The kind of server a nonce is for; a nonce of one kind is invalid for another.
    enum Asker: String, Sendable {
        case authorizationServer, resourceServer, attestedClient
    }

    private let key: SymmetricKey
    private let lifetime: Double

    init(secret: String, lifetime: Double) {
        key = SymmetricKey(data: Array(secret.utf8))
        self.lifetime = lifetime
    }

    /// The nonce of this moment.
    ///
    /// `generation` counts how often the nonces were replaced before their time.
    func current(_ asker: Asker, generation: Int, now: Date) -> String {
        nonce(asker, generation, period(now))
    }

    /// Whether a nonce is of this moment, or of the one before.
    func accepts(_ nonce: String, _ asker: Asker, generation: Int, now: Date) -> Bool {
        let period = period(now)
        return [period, period - 1].contains { constantTimeEqual(nonce, self.nonce(asker, generation, $0)) }
    }

    private func period(_ now: Date) -> Int { Int((now.timeIntervalSince1970 / lifetime).rounded(.down)) }

    private func nonce(_ asker: Asker, _ generation: Int, _ period: Int) -> String {
        let input = Array("dpop-nonce.\(asker.rawValue).\(generation).\(period)".utf8)
        return Base64URL.encode(HMAC<SHA256>.authenticationCode(for: input, using: key))
    }
}
