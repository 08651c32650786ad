#if canImport(CryptoKit) && canImport(Security)
    import CryptoKit
    import Foundation
    import OstiaryJOSE
    import Security

    /// What a failure of the Secure Enclave means: a key that it does not open now, or one that it will never open.
    ///
    /// Apple documents no error of a key that is another device's: a handle of one may be refused when the key is made of it,
    /// or when it signs, and so may every handle of an enclave that is busy. So a key is lost only when the enclave opens
    /// another one at the same moment.
    enum EnclaveFailure {
        /// Does something with a key of a handle.
        ///
        /// - Throws: `keyLocked` when the enclave opens no key now; `keyLost` when it opens others, and twice not this one.
        static func naming<Value>(_ work: () throws -> Value) throws(JOSEError) -> Value {
            do {
                return try work()
            } catch {
                guard !isRefusalOfNow(error), opensKeys else { throw .keyLocked }
            }
            do {
                return try work()
            } catch {
                throw isRefusalOfNow(error) ? .keyLocked : .keyLost
            }
        }

        /// Whether an error says that the device is locked, or that somebody has to be asked who may not be.
        private static func isRefusalOfNow(_ error: any Error) -> Bool {
            let error = error as NSError
            switch (error.domain, error.code) {
            case (NSOSStatusErrorDomain, Int(errSecInteractionNotAllowed)): return true
            // LAError.notInteractive
            case ("com.apple.LocalAuthentication", -1004): return true
            // TKError: communicationError, authenticationNeeded
            case ("CryptoTokenKit", -2), ("CryptoTokenKit", -9): return true
            default: return false
            }
        }

        /// Whether the enclave makes a key like ours now, and signs with it; the key is not kept.
        private static var opensKeys: Bool {
            guard let key = try? EnclaveKey.newKey() else { return false }
            return (try? key.signature(for: Data("ostiary".utf8))) != nil
        }
    }
#endif
