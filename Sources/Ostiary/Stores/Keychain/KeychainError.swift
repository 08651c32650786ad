#if canImport(Security)
    import OstiaryOAuth
    import Security

    /// A status with which a keychain call failed.
    struct KeychainError: Error, Hashable {
        let status: OSStatus

        /// What it means to whoever keeps a session. (Security/SecBase.h)
        var failure: StorageFailure {
            switch status {
            case errSecInteractionNotAllowed: .locked
            case errSecMissingEntitlement: .notEntitled
            case errSecUserCanceled: .cancelled
            case errSecAuthFailed: .notRecognized
            case Self.invalidated.status: .invalidated
            case errSecDecode: .corrupted
            default: .unavailable
            }
        }

        static let locked = KeychainError(status: errSecInteractionNotAllowed)
        static let unavailable = KeychainError(status: errSecNotAvailable)
        static let corrupted = KeychainError(status: errSecDecode)
        /// No status of the system's: what is left of a guarded value shows that it is lost.
        static let invalidated = KeychainError(status: .max)
    }

    /// Runs the steps of a write or a removal, in which nobody is asked.
    ///
    /// What is not recognized there (−25293) is no person: the device has no passcode, or nobody's face or finger is enrolled.
    /// (Security, SecItemDb.c, "pdmn=akpu but passcode is not set")
    func writing<Value>(_ steps: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        do throws(KeychainError) {
            return try steps()
        } catch {
            throw error.status == errSecAuthFailed ? .unavailable : error
        }
    }
#endif
