public import Ostiary
public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The single steps of a sign-in at Logto, under the names of its own SDK, for apps that combine them themselves.
///
/// The functions check only the form of their results: neither the ID token nor the subject of user info is validated.
/// ``Logto`` and ``LogtoClient`` validate, store and refresh.
public enum LogtoCore {
    /// The type of user info.
    public typealias UserInfoResponse = LogtoUserInfo

    /// The tenant's metadata.
    public struct OidcConfigResponse: Sendable, Hashable {
        /// The endpoint at which the user signs in.
        public let authorizationEndpoint: String
        /// The endpoint at which grants are redeemed for tokens.
        public let tokenEndpoint: String
        /// The endpoint at which the user signs out.
        public let endSessionEndpoint: String
        /// The endpoint for revoking tokens.
        public let revocationEndpoint: String
        /// The endpoint for claims about the user.
        public let userinfoEndpoint: String
        /// The URL of the key set.
        public let jwksUri: String
        /// The issuer of the tokens.
        public let issuer: String
    }

    /// The unvalidated response to a code or a refresh token.
    public struct TokenResponse: Sendable, Hashable {
        /// The access token.
        public let accessToken: Secret
        /// The next refresh token, if one came.
        public let refreshToken: Secret?
        /// The ID token, if one came; unchecked.
        public let idToken: Secret?
        /// The granted scopes; `nil` when the server named none, and then the requested ones.
        public let scope: String?
        /// The lifetime of the access token, in seconds; `nil` when the server named none.
        public let expiresIn: Int64?
    }

    /// The response to a code.
    public typealias CodeTokenResponse = TokenResponse
    /// The response to a refresh token.
    public typealias RefreshTokenTokenResponse = TokenResponse

    /// Reads a tenant's metadata, and checks that it is that tenant's.
    ///
    /// - Parameters:
    ///   - session: The transport of the request.
    ///   - uri: `{endpoint}/oidc/.well-known/openid-configuration`.
    /// - Returns: The metadata.
    /// - Throws: ``LogtoClientErrors/OidcConfig``.
    public static func fetchOidcConfig(
        useSession session: any NetworkSession = URLSessionTransport(),
        uri: URL
    ) async throws(LogtoClientErrors.OidcConfig) -> OidcConfigResponse {
        try await fetchOidcConfig(from: SessionTransport.of(session), uri: uri)
    }

    static func fetchOidcConfig(
        from transport: any HTTPTransport,
        uri: URL
    ) async throws(LogtoClientErrors.OidcConfig) -> OidcConfigResponse {
        do throws(SignInError) {
            let path = "/.well-known/openid-configuration"
            let text = uri.absoluteString
            let issuer = try Issuer(text.hasSuffix(path) ? String(text.dropLast(path.count)) : text)
            let server = try await LogtoTransport(transport).perform(
                ServerMetadataRequest(issuer),
                in: ExchangeContext()
            )
            guard let authorization = server.authorizationEndpoint, let token = server.tokenEndpoint,
                let endSession = server.endSessionEndpoint, let revocation = server.revocationEndpoint,
                let userInfo = server.userInfoEndpoint, let keys = server.jwksURI
            else { throw SignInError(.discovery, .malformed("an endpoint is missing")) }
            return OidcConfigResponse(
                authorizationEndpoint: authorization.absoluteString,
                tokenEndpoint: token.absoluteString,
                endSessionEndpoint: endSession.absoluteString,
                revocationEndpoint: revocation.absoluteString,
                userinfoEndpoint: userInfo.absoluteString,
                jwksUri: keys.absoluteString,
                issuer: server.issuer.description
            )
        } catch {
            throw LogtoClientErrors.OidcConfig(type: .unableToFetchOidcConfig, innerError: error)
        }
    }

