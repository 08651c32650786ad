#if canImport(CryptoKit) && canImport(Security)
    import OstiaryJOSE
    public import OstiaryOAuth

    /// The place of a session's key, to which its tokens are bound.
    ///
    ///     client.senderConstraint = .dpop(key: .secureEnclave)
    public enum SessionKey: Sendable, Hashable {
        /// In the Secure Enclave only: no backup contains the key and no other device has it.
        ///
        /// On a device without an enclave, signing in fails.
        case secureEnclave
        /// In the Secure Enclave or, on a device without one, in the session's store.
        case secureEnclaveOrStore
        /// In the session's store, with its tokens.
        case store

        /// Generates a key.
        ///
        /// - Throws: `configuration` when the enclave is required and the device has none, or when it fails to generate
        ///   a key.
        public func make() throws(SignInError) -> DPoPKey {
            switch self {
            case .store: return try DPoPKey.generate()
            case .secureEnclaveOrStore where !EnclaveKey.isAvailable: return try DPoPKey.generate()
            case .secureEnclave, .secureEnclaveOrStore:
                do throws(JOSEError) {
                    return DPoPKey(try SigningKey(try EnclaveKey.make()))
                } catch {
                    let sentence = "This device makes no key in a Secure Enclave: allow .secureEnclaveOrStore."
                    throw SignInError(.authorization, .configuration(sentence))
                }
            }
        }
    }

    extension SenderConstraint {
        /// DPoP with a new key for each session, in the place that the app chooses (RFC 9449).
        ///
        /// A phone that is restored from a backup has the session's tokens at most, and not its key. Restoring the
        /// session then throws `SignInError.Reason.keyLost`, and the user signs in again.
        public static func dpop(key: SessionKey) -> SenderConstraint {
            .dpop { () throws(SignInError) in try key.make() }
        }
    }
#endif
