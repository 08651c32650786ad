import Crypto
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The nonces that a resource server asks proofs to carry, made from a secret and the time, so that none is remembered.
/// (RFC 9449 section 9)
///
/// All instances of a service share the secret, and hence the nonces. A nonce is good in the period that it was made in and
/// in the next. To change the secret, put the new one first and leave the old one behind it for that long.
public struct ServerNonces: Sendable {
    /// How long a nonce is given out, in seconds; it is good for up to twice as long.
    public let period: Double
    private let keys: [SymmetricKey]
    private let purpose: String

    /// Makes nonces.
    ///
    /// - Parameters:
    ///   - secrets: The one to make nonces with, and then those whose nonces are still good; each of 32 random bytes or more,
    ///     in whatever text.
    ///   - purpose: What they are for: those of one service are worth nothing to another with the same secret.
    ///   - period: Seconds, 1 to 3600. Default 120.
    /// - Throws: `configuration` at stage `token` when there is no secret, or a short one.
    public init(secrets: [Secret], purpose: String, period: Double = 120) throws(SignInError) {
        guard !secrets.isEmpty, secrets.allSatisfy({ $0.reveal().utf8.count >= 32 }) else {
            throw SignInError(.token, .configuration("A nonce secret has at least 32 bytes: draw them at random."))
        }
        keys = secrets.map { SymmetricKey(data: Array($0.reveal().utf8)) }
        self.purpose = purpose
        self.period = min(max(period, 1), 3600)
    }

    /// The nonce of this moment.
    public func current(at now: Date) -> String { nonce(number(at: now), keys[0]) }

    /// Whether a nonce is of this period or of the one before.
    public func accepts(_ nonce: String, at now: Date) -> Bool {
        let number = number(at: now)
        return keys.contains { key in
            [number, number - 1].contains { constantTimeEqual(self.nonce($0, key), nonce) }
        }
    }

    private func number(at now: Date) -> Int { Int((now.timeIntervalSince1970 / period).rounded(.down)) }

    private func nonce(_ number: Int, _ key: SymmetricKey) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array("dpop-nonce \(number) \(purpose)".utf8), using: key)
        // Half of it is more than anybody can guess, and makes a short field.
        return Base64URL.encode(Array(code.prefix(16)))
    }
}

extension ServerNonces: CustomStringConvertible, CustomReflectable {
    /// What they are for; nothing of the secrets.
    public var description: String { "ServerNonces(\(purpose))" }
    /// What they are for.
    public var customMirror: Mirror { Mirror(self, children: ["purpose": purpose]) }
}