    /// Redeems a code.
    ///
    /// - Throws: `SignInError` at stage `token`.
    public static func fetchToken(
        useSession session: any NetworkSession = URLSessionTransport(),
        byAuthorizationCode code: String,
        codeVerifier: String,
        tokenEndpoint: String,
        clientId: String,
        redirectUri: String
    ) async throws(SignInError) -> CodeTokenResponse {
        let form = Parameters([
            .grantType: "authorization_code", .code: code, .codeVerifier: codeVerifier, .clientID: clientId,
            .redirectURI: redirectUri,
        ])
        return try await LogtoTransport(SessionTransport.of(session)).perform(
            FormPost(stage: .token, endpoint: tokenEndpoint, form: form) { (response) throws(SignInError) in
                try TokenResponse(response, at: .token)
            },
            in: ExchangeContext()
        )
    }

    /// Redeems a refresh token, which this use invalidates.
    ///
    /// - Throws: `SignInError` at stage `refresh`.
    public static func fetchToken(
        useSession session: any NetworkSession = URLSessionTransport(),
        byRefreshToken refreshToken: String,
        tokenEndpoint: String,
        clientId: String,
        resource: String? = nil,
        scopes: [String]? = nil,
        organizationId: String? = nil
    ) async throws(SignInError) -> RefreshTokenTokenResponse {
        var form = Parameters([.grantType: "refresh_token", .refreshToken: refreshToken, .clientID: clientId])
        let urn = resource.flatMap(LogtoUtilities.organizationID)
        form[.resource] = urn == nil ? resource : nil
        form["organization_id"] = organizationId ?? urn
        if let scopes, !scopes.isEmpty { form[.scope] = scopes.joined(separator: " ") }
        return try await LogtoTransport(SessionTransport.of(session)).perform(
            FormPost(stage: .refresh, endpoint: tokenEndpoint, form: form) { (response) throws(SignInError) in
                try TokenResponse(response, at: .refresh)
            },
            in: ExchangeContext()
        )
    }

    /// Returns the tenant's claims about a user, without comparing their subject.
    ///
    /// - Throws: ``LogtoClientErrors/UserInfo``.
    public static func fetchUserInfo(
        useSession session: any NetworkSession = URLSessionTransport(),
        userInfoEndpoint: String,
        accessToken: String
    ) async throws(LogtoClientErrors.UserInfo) -> UserInfoResponse {
        let outcome: LogtoRequest.Outcome = await LogtoRequest.get(
            useSession: session,
            endpoint: userInfoEndpoint,
            headers: ["Authorization": "Bearer \(accessToken)"]
        )
        do {
            let claims = try JSONObject(parsing: Array(try outcome.get()))
            return LogtoUserInfo(claims: claims)
        } catch {
            throw LogtoClientErrors.UserInfo(type: .unableToFetchUserInfo, innerError: error)
        }
    }

    /// Reads the tenant's keys; those of kinds that do not sign are left out.
    ///
    /// - Throws: ``LogtoClientErrors/JwkSet``.
    public static func fetchJwkSet(
        useSession session: any NetworkSession = URLSessionTransport(),
        jwksUri: String
    ) async throws(LogtoClientErrors.JwkSet) -> JSONWebKeySet {
        let outcome: LogtoRequest.Outcome = await LogtoRequest.get(useSession: session, endpoint: jwksUri)
        do {
            return try JSONWebKeySet(parsing: Array(try outcome.get()))
        } catch {
            throw LogtoClientErrors.JwkSet(type: .unableToFetchJwkSet, innerError: error)
        }
    }

    /// Revokes a token.
    ///
    /// - Throws: `SignInError` at stage `revocation`.
    public static func revoke(
        useSession session: any NetworkSession = URLSessionTransport(),
        token: String,
        revocationEndpoint: String,
        clientId: String
    ) async throws(SignInError) {
        try await LogtoTransport(SessionTransport.of(session)).perform(
            FormPost(
                stage: .revocation,
                endpoint: revocationEndpoint,
                form: Parameters([.token: token, .clientID: clientId])
            ) { (_) throws(SignInError) in },
            in: ExchangeContext()
        )
    }
}
