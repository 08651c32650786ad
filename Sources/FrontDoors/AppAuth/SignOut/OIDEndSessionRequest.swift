public import Foundation
import Ostiary
import OstiaryOAuth

/// A request to end the user's session at the server (OpenID Connect RP-Initiated Logout section 2).
public final class OIDEndSessionRequest: NSObject, NSCopying, NSSecureCoding, OIDExternalUserAgentRequest, Sendable {
    /// The server.
    public let configuration: OIDServiceConfiguration
    /// The URI that the server sends the user back to, registered there for this purpose.
    public let postLogoutRedirectURL: URL?
    /// The value that ties the redirect to this request.
    public let state: String?
    /// Further parameters, sent in the order of their names.
    public let additionalParameters: [String: String]?
    private let hint: Secret?

    /// The ID token of the session to end.
    public var idTokenHint: String? { hint?.reveal() }

    /// Makes a request with a new state.
    public convenience init(
        configuration: OIDServiceConfiguration,
        idTokenHint: String,
        postLogoutRedirectURL: URL,
        additionalParameters: [String: String]?
    ) {
        self.init(
            configuration: configuration,
            idTokenHint: idTokenHint,
            postLogoutRedirectURL: postLogoutRedirectURL,
            state: OIDAuthorizationRequest.generateState() ?? "",
            additionalParameters: additionalParameters
        )
    }

    /// Makes a request with the app's state.
    public convenience init(
        configuration: OIDServiceConfiguration,
        idTokenHint: String,
        postLogoutRedirectURL: URL,
        state: String,
        additionalParameters: [String: String]?
    ) {
        self.init(configuration, idTokenHint, postLogoutRedirectURL, state, additionalParameters)
    }

    private init(
        _ configuration: OIDServiceConfiguration,
        _ idTokenHint: String?,
        _ postLogoutRedirectURL: URL?,
        _ state: String?,
        _ additionalParameters: [String: String]?
    ) {
        self.configuration = configuration
        hint = idTokenHint.map(Secret.init)
        self.postLogoutRedirectURL = postLogoutRedirectURL
        self.state = state
        self.additionalParameters = additionalParameters
    }

    /// The URL to open in a user agent; without an end-session endpoint, the authorization endpoint's, which a flow
    /// never opens.
    public func endSessionRequestURL() -> URL {
        var query = Parameters()
        query[.idTokenHint] = idTokenHint
        query[.postLogoutRedirectURI] = postLogoutRedirectURL?.absoluteString
        query[.state] = state
        query.append(additionalParameters ?? [:])
        return (configuration.endSessionEndpoint ?? configuration.authorizationEndpoint).appending(query)
    }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The URL to open in a user agent, never `nil`.
    public func externalUserAgentRequestURL() -> URL! { endSessionRequestURL() }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The scheme of the redirect URI; `nil` without one.
    public func redirectScheme() -> String! { postLogoutRedirectURL?.scheme }

    /// Whether an archive is read with secure coding: always.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive of this type, or of AppAuth's.
    public convenience init?(coder: NSCoder) {
        guard let configuration: OIDServiceConfiguration = coder.object("configuration") else { return nil }
        self.init(
            configuration,
            coder.text("id_token_hint"),
            coder.url("post_logout_redirect_uri"),
            coder.text("state"),
            coder.pairs("additionalParameters")
        )
    }

    /// Writes the keys of AppAuth's archives; the ID token is among the values.
    public func encode(with coder: NSCoder) {
        coder.encode(configuration, forKey: "configuration")
        coder.set(idTokenHint, "id_token_hint")
        coder.set(postLogoutRedirectURL, "post_logout_redirect_uri")
        coder.set(state, "state")
        coder.set(additionalParameters, "additionalParameters")
    }

    /// This object, which does not change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The endpoint; no parameter's value.
    override public var description: String {
        "OIDEndSessionRequest(\(configuration.endSessionEndpoint?.absoluteString ?? "no endpoint"))"
    }
}

extension OIDEndSessionRequest: CustomReflectable {
    /// The endpoint.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

extension OIDEndSessionRequest {
    /// Checks that the request can be presented.
    ///
    /// - Returns: The redirect URI.
    /// - Throws: `unsupported`, `transport` or `configuration` at stage `endSession`.
    func checked() throws(SignInError) -> RedirectURI {
        guard let endpoint = configuration.endSessionEndpoint else {
            throw SignInError(.endSession, .unsupported("an end_session_endpoint"))
        }
        guard endpoint.isSecureOrLoopback else { throw SignInError(.endSession, .transport(.insecureURL)) }
        guard let postLogoutRedirectURL, let state, !state.isEmpty else {
            throw SignInError(
                .endSession,
                .configuration("An end-session request has a redirect URI and a state: give both.")
            )
        }
        return try RedirectURI(postLogoutRedirectURL.absoluteString)
    }
}
