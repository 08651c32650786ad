public import Foundation
import Ostiary
import OstiaryOAuth

/// An authorization request of the code flow with PKCE (RFC 6749 section 4.1.1, RFC 7636 section 4.3).
///
/// Any values can be put into one; it is checked when it is presented.
public final class OIDAuthorizationRequest: NSObject, NSCopying, NSSecureCoding, OIDExternalUserAgentRequest, Sendable {
    /// The server.
    public let configuration: OIDServiceConfiguration
    /// The response type; only ``OIDResponseTypeCode`` can be presented.
    public let responseType: String
    /// The client identifier.
    public let clientID: String
    /// The scopes, separated by spaces.
    public let scope: String?
    /// The redirect URI.
    public let redirectURL: URL?
    /// The value that ties the redirect to this request (RFC 6749 section 10.12).
    public let state: String?
    /// The value that ties the ID token to this request (OpenID Connect Core section 3.1.2.1).
    public let nonce: String?
    /// The PKCE challenge (RFC 7636 section 4.2).
    public let codeChallenge: String?
    /// The PKCE method; only `S256` can be presented.
    public let codeChallengeMethod: String?
    private let secret: Secret?
    private let verifier: Secret?
    /// Further parameters, sent in the order of their names.
    public let additionalParameters: [String: String]?

    /// The client secret, for the token request.
    public var clientSecret: String? { secret?.reveal() }
    /// The PKCE verifier (RFC 7636 section 4.1).
    public var codeVerifier: String? { verifier?.reveal() }

    /// Makes a request of a public client, with a new state, nonce and PKCE verifier.
    public convenience init(
        configuration: OIDServiceConfiguration,
        clientId clientID: String,
        scopes: [String]?,
        redirectURL: URL,
        responseType: String,
        additionalParameters: [String: String]?
    ) {
        self.init(
            configuration: configuration,
            clientId: clientID,
            clientSecret: nil,
            scopes: scopes,
            redirectURL: redirectURL,
            responseType: responseType,
            additionalParameters: additionalParameters
        )
    }

    /// Makes a request of a public client with the app's nonce, and with a new state and PKCE verifier.
    public convenience init(
        configuration: OIDServiceConfiguration,
        clientId clientID: String,
        scopes: [String]?,
        redirectURL: URL,
        responseType: String,
        nonce: String?,
        additionalParameters: [String: String]?
    ) {
        let verifier = Self.generateCodeVerifier()
        self.init(
            configuration: configuration,
            clientId: clientID,
            clientSecret: nil,
            scope: scopes.map(OIDScopeUtilities.scopes(with:)),
            redirectURL: redirectURL,
            responseType: responseType,
            state: Self.generateState(),
            nonce: nonce,
            codeVerifier: verifier,
            codeChallenge: Self.codeChallengeS256(forVerifier: verifier),
            codeChallengeMethod: OIDOAuthorizationRequestCodeChallengeMethodS256,
            additionalParameters: additionalParameters
        )
    }

    /// Makes a request with a new state, nonce and PKCE verifier.
    public convenience init(
        configuration: OIDServiceConfiguration,
        clientId clientID: String,
        clientSecret: String?,
        scopes: [String]?,
        redirectURL: URL,
        responseType: String,
        additionalParameters: [String: String]?
    ) {
        let verifier = Self.generateCodeVerifier()
        self.init(
            configuration: configuration,
            clientId: clientID,
            clientSecret: clientSecret,
            scope: scopes.map(OIDScopeUtilities.scopes(with:)),
            redirectURL: redirectURL,
            responseType: responseType,
            state: Self.generateState(),
            nonce: Self.generateState(),
            codeVerifier: verifier,
            codeChallenge: Self.codeChallengeS256(forVerifier: verifier),
            codeChallengeMethod: OIDOAuthorizationRequestCodeChallengeMethodS256,
            additionalParameters: additionalParameters
        )
    }

    /// Makes a request of values that the app chose.
    public init(
        configuration: OIDServiceConfiguration,
        clientId clientID: String,
        clientSecret: String?,
        scope: String?,
        redirectURL: URL?,
        responseType: String,
        state: String?,
        nonce: String?,
        codeVerifier: String?,
        codeChallenge: String?,
        codeChallengeMethod: String?,
        additionalParameters: [String: String]?
    ) {
        self.configuration = configuration
        self.clientID = clientID
        secret = clientSecret.map(Secret.init)
        self.scope = scope
        self.redirectURL = redirectURL
        self.responseType = responseType
        self.state = state
        self.nonce = nonce
        verifier = codeVerifier.map(Secret.init)
        self.codeChallenge = codeChallenge
        self.codeChallengeMethod = codeChallengeMethod
        self.additionalParameters = additionalParameters
    }

    /// A new `state`: 32 random bytes as base64url.
    public static func generateState() -> String? { OIDTokenUtilities.randomURLSafeString(withSize: 32) }

    /// A new PKCE verifier: 32 random bytes as base64url, 43 characters (RFC 7636 section 4.1).
    public static func generateCodeVerifier() -> String? { OIDTokenUtilities.randomURLSafeString(withSize: 32) }

    /// The S256 challenge of a verifier (RFC 7636 section 4.2); `nil` for none.
    public static func codeChallengeS256(forVerifier codeVerifier: String?) -> String? {
        codeVerifier.map { OIDTokenUtilities.encodeBase64urlNoPadding(OIDTokenUtilities.sha256($0)) }
    }

