import Crypto
import CryptoExtras
import OstiaryJOSE
package import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cost of trying one passphrase (RFC 7914 section 2).
package struct ScryptCost: Sendable, Hashable {
    /// N: a power of two.
    package var rounds: Int
    /// r.
    package var blockSize: Int
    /// p.
    package var parallelism: Int

    /// 128 MiB and about half a second.
    package static let standard = ScryptCost(rounds: 131_072, blockSize: 8, parallelism: 1)
    /// For tests only: it protects nothing.
    package static let insecureForTests = ScryptCost(rounds: 16, blockSize: 8, parallelism: 1)

    /// Whether an untrusted file may demand this cost: at most 512 MiB, and eight times the standard's time.
    ///
    /// The library reserves too little memory for a block that is larger than the usual one.
    var isBearable: Bool {
        (2...524_288).contains(rounds) && rounds & (rounds - 1) == 0 && (1...8).contains(blockSize)
            && (1...16).contains(parallelism) && rounds * parallelism <= 1_048_576
    }
}

/// Bytes sealed under a passphrase: a JSON object with its format, its version, the key derivation and the sealed
/// bytes.
///
/// The key is derived from the passphrase by scrypt (RFC 7914) with a salt of 32 random bytes, and seals with
/// AES-256-GCM. The format, the version and the parameters are authenticated.
package enum PassphraseSeal {
    package enum Failure: Error {
        /// A newer program wrote the object.
        case unknownVersion
        /// The bytes hold no such object.
        case malformed
        /// Deriving the key would cost more than is allowed.
        case tooExpensive
        /// The passphrase is wrong, or the bytes were changed.
        case wrongPassphrase
        /// The passphrase is empty, or there is too little memory.
        case impossible
    }

    /// The number of bytes that sealing adds at most, besides the third that the encoding adds.
    static let maximumOverhead = 1_024

    package static func seal(
        _ bytes: [UInt8],
        format: String,
        with passphrase: Secret,
        cost: ScryptCost
    ) throws(Failure) -> [UInt8] {
        let salt = SealingKey.randomBytes()
        let key = try key(passphrase, salt, cost)
        guard
            let box = try? AES.GCM.seal(bytes, using: key, authenticating: authenticated(format, salt, cost)),
            let sealed = box.combined
        else { throw .impossible }
        let object: JSONObject = [
            "format": .string(format), "version": .integer(version), "kdf": "scrypt", "n": .integer(cost.rounds),
            "r": .integer(cost.blockSize), "p": .integer(cost.parallelism),
            "salt": .string(Base64URL.encode(salt)), "sealed": .string(Base64URL.encode(Array(sealed))),
        ]
        return object.encoded()
    }

    package static func open(_ bytes: [UInt8], format: String, with passphrase: Secret) throws(Failure) -> [UInt8] {
        let limits = JSONLimits(maximumBytes: max(bytes.count, 1), maximumDepth: 2)
        guard let object = try? JSONObject(parsing: bytes, limits: limits),
            object["format"]?.string.map({ $0.utf8.elementsEqual(format.utf8) }) ?? false,
            let found = object["version"]?.integer
        else { throw .malformed }
        guard found == version else { throw .unknownVersion }
        guard object["kdf"] == "scrypt", let rounds = object["n"]?.integer, let blockSize = object["r"]?.integer,
            let parallelism = object["p"]?.integer,
            let salt = object["salt"]?.string.flatMap({ try? Base64URL.decode($0) }), (16...64).contains(salt.count),
            let sealed = object["sealed"]?.string.flatMap({ try? Base64URL.decode($0) }),
            let box = try? AES.GCM.SealedBox(combined: sealed)
        else { throw .malformed }
        let cost = ScryptCost(rounds: rounds, blockSize: blockSize, parallelism: parallelism)
        guard cost.isBearable else { throw .tooExpensive }
        let key = try key(passphrase, salt, cost)
        guard let content = try? AES.GCM.open(box, using: key, authenticating: authenticated(format, salt, cost)) else {
            throw .wrongPassphrase
        }
        return Array(content)
    }

    private static let version = 1

    private static func authenticated(_ format: String, _ salt: [UInt8], _ cost: ScryptCost) -> [UInt8] {
        Array("\(format)\n\(version)\nscrypt\n\(cost.rounds) \(cost.blockSize) \(cost.parallelism)\n".utf8) + salt
    }

    private static func key(
        _ passphrase: Secret,
        _ salt: [UInt8],
        _ cost: ScryptCost
    ) throws(Failure) -> SymmetricKey {
        guard !passphrase.isEmpty,
            let key = try? KDF.Scrypt.deriveKey(
                from: Array(passphrase.reveal().utf8),
                salt: salt,
                outputByteCount: 32,
                rounds: cost.rounds,
                blockSize: cost.blockSize,
                parallelism: cost.parallelism
            )
        else { throw .impossible }
        return key
    }
}
