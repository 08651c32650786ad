import Crypto
import Foundation

/// Ed25519 as CryptoKit has it: another signature on every call, each valid. swift-crypto signs as RFC 8032 does, always alike.
public enum Curve25519 {
    public typealias KeyAgreement = Crypto.Curve25519.KeyAgreement

    public enum Signing {
        public typealias PublicKey = Crypto.Curve25519.Signing.PublicKey

        public struct PrivateKey: Sendable {
            private let key: Crypto.Curve25519.Signing.PrivateKey

            public init() { key = Crypto.Curve25519.Signing.PrivateKey() }

            public init<D: ContiguousBytes>(rawRepresentation: D) throws {
                key = try Crypto.Curve25519.Signing.PrivateKey(rawRepresentation: rawRepresentation)
            }

            public var rawRepresentation: Data { key.rawRepresentation }
            public var publicKey: PublicKey { key.publicKey }

            /// R and S of RFC 8032 section 5.1.6, with the secret of another key made for this signature in the place of the
            /// hashed prefix.
            public func signature<D: DataProtocol>(for data: D) throws -> Data {
                let once = Crypto.Curve25519.Signing.PrivateKey()
                let point = once.publicKey.rawRepresentation
                let challenge = SHA512.hash(data: point + publicKey.rawRepresentation + Data(data))
                let sum = Scalar(Array(challenge)) * Scalar(of: key) + Scalar(of: once)
                return point + Data(sum.reduced.octets)
            }
        }
    }
}

/// A number without a sign, the lowest 32 bits first.
private struct Scalar {
    private var limbs: [UInt32]

    /// The order of the base point. (RFC 8032 section 5.1)
    private static let order = Scalar([
        0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ])

    /// A number of octets, the lowest first, in fours.
    init(_ octets: [UInt8]) {
        limbs = stride(from: 0, to: octets.count, by: 4).map { start in
            (0..<4).reduce(0) { $0 | UInt32(octets[start + $1]) << (8 * UInt32($1)) }
        }
    }

    /// The secret of a key, by which the base point is multiplied. (RFC 8032 section 5.1.5)
    init(of key: Crypto.Curve25519.Signing.PrivateKey) {
        var octets = Array(SHA512.hash(data: key.rawRepresentation).prefix(32))
        octets[0] &= 0xF8
        octets[31] = octets[31] & 0x7F | 0x40
        self.init(octets)
    }

    /// The 32 octets of a reduced number.
    var octets: [UInt8] {
        limbs.prefix(8).flatMap { limb in (0..<4).map { UInt8(truncatingIfNeeded: limb >> (8 * UInt32($0))) } }
    }

    static func * (left: Scalar, right: Scalar) -> Scalar {
        var product = left
        product.limbs = Array(repeating: 0, count: left.limbs.count + right.limbs.count)
        for (index, limb) in left.limbs.enumerated() {
            var carry: UInt64 = 0
            for (offset, other) in right.limbs.enumerated() {
                let sum = UInt64(limb) * UInt64(other) + UInt64(product.limbs[index + offset]) + carry
                product.limbs[index + offset] = UInt32(truncatingIfNeeded: sum)
                carry = sum >> 32
            }
            product.limbs[index + right.limbs.count] = UInt32(carry)
        }
        return product
    }

    static func + (left: Scalar, right: Scalar) -> Scalar {
        var sum = left
        sum.limbs.append(0)
        var carry: UInt64 = 0
        for index in sum.limbs.indices {
            let value = UInt64(sum.limbs[index]) + UInt64(index < right.limbs.count ? right.limbs[index] : 0) + carry
            sum.limbs[index] = UInt32(truncatingIfNeeded: value)
            carry = value >> 32
        }
        return sum
    }

    /// The rest of a division by the order, bit by bit.
    var reduced: Scalar {
        var rest = self
        rest.limbs = Array(repeating: 0, count: Self.order.limbs.count + 1)
        for bit in (0..<32 * limbs.count).reversed() {
            var carry = limbs[bit / 32] >> UInt32(bit % 32) & 1
            for index in rest.limbs.indices {
                let limb = rest.limbs[index]
                rest.limbs[index] = limb << 1 | carry
                carry = limb >> 31
            }
            rest.subtractOrderIfLarger()
        }
        return rest
    }

    private mutating func subtractOrderIfLarger() {
        var difference = limbs
        var borrow: Int64 = 0
        for index in limbs.indices {
            let order = index < Self.order.limbs.count ? Int64(Self.order.limbs[index]) : 0
            let value = Int64(limbs[index]) - order + borrow
            difference[index] = UInt32(truncatingIfNeeded: value)
            borrow = value < 0 ? -1 : 0
        }
        if borrow == 0 { limbs = difference }
    }
}
