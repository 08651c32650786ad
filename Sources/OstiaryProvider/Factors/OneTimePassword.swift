import Crypto
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The secret that a user's authenticator app shares with the provider, and the one-time passwords that both make of it
/// and the time (TOTP, RFC 6238).
public struct OneTimePassword: Sendable {
    /// The hash function of the HMAC. (RFC 6238 section 1.2)
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// SHA-1, which every authenticator app knows.
        case sha1 = "SHA1"
        /// SHA-256.
        case sha256 = "SHA256"
        /// SHA-512.
        case sha512 = "SHA512"
    }

    /// The reason a secret cannot be used.
    public enum Failure: Error, Sendable, Hashable {
        /// The text is not base32, or stands for fewer than 16 or more than 128 bytes.
        case secret
        /// The number of digits is not 6, 7 or 8.
        case digits
        /// The time step is not a whole number of seconds from 1 to 300.
        case period
    }

    /// The sizes of a secret in bytes: 128 bits at least (RFC 4226 section 4, R6).
    private static let keySizes = 16...128

    /// The hash function of the HMAC.
    public let algorithm: Algorithm
    /// The number of digits.
    public let digits: Int
    /// The time step.
    public let period: Duration
    private let key: [UInt8]

    /// Reads a secret.
    ///
    /// - Parameters:
    ///   - secret: At least 16 bytes in base32 (RFC 4648 section 6), in any case, with or without padding.
    ///   - algorithm: The hash function of the HMAC. Default: SHA-1.
    ///   - digits: The number of digits, 6 to 8. Default: 6.
    ///   - period: The time step in whole seconds, at most 300. Default: 30 seconds.
    /// - Throws: ``Failure``.
    public init(
        secret: Secret,
        algorithm: Algorithm = .sha1,
        digits: Int = 6,
        period: Duration = .seconds(30)
    ) throws(Failure) {
        guard let key = Base32.decode(secret.reveal(), maximumBytes: Self.keySizes.upperBound),
            Self.keySizes.contains(key.count)
        else { throw .secret }
        guard (6...8).contains(digits) else { throw .digits }
        guard period.components.attoseconds == 0, (1...300).contains(period.components.seconds) else { throw .period }
        self.algorithm = algorithm
        self.digits = digits
        self.period = period
        self.key = key
    }

    /// The one-time password of a moment.
    public func code(at time: Date) -> Secret { Secret(code(of: step(at: time))) }

    /// The time step of a typed one-time password; `nil` for a text that is not valid at this moment.
    ///
    /// The password of the step before is accepted for the time that typing takes, that of the next one for a clock
    /// that is ahead (RFC 6238 section 5.2). Each is compared, in a time that does not reveal how much was right.
    func step(of typed: String, at time: Date) -> Int? {
        guard typed.utf8.count <= Self.maximumTypedBytes else { return nil }
        let code = typed.filter { $0 != " " && $0 != "-" }
        let current = step(at: time)
        var found: Int?
        for step in [current - 1, current, current + 1] where constantTimeEqual(self.code(of: step), code) {
            found = step
        }
        return found
    }

    /// The time at which no step is accepted any more that is accepted now.
    func end(of step: Int) -> Date {
        Date(timeIntervalSince1970: Double((step + 2) * Int(period.components.seconds)))
    }

    /// The digest of a used password: of the user, the secret and the time step.
    func digest(of step: Int, for subject: String) -> SecretDigest {
        SecretDigest("\(step).\(Base64URL.encode(key)).\(subject)")
    }

    /// Longer than anyone types, spaces included.
    private static let maximumTypedBytes = 32

    private func step(at time: Date) -> Int {
        Int((time.timeIntervalSince1970 / Double(period.components.seconds)).rounded(.down))
    }

    /// HOTP of a time step. (RFC 4226 section 5.3)
    private func code(of step: Int) -> String {
        let counter = withUnsafeBytes(of: UInt64(bitPattern: Int64(step)).bigEndian) { Array($0) }
        let hash = authenticationCode(of: counter)
        let offset = Int(hash[hash.count - 1] & 0x0F)
        let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number % (0..<digits).reduce(UInt32(1)) { power, _ in power * 10 })
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }

    private func authenticationCode(of message: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: self.key)
        return switch algorithm {
        case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
        case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
        }
    }
}

extension OneTimePassword {
    /// Reads the member `one_time_password` of a user; `nil` for members that describe no authenticator app.
    init?(members: JSONObject) {
        guard members.names.allSatisfy(["secret", "algorithm", "digits", "period"].contains),
            let secret = members["secret"]?.string,
            let algorithm = Algorithm(rawValue: (members["algorithm"] ?? "SHA1").string ?? ""),
            let digits = (members["digits"] ?? 6).integer, let period = (members["period"] ?? 30).integer
        else { return nil }
        // A number that no `Duration` holds is as wrong as 301.
        let length = Duration.seconds(min(max(period, 0), 301))
        guard let read = try? Self(secret: Secret(secret), algorithm: algorithm, digits: digits, period: length) else {
            return nil
        }
        self = read
    }

    /// The member `one_time_password` of a user, with the secret.
    var members: JSONObject {
        [
            "secret": .string(Base32.encode(key)), "algorithm": .string(algorithm.rawValue),
            "digits": .integer(digits), "period": .integer(Int(period.components.seconds)),
        ]
    }
}

extension OneTimePassword: CustomStringConvertible, CustomReflectable {
    /// The form of the passwords, without the secret.
    public var description: String {
        "OneTimePassword(\(algorithm.rawValue), \(digits) digits, \(period.components.seconds) s)"
    }
    /// The form of the passwords, without the secret.
    public var customMirror: Mirror { Mirror(self, children: ["form": description]) }
}

/// Base32 (RFC 4648 section 6), as authenticator apps write secrets.
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// The bytes of a text in any case, with or without padding; `nil` for any other text.
    static func decode(_ text: String, maximumBytes: Int) -> [UInt8]? {
        guard text.utf8.count <= (maximumBytes + 4) / 5 * 8 else { return nil }
        let digits = Array(text.uppercased().utf8)
        let used = digits.prefix { $0 != UInt8(ascii: "=") }
        guard digits.dropFirst(used.count).allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
        guard used.count == digits.count || digits.count.isMultiple(of: 8), ![1, 3, 6].contains(used.count % 8) else {
            return nil
        }
        var bytes: [UInt8] = []
        var (bits, count) = (0, 0)
        for digit in used {
            guard let value = alphabet.firstIndex(of: digit) else { return nil }
            bits = (bits << 5 | value) & 0xFFF
            count += 5
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        return bytes
    }

    /// The text of bytes, without padding.
    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var (bits, count) = (0, 0)
        for byte in bytes {
            bits = (bits << 8 | Int(byte)) & 0xFFF
            count += 8
            while count >= 5 {
                count -= 5
                text.append(alphabet[bits >> count & 0x1F])
            }
        }
        if count > 0 { text.append(alphabet[bits << (5 - count) & 0x1F]) }
        return String(decoding: text, as: UTF8.self)
    }
}
