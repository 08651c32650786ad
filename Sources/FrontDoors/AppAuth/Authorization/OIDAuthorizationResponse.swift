public import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// The response to an authorization request.
///
/// One that a flow hands out has passed the checks of the redirect. One that the app makes of parameters has not.
public final class OIDAuthorizationResponse: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The request.
    public let request: OIDAuthorizationRequest
    /// The `state` of the response.
    public let state: String?
    /// The time at which the access token of the response expires; `nil` in the code flow.
    public let accessTokenExpirationDate: Date?
    /// The type of the access token; `nil` in the code flow.
    public let tokenType: String?
    /// The granted scopes, if the response names them.
    public let scope: String?
    private let code: Secret?
    private let token: Secret?
    private let identity: Secret?
    private let rest: JSONObject

    /// The authorization code.
    public var authorizationCode: String? { code?.reveal() }
    /// The access token; `nil` in the code flow.
    public var accessToken: String? { token?.reveal() }
    /// The ID token; `nil` in the code flow.
    public var idToken: String? { identity?.reveal() }
    /// The parameters without a property of their own.
    public var additionalParameters: [String: any NSObject & NSCopying]? { rest.foundation }

    /// Takes the parameters of a response; nothing is checked.
    public convenience init(request: OIDAuthorizationRequest, parameters: [String: any NSObject & NSCopying]) {
        self.init(request, members: JSONObject(foundation: parameters) ?? JSONObject())
    }

    init(_ request: OIDAuthorizationRequest, members: JSONObject, expiry: Date? = nil, rest: JSONObject? = nil) {
        self.request = request
        state = members["state"]?.string
        accessTokenExpirationDate = expiry ?? members["expires_in"]?.lifetime.map { Date(timeIntervalSinceNow: $0) }
        tokenType = members["token_type"]?.string
        scope = members["scope"]?.string
        code = members["code"]?.string.map(Secret.init)
        token = members["access_token"]?.string.map(Secret.init)
        identity = members["id_token"]?.string.map(Secret.init)
        self.rest =
            rest
            ?? members.without(["state", "expires_in", "token_type", "scope", "code", "access_token", "id_token"])
    }

    /// The request that redeems the code; `nil` for a response without a code.
    public func tokenExchangeRequest() -> OIDTokenRequest? { tokenExchangeRequest(withAdditionalParameters: nil) }

    /// The request that redeems the code, with parameters of the server's own.
    public func tokenExchangeRequest(
        withAdditionalParameters additionalParameters: [String: String]?
    ) -> OIDTokenRequest? {
        tokenExchangeRequest(withAdditionalParameters: additionalParameters, additionalHeaders: nil)
    }

    /// The request that redeems the code, with parameters and header fields of the server's own.
    ///
    /// The request remembers this response: its ID token has to carry the nonce of the request that was sent.
    public func tokenExchangeRequest(
        withAdditionalParameters additionalParameters: [String: String]?,
        additionalHeaders: [String: String]?
    ) -> OIDTokenRequest? {
        guard let authorizationCode else { return nil }
        return OIDTokenRequest(
            configuration: request.configuration,
            grantType: OIDGrantTypeAuthorizationCode,
            authorizationCode: authorizationCode,
            redirectURL: request.redirectURL,
            clientID: request.clientID,
            clientSecret: request.clientSecret,
            scope: nil,
            refreshToken: nil,
            codeVerifier: request.codeVerifier,
            additionalParameters: additionalParameters,
            additionalHeaders: additionalHeaders,
            answering: request
        )
    }

    /// Whether an archive is read with secure coding: always.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive of this type, or of AppAuth's.
    public convenience init?(coder: NSCoder) {
        guard let request: OIDAuthorizationRequest = coder.object("request") else { return nil }
        var members = JSONObject()
        for name in ["state", "token_type", "scope", "code", "access_token", "id_token"] {
            members[name] = coder.text(name).map { .string($0) }
        }
        self.init(
            request,
            members: members,
            expiry: coder.date("expires_in"),
            rest: coder.json("additionalParameters") ?? JSONObject()
        )
    }

    /// Writes the keys of AppAuth's archives; the code and tokens are among the values.
    public func encode(with coder: NSCoder) {
        coder.encode(request, forKey: "request")
        coder.set(state, "state")
        coder.set(tokenType, "token_type")
        coder.set(scope, "scope")
        coder.set(authorizationCode, "code")
        coder.set(accessToken, "access_token")
        coder.set(idToken, "id_token")
        coder.set(accessTokenExpirationDate, "expires_in")
        coder.set(rest, "additionalParameters")
    }

    /// This object, which does not change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The client; no parameter's value.
    override public var description: String { "OIDAuthorizationResponse(\(request.clientID))" }
}

extension OIDAuthorizationResponse: CustomReflectable {
    /// The client.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}

extension JSONValue {
    /// A lifetime in seconds, as a number or as its text.
    var lifetime: Double? { number ?? integer.map(Double.init) ?? string.flatMap(Double.init) }
}
