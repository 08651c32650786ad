#if canImport(Security)
    import OstiaryOAuth
    import Security

    /// The status of a failed keychain call.
    struct KeychainError: Error, Hashable {
        let status: OSStatus

        /// The failure for the store's caller. (Security/SecBase.h)
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
        /// Not a status of the system: the remains of a guarded value show that it is lost.
        static let invalidated = KeychainError(status: .max)
    }

    /// Runs the steps of a write or a removal, in which the user is never asked.
    ///
    /// `errSecAuthFailed` (−25293) then does not mean an unrecognized user: the device has no passcode, or no face or
    /// finger is enrolled. (Security, SecItemDb.c, "pdmn=akpu but passcode is not set")
    func writing<Value>(_ steps: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        do throws(KeychainError) {
            return try steps()
        } catch {
            throw error.status == errSecAuthFailed ? .unavailable : error
        }
    }
#endif
