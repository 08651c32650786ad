#if canImport(DeviceCheck)
    /// The evidence that a device presents to the app's own backend, so that the backend vouches for this installation.
    ///
    /// The backend validates it as Apple describes ("Validating apps that connect to your server"): one attestation for
    /// each key, then assertions, whose counter grows.
    public struct AppAttestEvidence: Sendable, Hashable {
        /// The kinds of evidence.
        public enum Kind: String, Sendable, Hashable {
            /// The attestation object of a new key, in CBOR.
            case attestation
            /// An assertion of a key that the backend knows, in CBOR.
            case assertion
        }

        /// The kind of this evidence.
        public let kind: Kind
        /// The identifier of App Attest's key, in base64.
        public let keyID: String
        /// The attestation object or the assertion.
        public let object: [UInt8]
        /// The data of which the SHA-256 digest was signed, a JSON object.
        ///
        /// It contains the backend's `challenge` in base64url, the `client_id`, and the public key `jwk`. The backend's
        /// client attestation must carry that key as `cnf`.
        public let clientData: [UInt8]
    }
#endif
