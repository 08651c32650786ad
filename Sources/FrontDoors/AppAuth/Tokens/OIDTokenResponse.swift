public import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// The response to a token request.
///
/// One that a token request of this face brings has passed the library's checks, with the signature of its ID token.
/// One that the app makes of parameters, or reads from an archive, was not checked here.
public final class OIDTokenResponse: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The request.
    public let request: OIDTokenRequest
    /// The time at which the access token expires, if the server names a lifetime.
    public let accessTokenExpirationDate: Date?
    /// The type of the access token, such as `Bearer`.
    public let tokenType: String?
    /// The granted scopes, if the server names them.
    public let scope: String?
    private let access: Secret?
    private let identity: Secret?
    private let refresh: Secret?
    private let rest: JSONObject

    /// The access token.
    public var accessToken: String? { access?.reveal() }
    /// The ID token.
    public var idToken: String? { identity?.reveal() }
    /// The refresh token.
    public var refreshToken: String? { refresh?.reveal() }
    /// The members without a property of their own.
    public var additionalParameters: [String: any NSObject & NSCopying]? { rest.foundation }

    /// Takes the members of a response; nothing is checked.
    public convenience init(request: OIDTokenRequest, parameters: [String: any NSObject & NSCopying]) {
        self.init(request, members: JSONObject(foundation: parameters) ?? JSONObject())
    }

    init(_ request: OIDTokenRequest, members: JSONObject, expiry: Date? = nil, rest: JSONObject? = nil) {
        self.request = request
        accessTokenExpirationDate = expiry ?? members["expires_in"]?.lifetime.map { Date(timeIntervalSinceNow: $0) }
        tokenType = members["token_type"]?.string
        scope = members["scope"]?.string
        access = members["access_token"]?.string.map(Secret.init)
        identity = members["id_token"]?.string.map(Secret.init)
        refresh = members["refresh_token"]?.string.map(Secret.init)
        self.rest = rest ?? members.without(Self.own)
    }

    /// Takes tokens that passed every check, and the members of their response that the library does not interpret.
    ///
    /// `members` is the whole response; the tokens are not read from it.
    init(_ request: OIDTokenRequest, _ tokens: TokenSet, members: JSONObject) {
        self.request = request
        accessTokenExpirationDate = tokens.expiry
        tokenType = members["token_type"]?.string ?? tokens.tokenType
        scope = members["scope"]?.string
        access = tokens.accessToken
        identity = members["id_token"] == nil ? nil : tokens.identity?.compact
        refresh = members["refresh_token"] == nil ? nil : tokens.refreshToken
        rest = members.without(Self.own)
    }

    private static let own: Set<String> = [
        "expires_in", "token_type", "scope", "access_token", "id_token", "refresh_token",
    ]

    /// Whether an archive is read with secure coding: always.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive of this type, or of AppAuth's.
    public convenience init?(coder: NSCoder) {
        guard let request: OIDTokenRequest = coder.object("request") else { return nil }
        var members = JSONObject()
        for name in ["token_type", "scope", "access_token", "id_token", "refresh_token"] {
            members[name] = coder.text(name).map { .string($0) }
        }
        self.init(
            request,
            members: members,
            expiry: coder.date("expires_in"),
            rest: coder.json("additionalParameters") ?? JSONObject()
        )
    }

    /// Writes the keys of AppAuth's archives; the tokens are among the values.
    public func encode(with coder: NSCoder) {
        coder.encode(request, forKey: "request")
        coder.set(tokenType, "token_type")
        coder.set(scope, "scope")
        coder.set(accessToken, "access_token")
        coder.set(idToken, "id_token")
        coder.set(refreshToken, "refresh_token")
        coder.set(accessTokenExpirationDate, "expires_in")
        coder.set(rest, "additionalParameters")
    }

    /// This object, which does not change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The client; no token.
    override public var description: String { "OIDTokenResponse(\(request.clientID))" }
}

extension OIDTokenResponse: CustomReflectable {
    /// The client.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
