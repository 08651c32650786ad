import Ostiary

extension CurityInstallation {
    /// A token that allows one registration; `nil` where none is needed.
    func initialAccessToken() async throws(SignInError) -> Secret? {
        let scopes = [CurityInitialAccess.scope]
        // The tokens of this sign-in are never stored: the store ends with this function.
        let store = MemoryStore()
        switch configuration.registration.access.source {
        case .none: return nil
        case .given(let provide): return try await provide()
        case .credentials(let id, let secret):
            let client = try Client(
                id: id,
                redirectURI: configuration.redirectURI,
                authentication: .clientSecretBasic(secret)
            )
            let tokens = try await signInClient(client, store: store).clientCredentials(scopes: scopes)
            return try Self.checked(tokens.accessToken, tokens.scopes)
        case .person(let id):
            let client = try Client(id: id, redirectURI: configuration.redirectURI)
            let request = AuthorizationRequest(scopes: scopes, prompt: [.login])
            let session = try await signInClient(client, store: store).signIn(request)
            return try Self.checked(try await session.accessToken(), session.scopes)
        }
    }

    /// A server leaves a scope out that the client may not have, and says so by the way.
    private static func checked(_ token: Secret, _ scopes: [Scope]) throws(SignInError) -> Secret {
        guard scopes.contains(CurityInitialAccess.scope) else {
            throw SignInError(
                .registration,
                .configuration("The client that gets initial access tokens did not get the scope dcr.")
            )
        }
        return token
    }
}
