#if canImport(CryptoKit) && canImport(Security)
    import CryptoKit
    import Foundation
    import OstiaryJOSE
    import Security

    /// Keys on the curve P-256 that the Secure Enclave keeps and signs with. (Apple, CryptoKit, `SecureEnclave.P256.Signing`)
    ///
    /// They can be used from the first unlock after a restart on, in the background, too, and ask nobody. A handle is of no
    /// use on another device, nor on this one when it was erased.
    enum EnclaveKey {
        /// Whose handles they are.
        static let kind = "secure-enclave"

        /// Whether this device has an enclave.
        static var isAvailable: Bool { SecureEnclave.isAvailable }

        /// Makes a new key.
        ///
        /// - Throws: `keyFailure` when there is no enclave, or it makes none.
        static func make() throws(JOSEError) -> ExternalKey {
            let control = SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                .privateKeyUsage,
                nil
            )
            guard isAvailable, let control,
                let key = try? SecureEnclave.P256.Signing.PrivateKey(accessControl: control)
            else { throw .keyFailure }
            return try external(key)
        }

        /// The key of a handle.
        ///
        /// - Throws: `keyLost` when the enclave does not know it.
        static func found(by handle: [UInt8]) throws(JOSEError) -> ExternalKey {
            guard isAvailable,
                let key = try? SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(handle))
            else { throw .keyLost }
            return try external(key)
        }

        private static func external(_ key: SecureEnclave.P256.Signing.PrivateKey) throws(JOSEError) -> ExternalKey {
            let handle = Array(key.dataRepresentation)
            return try ExternalKey(
                kind: kind,
                handle: handle,
                p256: Array(key.publicKey.rawRepresentation)
            ) { (bytes) throws(JOSEError) in
                // Opened anew for each signature: the system's key object is not made to be shared between threads.
                guard let key = try? SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(handle)) else {
                    throw .keyLost
                }
                // Of a key that the enclave knows, what fails is its use: the device was not unlocked since its start.
                guard let signature = try? key.signature(for: Data(bytes)) else { throw .keyLocked }
                return Array(signature.rawRepresentation)
            }
        }
    }
#endif
