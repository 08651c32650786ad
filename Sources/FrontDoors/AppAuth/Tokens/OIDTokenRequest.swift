public import Foundation
import Ostiary
import OstiaryOAuth

/// A token request (RFC 6749 sections 4.1.3, 4.4.2 and 6).
///
/// The library builds the HTTP request: the form, the client's authentication and their escapes.
public final class OIDTokenRequest: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The server.
    public let configuration: OIDServiceConfiguration
    /// The grant type.
    public let grantType: String
    /// The redirect URI of the authorization request.
    public let redirectURL: URL?
    /// The client identifier.
    public let clientID: String
    /// The scopes, separated by spaces.
    public let scope: String?
    private let code: Secret?
    private let secret: Secret?
    private let refresh: Secret?
    private let verifier: Secret?
    private let additional: [String: Secret]?
    private let headers: [String: Secret]?
    /// The authorization request whose code this one redeems, where that is known.
    let answered: OIDAuthorizationRequest?

    /// The authorization code.
    public var authorizationCode: String? { code?.reveal() }
    /// The client secret, sent in the `Authorization` field (RFC 6749 section 2.3.1).
    public var clientSecret: String? { secret?.reveal() }
    /// The refresh token.
    public var refreshToken: String? { refresh?.reveal() }
    /// The PKCE verifier.
    public var codeVerifier: String? { verifier?.reveal() }
    /// Parameters of the server's own; `client_secret` among them authenticates the client in the form.
    public var additionalParameters: [String: String]? { additional?.mapValues { $0.reveal() } }
    /// Header fields of the server's own.
    public var additionalHeaders: [String: String]? { headers?.mapValues { $0.reveal() } }

    /// Makes a request; the scopes are given one by one.
    public convenience init(
        configuration: OIDServiceConfiguration,
        grantType: String,
        authorizationCode code: String?,
        redirectURL: URL?,
        clientID: String,
        clientSecret: String?,
        scopes: [String]?,
        refreshToken: String?,
        codeVerifier: String?,
        additionalParameters: [String: String]?,
        additionalHeaders: [String: String]? = nil
    ) {
        self.init(
            configuration: configuration,
            grantType: grantType,
            authorizationCode: code,
            redirectURL: redirectURL,
            clientID: clientID,
            clientSecret: clientSecret,
            scope: scopes.map(OIDScopeUtilities.scopes(with:)),
            refreshToken: refreshToken,
            codeVerifier: codeVerifier,
            additionalParameters: additionalParameters,
            additionalHeaders: additionalHeaders
        )
    }

    /// Makes a request.
    public convenience init(
        configuration: OIDServiceConfiguration,
        grantType: String,
        authorizationCode code: String?,
        redirectURL: URL?,
        clientID: String,
        clientSecret: String?,
        scope: String?,
        refreshToken: String?,
        codeVerifier: String?,
        additionalParameters: [String: String]?,
        additionalHeaders: [String: String]? = nil
    ) {
        self.init(
            configuration: configuration,
            grantType: grantType,
            authorizationCode: code,
            redirectURL: redirectURL,
            clientID: clientID,
            clientSecret: clientSecret,
            scope: scope,
            refreshToken: refreshToken,
            codeVerifier: codeVerifier,
            additionalParameters: additionalParameters,
            additionalHeaders: additionalHeaders,
            answering: nil
        )
    }

    init(
        configuration: OIDServiceConfiguration,
        grantType: String,
        authorizationCode code: String?,
        redirectURL: URL?,
        clientID: String,
        clientSecret: String?,
        scope: String?,
        refreshToken: String?,
        codeVerifier: String?,
        additionalParameters: [String: String]?,
        additionalHeaders: [String: String]?,
        answering answered: OIDAuthorizationRequest?
    ) {
        self.configuration = configuration
        self.grantType = grantType
        self.redirectURL = redirectURL
        self.clientID = clientID
        self.scope = scope
        self.code = code.map(Secret.init)
        secret = clientSecret.map(Secret.init)
        refresh = refreshToken.map(Secret.init)
        verifier = codeVerifier.map(Secret.init)
        additional = additionalParameters?.mapValues(Secret.init)
        headers = additionalHeaders?.mapValues(Secret.init)
        self.answered = answered
    }

    /// Whether an archive is read with secure coding: always.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive of this type, or of AppAuth's.
    public convenience init?(coder: NSCoder) {
        guard let configuration: OIDServiceConfiguration = coder.object("configuration"),
            let grantType = coder.text("grant_type"),
            let clientID = coder.text("client_id")
        else { return nil }
        self.init(
            configuration: configuration,
            grantType: grantType,
            authorizationCode: coder.text("code"),
            redirectURL: coder.url("redirect_uri"),
            clientID: clientID,
            clientSecret: coder.text("client_secret"),
            scope: coder.text("scope"),
            refreshToken: coder.text("refresh_token"),
            codeVerifier: coder.text("code_verifier"),
            additionalParameters: coder.pairs("additionalParameters"),
            additionalHeaders: coder.pairs("additionalHeaders")
        )
    }

    /// Writes the keys of AppAuth's archives; code, secret, verifier and refresh token are among the values.
    public func encode(with coder: NSCoder) {
        coder.encode(configuration, forKey: "configuration")
        coder.set(grantType, "grant_type")
        coder.set(authorizationCode, "code")
        coder.set(clientID, "client_id")
        coder.set(clientSecret, "client_secret")
        coder.set(redirectURL, "redirect_uri")
        coder.set(scope, "scope")
        coder.set(refreshToken, "refresh_token")
        coder.set(codeVerifier, "code_verifier")
        coder.set(additionalParameters, "additionalParameters")
        coder.set(additionalHeaders, "additionalHeaders")
    }

    /// This object, which does not change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The endpoint, the grant type and the client; no other value.
    override public var description: String {
        "OIDTokenRequest(\(configuration.tokenEndpoint.absoluteString), \(grantType), \(clientID))"
    }
}

extension OIDTokenRequest: CustomReflectable {
    /// The endpoint, the grant type and the client.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}
