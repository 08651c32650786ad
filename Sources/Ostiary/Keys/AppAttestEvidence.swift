#if canImport(DeviceCheck)
    /// What a device shows to the app's own backend, so that it vouches for this installation.
    ///
    /// The backend checks it as Apple describes ("Validating apps that connect to your server"): an attestation once for
    /// each key, then assertions, whose counter grows.
    public struct AppAttestEvidence: Sendable, Hashable {
        /// The two kinds.
        public enum Kind: String, Sendable, Hashable {
            /// The attestation object of a new key, in CBOR.
            case attestation
            /// An assertion of a key that the backend knows, in CBOR.
            case assertion
        }

        /// Which kind it is.
        public let kind: Kind
        /// The identifier of App Attest's key, in base64.
        public let keyID: String
        /// The attestation object or the assertion.
        public let object: [UInt8]
        /// What was signed, by its SHA-256: a JSON object with the backend's `challenge` in base64url, the `client_id`, and
        /// the public key `jwk` that the backend's client attestation has to name as `cnf`.
        public let clientData: [UInt8]
    }
#endif
