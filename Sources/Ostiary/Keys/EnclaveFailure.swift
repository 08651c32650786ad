#if canImport(CryptoKit) && canImport(Security)
    import CryptoKit
    import Foundation
    import OstiaryJOSE
    import Security

    /// Distinguishes a key that the Secure Enclave does not open now from one that it will never open.
    ///
    /// Apple documents no error for a key of another device. The enclave may refuse such a handle when the key is
    /// created from it or when the key signs, and a busy enclave may refuse every handle. A key therefore counts as
    /// lost only when the enclave opens another one at the same moment.
    enum EnclaveFailure {
        /// Runs work with the key of a handle, a second time after a failure that is not temporary.
        ///
        /// - Throws: `keyLocked` when the enclave opens no key now; `keyLost` when it opens other keys but has failed
        ///   twice with this one.
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

        /// Whether an error means that the device is locked, or that the user would have to be asked and must not be.
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

        /// Whether the enclave now generates a key like ours and signs with it; the key is not kept.
        private static var opensKeys: Bool {
            guard let key = try? EnclaveKey.newKey() else { return false }
            return (try? key.signature(for: Data("ostiary".utf8))) != nil
        }
    }
#endif
