import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension LogtoCore {
    /// Builds the URL of a sign-in, keeping the endpoint's own query.
    ///
    /// - Parameters:
    ///   - authorizationEndpoint: The authorization endpoint, from the tenant's metadata.
    ///   - clientId: The application's identifier.
    ///   - redirectUri: The redirect URI.
    ///   - codeChallenge: The PKCE challenge of the S256 method.
    ///   - state: The value that the redirect returns.
    ///   - scopes: The requested scopes.
    ///   - resources: The resource indicators of API resources.
    ///   - prompt: The pages that the user has to see.
    ///   - loginHint: The name or address that the sign-in page is filled in with.
    ///   - directSignIn: The connector that replaces the sign-in page.
    ///   - extraParams: Any other parameter of Logto's; none that the function sets itself.
    /// - Returns: The URL to open.
    /// - Throws: ``LogtoErrors/UrlConstruction`` for an endpoint that is not an https URL, and for an extra parameter
    ///   that would override another.
    public static func generateSignInUri(
        authorizationEndpoint: String,
        clientId: String,
        redirectUri: URL,
        codeChallenge: String,
        state: String,
        scopes: [String] = [],
        resources: [String] = [],
        prompt: Prompt = .consent,
        loginHint: String? = nil,
        directSignIn: DirectSignInOptions? = nil,
        extraParams: [String: String]? = nil
    ) throws(LogtoErrors.UrlConstruction) -> URL {
        var parameters = Parameters([
            .clientID: clientId, .redirectURI: redirectUri.absoluteString, .codeChallenge: codeChallenge,
            .codeChallengeMethod: "S256", .state: state, .responseType: "code",
            .scope: LogtoUtilities.withReservedScopes(scopes).joined(separator: " "), .prompt: prompt.rawValue,
        ])
        for resource in resources { parameters.append(resource, for: .resource) }
        if let loginHint, !loginHint.isEmpty { parameters[.loginHint] = loginHint }
        parameters["direct_sign_in"] = directSignIn?.text
        for (name, value) in (extraParams ?? [:]).sorted(by: { $0.key < $1.key }) {
            let name = Parameters.Name(rawValue: name)
            guard parameters[name] == nil, !Self.reserved.contains(name) else { throw .unableToConstructUrl }
            parameters.append(value, for: name)
        }
        return try url(authorizationEndpoint, parameters)
    }

    /// Builds the URL of a sign-out, keeping the endpoint's own query.
    ///
    /// - Throws: ``LogtoErrors/UrlConstruction`` for an endpoint that is not an https URL.
    public static func generateSignOutUri(
        endSessionEndpoint: String,
        clientId: String,
        postLogoutRedirectUri: String? = nil
    ) throws(LogtoErrors.UrlConstruction) -> URL {
        var parameters = Parameters([.clientID: clientId])
        parameters[.postLogoutRedirectURI] = postLogoutRedirectUri
        return try url(endSessionEndpoint, parameters)
    }

    /// Checks a redirect: its URI, exactly one equal `state`, and only then an error or the code.
    ///
    /// - Parameters:
    ///   - callback: The redirect.
    ///   - redirectUri: The expected redirect URI, compared exactly but for the case of scheme and host.
    ///   - state: The `state` of the request.
    /// - Returns: The code.
    /// - Throws: ``LogtoErrors/UriVerification``.
    public static func verifyAndParseSignInCallbackUri(
        _ callback: URL,
        redirectUri: URL,
        state: String
    ) throws(LogtoErrors.UriVerification) -> String {
        let redirect: AuthorizationRedirect
        do throws(SignInError) {
            redirect = try AuthorizationRedirect(callback, to: try RedirectURI(redirectUri.absoluteString))
        } catch {
            throw error.reason == .mismatch(.redirectURI) ? .redirectUriMismatched : .decodeComponentsFailed
        }
        guard !redirect.repeats([.state, .code, .error]) else { throw .decodeComponentsFailed }
        guard let given = redirect.single(.state), constantTimeEqual(given, state) else { throw .stateMismatched }
        if let error = redirect.error { throw .errorItemFound(items: error.queryItems) }
        guard let code = redirect.single(.code), !code.isEmpty else { throw .missingCode }
        return code
    }

    private static let reserved: Set<Parameters.Name> = [
        .responseMode, .nonce, .codeVerifier, .clientSecret, .resource, .requestURI, "request",
    ]

    private static func url(
        _ endpoint: String,
        _ parameters: Parameters
    ) throws(LogtoErrors.UrlConstruction) -> URL {
        let place = String(endpoint.prefix { $0 != "?" })
        guard (try? Issuer(place)) != nil, !endpoint.contains("#") else { throw .invalidEndpoint }
        let separator = endpoint.contains("?") ? "&" : "?"
        guard let url = URL(string: endpoint + separator + FormURLEncoding.encode(parameters)) else {
            throw .unableToConstructUrl
        }
        return url
    }
}
