import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

extension OIDTokenRequest {
    /// Sends the request, and makes every check of its response.
    ///
    /// `answered` is the authorization request whose code it redeems; `nil` for the one that this request remembers.
    func performed(answering answered: OIDAuthorizationRequest?) async throws(SignInError) -> OIDTokenResponse {
        guard grantType != OIDGrantTypeRefreshToken else { return try await refreshed() }
        try requirePermittedGrant()
        let surroundings = OIDTransportProvider.surroundings
        let context = ExchangeContext(device: surroundings.clock)
        let server = try configuration.server()
        let call = TokenCall(
            grant: AppGrant(parameters: try parameters(), expectation: expectation(answered ?? self.answered)),
            grantType: grantType,
            headers: additionalHeaders ?? [:],
            client: try client(at: server),
            server: server
        )
        let requested = context.clock.now
        let answer = try await surroundings.transport.perform(call, in: context)
        let tokens = try await checked(answer, of: call, requested, over: surroundings.transport, in: context)
        return OIDTokenResponse(self, tokens, members: answer.members)
    }

    private func checked(
        _ answer: TokenCall.Answer,
        of call: TokenCall,
        _ requested: Date,
        over transport: any HTTPTransport,
        in context: ExchangeContext
    ) async throws(SignInError) -> TokenSet {
        guard let idToken = answer.members["id_token"]?.string else {
            return try answer.response.validated(
                by: JSONWebKeySet([]),
                now: context.clock.now,
                requested: requested
            )
        }
        let claimed = IDTokenParts(idToken)?.claims["iss"]?.string
        let server = try await configuration.server(signingFor: claimed, over: transport, in: context)
        let keys = try await transport.perform(KeySetRequest(server), in: context)
        guard case .keys(let keys) = keys.content else { throw SignInError(.keys, .malformed("the key set")) }
        return try call.answer(answer, as: server).validated(by: keys, now: context.clock.now, requested: requested)
    }

    /// Rejects a grant that hands the user's password to the app (RFC 9700 section 2.4).
    private func requirePermittedGrant() throws(SignInError) {
        guard grantType != OIDGrantTypePassword else {
            let refusal = OAuthError(
                code: .unsupportedGrantType,
                description: "The password grant is not supported (RFC 9700 section 2.4): use the code flow."
            )
            throw SignInError(.token, .refused(refusal))
        }
        guard grantType != OIDGrantTypeAuthorizationCode || redirectURL != nil else {
            throw SignInError(.token, .configuration("A code is redeemed with its redirect URI: give redirectURL."))
        }
    }

    private func expectation(_ request: OIDAuthorizationRequest?) -> TokenResponse.Expectation {
        if let request { return request.expectation }
        let scopes = OIDScopeUtilities.scopesArray(with: scope ?? "").map(Scope.init(rawValue:))
        return .tokens(scopes: scopes)
    }

    /// The parameters besides the grant type and the client's authentication.
    private func parameters() throws(SignInError) -> Parameters {
        var parameters = Parameters()
        parameters[.code] = authorizationCode
        parameters[.redirectURI] = redirectURL?.absoluteString
        parameters[.codeVerifier] = codeVerifier
        if let scope, !scope.isEmpty { parameters[.scope] = scope }
        parameters.append(try ownParameters())
        return parameters
    }

    /// The app's parameters, without the secret that authenticates the client.
    ///
    /// - Throws: `configuration` at stage `token` when one of them is set by the request itself.
    func ownParameters() throws(SignInError) -> [String: String] {
        var additional = additionalParameters ?? [:]
        additional["client_secret"] = nil
        let own: Set<String> = ["grant_type", "code", "redirect_uri", "code_verifier", "client_id", "refresh_token"]
        if let name = additional.keys.sorted().first(where: own.contains) {
            throw SignInError(
                .token,
                .configuration("\(name) is set by the request itself and cannot be an additional parameter.")
            )
        }
        return additional
    }

    /// The client, with the way to authenticate that the request and the server's metadata name.
    func client(at server: AuthorizationServer) throws(SignInError) -> Client {
        // A refresh has no redirect URI, and a client has one.
        let redirectURI = try RedirectURI(redirectURL?.absoluteString ?? "ostiary-appauth:/none")
        return try Client(id: clientID, redirectURI: redirectURI, authentication: authentication(at: server))
    }

    private func authentication(at server: AuthorizationServer) -> ClientAuthentication {
        if let clientSecret {
            let methods = server.tokenEndpointAuthenticationMethods ?? []
            let isPosted = methods.contains("client_secret_post") && !methods.contains("client_secret_basic")
            return isPosted ? .clientSecretPost(Secret(clientSecret)) : .clientSecretBasic(Secret(clientSecret))
        }
        if let posted = additionalParameters?["client_secret"] { return .clientSecretPost(Secret(posted)) }
        return .none
    }
}
