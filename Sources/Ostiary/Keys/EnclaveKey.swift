#if canImport(CryptoKit) && canImport(Security)
    import CryptoKit
    import Foundation
    import OstiaryJOSE
    import Security

    /// P-256 keys that the Secure Enclave holds and signs with. (Apple, CryptoKit, `SecureEnclave.P256.Signing`)
    ///
    /// They are usable from the first unlock after a restart, also in the background, without asking the user. A handle
    /// is useless on another device, and on this one after it has been erased.
    enum EnclaveKey {
        /// The kind of the enclave's handles.
        static let kind = "secure-enclave"

        /// Whether this device has an enclave.
        static var isAvailable: Bool { SecureEnclave.isAvailable }

        /// Generates a key.
        ///
        /// - Throws: `keyFailure` when there is no enclave, or it fails to generate a key.
        static func make() throws(JOSEError) -> ExternalKey {
            guard isAvailable, let key = try? newKey() else { throw .keyFailure }
            return try external(key)
        }

        /// Generates a key that has never been used.
        static func newKey() throws -> SecureEnclave.P256.Signing.PrivateKey {
            let control = SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                .privateKeyUsage,
                nil
            )
            guard let control else { throw JOSEError.keyFailure }
            return try SecureEnclave.P256.Signing.PrivateKey(accessControl: control)
        }

        /// Returns the key of a handle.
        ///
        /// - Throws: `keyLost` when there is no enclave or it does not know the key, which it may report only when the
        ///   key signs; `keyLocked` when it opens no key now.
        static func found(by handle: [UInt8]) throws(JOSEError) -> ExternalKey {
            guard isAvailable else { throw .keyLost }
            let key = try EnclaveFailure.naming {
                try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(handle))
            }
            return try external(key)
        }

        private static func external(_ key: SecureEnclave.P256.Signing.PrivateKey) throws(JOSEError) -> ExternalKey {
            let handle = Array(key.dataRepresentation)
            return try ExternalKey(
                kind: kind,
                handle: handle,
                p256: Array(key.publicKey.rawRepresentation)
            ) { (bytes) throws(JOSEError) in
                // Opened for each signature: the system's key object is not meant to be shared between threads.
                try EnclaveFailure.naming {
                    let key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(handle))
                    return Array(try key.signature(for: Data(bytes)).rawRepresentation)
                }
            }
        }
    }
#endif
