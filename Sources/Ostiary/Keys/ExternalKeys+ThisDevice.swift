import OstiaryJOSE
import OstiaryOAuth

extension ExternalKeys {
    /// The keys in this device's own hardware.
    #if canImport(CryptoKit) && canImport(Security)
        static let thisDevice = ExternalKeys { (kind, handle) throws(JOSEError) in
            guard kind == EnclaveKey.kind else { throw .keyLost }
            return try EnclaveKey.found(by: handle)
        }
    #else
        static let thisDevice = ExternalKeys.none
    #endif
}
