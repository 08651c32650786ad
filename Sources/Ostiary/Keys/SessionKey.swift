#if canImport(CryptoKit) && canImport(Security)
    import OstiaryJOSE
    public import OstiaryOAuth

    /// Where the key of a session is kept, that its tokens are bound to.
    ///
    ///     client.senderConstraint = .dpop(key: .secureEnclave)
    public enum SessionKey: Sendable, Hashable {
        /// In the Secure Enclave, and nowhere else: no backup contains it and no other device has it.
        ///
        /// On a device without an enclave there is no sign-in.
        case secureEnclave
        /// In the Secure Enclave, or, on a device without one, in the session's store.
        case secureEnclaveOrStore
        /// In the session's store, with its tokens.
        case store

        /// Makes a new key.
        ///
        /// - Throws: `configuration` when there has to be an enclave and there is none, or it makes no key.
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
        /// DPoP with a new key for each session, kept where the app says (RFC 9449).
        ///
        /// A phone that is restored from a backup has the session's tokens at most, and not its key: restoring the session
        /// says ``SignInError/Reason/keyLost`` then, and the person signs in again.
        public static func dpop(key: SessionKey) -> SenderConstraint {
            .dpop { () throws(SignInError) in try key.make() }
        }
    }
#endif
