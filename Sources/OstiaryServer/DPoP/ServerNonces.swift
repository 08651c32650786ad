import Crypto
import OstiaryCompatibility
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The nonces of DPoP proofs, derived from a secret and the time, so that none is stored. (RFC 9449 section 9)
///
/// All instances of a service share the secret, and hence the nonces. A nonce is valid in the period that it was made
/// in and in the next. To change the secret, put the new one first and keep the old one for that long.
public struct ServerNonces: Sendable {
    /// The time for which a nonce is issued; it is valid for up to twice as long.
    public let period: Duration
    private let keys: [SymmetricKey]
    private let purpose: String

    /// Makes nonces.
    ///
    /// - Parameters:
    ///   - secrets: The secret to make nonces with, and then earlier ones whose nonces are still valid; each of 32
    ///     random bytes or more, in any encoding.
    ///   - purpose: The purpose of the nonces: services with the same secret and different purposes reject each
    ///     other's.
    ///   - period: A second to an hour. Default: two minutes.
    /// - Throws: `configuration` at stage `token` without a secret, or with a short one.
    public init(secrets: [Secret], purpose: String, period: Duration = .seconds(120)) throws(SignInError) {
        guard !secrets.isEmpty, secrets.allSatisfy({ $0.reveal().utf8.count >= 32 }) else {
            throw SignInError(.token, .configuration("A nonce secret must have at least 32 random bytes."))
        }
        keys = secrets.map { SymmetricKey(data: Array($0.reveal().utf8)) }
        self.purpose = purpose
        self.period = min(max(period, .seconds(1)), .seconds(3600))
    }

    /// The current nonce.
    public func current(at now: Date) -> String { nonce(number(at: now), keys[0]) }

    /// Whether a nonce is of the current period or of the previous one.
    public func accepts(_ nonce: String, at now: Date) -> Bool {
        let number = number(at: now)
        return keys.contains { key in
            [number, number - 1].contains { constantTimeEqual(self.nonce($0, key), nonce) }
        }
    }

    private func number(at now: Date) -> Int { Int((now.timeIntervalSince1970 / period.inSeconds).rounded(.down)) }

    private func nonce(_ number: Int, _ key: SymmetricKey) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array("dpop-nonce \(number) \(purpose)".utf8), using: key)
        // Half of the code cannot be guessed, and makes a short field.
        return Base64URL.encode(Array(code.prefix(16)))
    }
}

extension ServerNonces: CustomStringConvertible, CustomReflectable {
    /// The purpose; nothing of the secrets.
    public var description: String { "ServerNonces(\(purpose))" }
    /// The purpose.
    public var customMirror: Mirror { Mirror(self, children: ["purpose": purpose]) }
}
