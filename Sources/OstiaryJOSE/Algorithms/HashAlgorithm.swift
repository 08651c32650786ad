import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A hash of the SHA-2 family, as signature algorithms and token hashes use it. (FIPS 180-4)
public enum HashAlgorithm: Sendable, Hashable, CaseIterable {
    /// SHA-256.
    case sha256
    /// SHA-384.
    case sha384
    /// SHA-512.
    case sha512

    /// The hash of the bytes.
    public func hash(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sha256: SHA256.hash(data: bytes).withUnsafeBytes { Array($0) }
        case .sha384: SHA384.hash(data: bytes).withUnsafeBytes { Array($0) }
        case .sha512: SHA512.hash(data: bytes).withUnsafeBytes { Array($0) }
        }
    }

    /// The base64url text of the left half of the hash, as `at_hash`, `c_hash` and `s_hash` hold it.
    /// (OpenID Connect Core section 3.1.3.6)
    ///
    /// - Parameter ascii: The token or code, as it came.
    /// - Returns: The left half of the hash, as base64url.
    public func leftHalf(of ascii: String) -> String {
        let hash = hash(Array(ascii.utf8))
        return Base64URL.encode(Array(hash.prefix(hash.count / 2)))
    }
}
