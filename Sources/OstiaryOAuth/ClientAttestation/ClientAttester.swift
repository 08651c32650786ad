public import OstiaryJOSE

/// The app's own backend, which attests that an instance is the genuine app after verifying that it is.
///
/// It issues a JSON Web Token that binds the client identifier to the instance's key for a limited time.
/// (draft-ietf-oauth-attestation-based-client-auth-10)
public struct ClientAttester: Sendable {
    /// The subject of a requested attestation.
    public struct Request: Sendable, Hashable {
        /// The client that the instance is one of: the attestation's `sub`.
        public let clientID: String
        /// The instance's public key: the attestation's `cnf.jwk`.
        public let publicKey: JSONWebKey
    }

    let attest: @Sendable (Request) async throws(SignInError) -> Secret

    /// Makes an attester from the app's own request to its backend.
    ///
    /// - Parameter attest: Returns a compact JSON Web Token. An error that it throws is thrown to the caller that
    ///   needed the attestation.
    public init(_ attest: @escaping @Sendable (Request) async throws(SignInError) -> Secret) { self.attest = attest }
}
