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
            guard isAvailable, let key = try? newKey() else { throw .keyFailure }
            return try external(key)
        }

        /// A key that has not been used yet.
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

        /// The key of a handle.
        ///
        /// - Throws: `keyLost` when the enclave does not know it, which it may say only when the key signs; `keyLocked` when
        ///   it opens no key now.
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
                // Opened anew for each signature: the system's key object is not made to be shared between threads.
                try EnclaveFailure.naming {
                    let key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(handle))
                    return Array(try key.signature(for: Data(bytes)).rawRepresentation)
                }
            }
        }
    }
#endif
