import Crypto
import OstiaryJOSE

/// A proof key: a code verifier and its S256 challenge (RFC 7636 sections 4.1 and 4.2).
///
/// The `plain` method is not supported.
struct ProofKey: Sendable, Hashable {
    let verifier: Secret
    let challenge: String

    init(using random: inout some RandomNumberGenerator) {
        self.init(verifier: OneTimeValue.make(using: &random))
    }

    init(verifier: String) {
        self.verifier = Secret(verifier)
        challenge = Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8))))
    }
}

/// Values that are used once: 32 random bytes, 43 characters of base64url.
enum OneTimeValue {
    static func make(using random: inout some RandomNumberGenerator) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for _ in 0..<4 {
            let word: UInt64 = random.next()
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return Base64URL.encode(bytes)
    }
}
