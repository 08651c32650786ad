import Crypto
import OstiaryJOSE

/// The certificate whose key the client proved when the connection was made. (RFC 8705 section 3)
public struct ClientCertificate: Sendable, Hashable {
    /// The base64url of the certificate's SHA-256, as in `x5t#S256`. (RFC 8705 section 3.1)
    public let thumbprint: String

    /// Makes one from DER of at most 64 KiB; `nil` for bytes that are not a single DER sequence.
    public init?(der: [UInt8]) {
        guard der.count <= 65_536, Self.isSequence(der) else { return nil }
        thumbprint = Base64URL.encode(Array(SHA256.hash(data: der)))
    }

    /// Whether the bytes are one DER sequence without trailing bytes.
    private static func isSequence(_ der: [UInt8]) -> Bool {
        guard der.count > 4, der[0] == 0x30 else { return false }
        let first = Int(der[1])
        guard first > 0x80 else { return first < 0x80 && der.count == first + 2 }
        let bytes = first - 0x80
        guard bytes <= 3, der.count > 2 + bytes, der[2] != 0 else { return false }
        return der.count == der[2..<(2 + bytes)].reduce(0) { $0 << 8 | Int($1) } + 2 + bytes
    }
}
