import OstiaryJOSE
import OstiaryOAuth

extension ExternalKeys {
    /// The keys that this device's own hardware keeps.
    #if canImport(CryptoKit) && canImport(Security)
        static let thisDevice = ExternalKeys { (kind, handle) throws(JOSEError) in
            guard kind == EnclaveKey.kind else { throw .keyLost }
            return try EnclaveKey.found(by: handle)
        }
    #else
        static let thisDevice = ExternalKeys.none
    #endif
}
