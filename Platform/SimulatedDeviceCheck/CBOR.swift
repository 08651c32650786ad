import Foundation

/// The values of an attestation object. (RFC 8949 section 3)
indirect enum CBOR {
    case unsigned(UInt64)
    case negative(UInt64)
    case bytes(Data)
    case text(String)
    case array([CBOR])
    /// In the order given.
    case map([(CBOR, CBOR)])

    var encoded: Data {
        switch self {
        case .unsigned(let number): Self.head(0, number)
        case .negative(let number): Self.head(1, number - 1)
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + Data(text.utf8)
        case .array(let items): items.reduce(Self.head(4, UInt64(items.count))) { $0 + $1.encoded }
        case .map(let pairs):
            pairs.reduce(Self.head(5, UInt64(pairs.count))) { $0 + $1.0.encoded + $1.1.encoded }
        }
    }

    private static func head(_ major: UInt8, _ number: UInt64) -> Data {
        let type = major << 5
        switch number {
        case 0..<24: return Data([type | UInt8(number)])
        case 24...0xFF: return Data([type | 24, UInt8(number)])
        case 0x100...0xFFFF: return Data([type | 25, UInt8(number >> 8), UInt8(number & 0xFF)])
        default: return Data([type | 26] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
        }
    }
}