    /// The URL to open in a user agent.
    public func authorizationRequestURL() -> URL {
        var query = Parameters()
        query[.responseType] = responseType
        query[.clientID] = clientID
        query[.redirectURI] = redirectURL?.absoluteString
        if let scope, !scope.isEmpty { query[.scope] = scope }
        query[.state] = state
        query[.nonce] = nonce
        query[.codeChallenge] = codeChallenge
        query[.codeChallengeMethod] = codeChallengeMethod
        query.append(additionalParameters ?? [:])
        return configuration.authorizationEndpoint.appending(query)
    }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The URL to open in a user agent, never `nil`.
    public func externalUserAgentRequestURL() -> URL! { authorizationRequestURL() }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The scheme of the redirect URI; `nil` without one.
    public func redirectScheme() -> String! { redirectURL?.scheme }

    /// Whether an archive is read with secure coding: always.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive of this type, or of AppAuth's.
    public convenience init?(coder: NSCoder) {
        guard let configuration: OIDServiceConfiguration = coder.object("configuration"),
            let clientID = coder.text("client_id")
        else {
            return nil
        }
        self.init(
            configuration: configuration,
            clientId: clientID,
            clientSecret: coder.text("client_secret"),
            scope: coder.text("scope"),
            redirectURL: coder.url("redirect_uri"),
            responseType: coder.text("response_type") ?? OIDResponseTypeCode,
            state: coder.text("state"),
            nonce: coder.text("nonce"),
            codeVerifier: coder.text("code_verifier"),
            codeChallenge: coder.text("code_challenge"),
            codeChallengeMethod: coder.text("code_challenge_method"),
            additionalParameters: coder.pairs("additionalParameters")
        )
    }

    /// Writes the keys of AppAuth's archives; the client secret and the PKCE verifier are among the values.
    public func encode(with coder: NSCoder) {
        coder.encode(configuration, forKey: "configuration")
        coder.set(responseType, "response_type")
        coder.set(clientID, "client_id")
        coder.set(clientSecret, "client_secret")
        coder.set(scope, "scope")
        coder.set(redirectURL, "redirect_uri")
        coder.set(state, "state")
        coder.set(nonce, "nonce")
        coder.set(codeVerifier, "code_verifier")
        coder.set(codeChallenge, "code_challenge")
        coder.set(codeChallengeMethod, "code_challenge_method")
        coder.set(additionalParameters, "additionalParameters")
    }

    /// This object, which does not change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The endpoint and the client; no parameter's value.
    override public var description: String {
        "OIDAuthorizationRequest(\(configuration.authorizationEndpoint.absoluteString), \(clientID))"
    }
}

extension OIDAuthorizationRequest: CustomReflectable {
    /// The endpoint and the client.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

extension OIDAuthorizationRequest {
    /// The scopes as the library's values.
    var scopes: [Scope] { OIDScopeUtilities.scopesArray(with: scope ?? "").map(Scope.init(rawValue:)) }

    /// Checks what AppAuth leaves to the app.
    ///
    /// - Returns: The redirect URI.
    /// - Throws: `refused(.unsupportedResponseType)` or `configuration` at stage `authorization`.
    func checked() throws(SignInError) -> RedirectURI {
        func wrong(_ sentence: String) -> SignInError { SignInError(.authorization, .configuration(sentence)) }
        guard responseType == OIDResponseTypeCode else {
            let refusal = OAuthError(
                code: .unsupportedResponseType,
                description: "The response type is \(responseType): use OIDResponseTypeCode."
            )
            throw SignInError(.authorization, .refused(refusal))
        }
        guard let redirectURL else { throw wrong("The request has no redirect URI: give redirectURL.") }
        guard let state, !state.isEmpty else {
            throw wrong("The request has no state: give one, or use an initializer that makes one.")
        }
        guard let codeVerifier, codeChallenge == Self.codeChallengeS256(forVerifier: codeVerifier),
            codeChallengeMethod == OIDOAuthorizationRequestCodeChallengeMethodS256
        else {
            throw wrong(
                "The request has no PKCE challenge with S256 for its verifier: use an initializer that makes one."
            )
        }
        if let scope = scopes.first(where: { !$0.isAllowed }) {
            throw wrong("The scope \(scope.rawValue.debugDescription) has a character that RFC 6749 forbids.")
        }
        let own: Set<String> = [
            "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce",
            "code_challenge", "code_challenge_method", "code_verifier", "request", "request_uri",
        ]
        if let name = additionalParameters?.keys.sorted().first(where: own.contains) {
            throw wrong("\(name) is set by the request itself and cannot be an additional parameter.")
        }
        guard configuration.authorizationEndpoint.isSecureOrLoopback else {
            throw SignInError(.authorization, .transport(.insecureURL))
        }
        return try RedirectURI(redirectURL.absoluteString)
    }

    /// The expectation that the token response of this request's code has to meet.
    var expectation: TokenResponse.Expectation {
        let maximumAge: Duration? = additionalParameters?["max_age"].flatMap { Int($0) }.map { .seconds($0) }
        return .signIn(
            TokenResponse.Expectation.SignIn(scopes: scopes, nonce: nonce.map(Secret.init), maximumAge: maximumAge)
        )
    }
}
