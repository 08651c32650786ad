public import OstiaryJOSE

/// Who vouches for an instance of an app: the app's own backend, which first convinces itself that it is the app.
///
/// What it gives is a JSON Web Token that binds the client identifier to the instance's key for a while.
/// (draft-ietf-oauth-attestation-based-client-auth-10)
public struct ClientAttester: Sendable {
    /// What an attestation is asked for.
    public struct Request: Sendable, Hashable {
        /// The client that the instance is one of: the attestation's `sub`.
        public let clientID: String
        /// The instance's public key: the attestation's `cnf.jwk`.
        public let publicKey: JSONWebKey
    }

    let attest: @Sendable (Request) async throws(SignInError) -> Secret

    /// Asks an attester in the app's own way.
    ///
    /// - Parameter attest: Returns a compact JSON Web Token. What it throws is thrown by whatever needed the attestation.
    public init(_ attest: @escaping @Sendable (Request) async throws(SignInError) -> Secret) { self.attest = attest }
}
