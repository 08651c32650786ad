import Crypto
import CryptoExtras
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A password, salted and hashed with scrypt (RFC 7914), so that a stolen list takes long to guess.
public struct PasswordHash: Sendable, Hashable {
    /// The work that each guess requires.
    public struct Cost: Sendable, Hashable {
        /// The binary logarithm of scrypt's N; memory is 128 · 2^logN · blockSize bytes.
        public var logN: Int
        /// scrypt's r.
        public var blockSize: Int
        /// scrypt's p.
        public var parallelism: Int

        /// Makes a cost.
        public init(logN: Int, blockSize: Int, parallelism: Int) {
            self.logN = logN
            self.blockSize = blockSize
            self.parallelism = parallelism
        }

        /// 32 MiB, three times over, as OWASP's Password Storage Cheat Sheet has it.
        public static let standard = Cost(logN: 15, blockSize: 8, parallelism: 3)
        /// Next to nothing: for tests, whose passwords protect nothing.
        public static let insecureForTests = Cost(logN: 4, blockSize: 1, parallelism: 1)

        fileprivate var isSane: Bool {
            (1...20).contains(logN) && (1...32).contains(blockSize) && (1...16).contains(parallelism)
        }
    }

    /// The reason a hash cannot be made.
    public enum Failure: Error, Sendable, Hashable {
        /// The cost is out of range.
        case cost
        /// The password is longer than 1024 bytes.
        case passwordTooLong
        /// The library failed.
        case derivation
    }

    /// Longer passwords are refused: hashing them would be the attacker's way to keep the provider busy.
    static let maximumPasswordBytes = 1024

    let cost: Cost
    let salt: [UInt8]
    let hash: [UInt8]

    /// Hashes a password with a new salt.
    ///
    /// - Throws: ``Failure`` when the cost is out of range or the password too long.
    public init(
        _ password: Secret,
        cost: Cost = .standard,
        using random: inout some RandomNumberGenerator
    ) throws(Failure) {
        let salt = (0..<2).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
        try self.init(password.reveal(), cost: cost, salt: salt)
    }

    private init(_ password: String, cost: Cost, salt: [UInt8]) throws(Failure) {
        guard cost.isSane else { throw .cost }
        guard password.utf8.count <= Self.maximumPasswordBytes else { throw .passwordTooLong }
        self.cost = cost
        self.salt = salt
        hash = try Self.derive(password, cost: cost, salt: salt)
    }

    /// Reads an encoded hash; `nil` when it is not one.
    public init?(encoded: String) {
        let parts = encoded.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else { return nil }
        let numbers = parts[2].split(separator: ",")
        func number(_ position: Int, _ name: String) -> Int? {
            numbers[position].hasPrefix(name) ? Int(numbers[position].dropFirst(name.count)) : nil
        }
        guard numbers.count == 3, let logN = number(0, "ln="), let blockSize = number(1, "r="),
            let parallelism = number(2, "p="), let salt = try? Base64URL.decode(parts[3]),
            let hash = try? Base64URL.decode(parts[4]), salt.count >= 16, hash.count == 32
        else { return nil }
        cost = Cost(logN: logN, blockSize: blockSize, parallelism: parallelism)
        guard cost.isSane else { return nil }
        self.salt = salt
        self.hash = hash
    }

    /// The hash with its salt and cost, as text to keep: `$scrypt$ln=15,r=8,p=3$salt$hash` in base64url.
    public var encoded: String {
        "$scrypt$ln=\(cost.logN),r=\(cost.blockSize),p=\(cost.parallelism)"
            + "$\(Base64URL.encode(salt))$\(Base64URL.encode(hash))"
    }

    /// Whether a password is the right one; slow on purpose.
    public func matches(_ password: Secret) -> Bool {
        guard let tried = try? PasswordHash(password.reveal(), cost: cost, salt: salt) else { return false }
        return constantTimeEqual(tried.hash, hash)
    }

    /// A hash of the same cost that no password matches, so that an unknown name takes the same time.
    var unmatchable: PasswordHash { PasswordHash(cost: cost, salt: salt, hash: []) }

    private init(cost: Cost, salt: [UInt8], hash: [UInt8]) {
        self.cost = cost
        self.salt = salt
        self.hash = hash
    }

    private static func derive(_ password: String, cost: Cost, salt: [UInt8]) throws(Failure) -> [UInt8] {
        do {
            let key = try KDF.Scrypt.deriveKey(
                from: Array(password.utf8),
                salt: salt,
                outputByteCount: 32,
                rounds: 1 << cost.logN,
                blockSize: cost.blockSize,
                parallelism: cost.parallelism
            )
            return key.withUnsafeBytes { Array($0) }
        } catch {
            throw .derivation
        }
    }
}

extension PasswordHash: CustomStringConvertible, CustomReflectable {
    /// The cost alone.
    public var description: String { "PasswordHash(ln=\(cost.logN),r=\(cost.blockSize),p=\(cost.parallelism))" }
    /// The cost alone.
    public var customMirror: Mirror { Mirror(self, children: ["hash": description]) }
}
