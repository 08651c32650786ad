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
#endif
