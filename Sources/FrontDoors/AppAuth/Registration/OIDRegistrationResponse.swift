public import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// The client that a server registered (RFC 7591 section 3.2.1).
public final class OIDRegistrationResponse: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The request.
    public let request: OIDRegistrationRequest
    /// The client identifier.
    public let clientID: String
    /// The time at which the server issued the identifier.
    public let clientIDIssuedAt: Date?
    /// The time at which the secret expires; `nil` for never.
    public let clientSecretExpiresAt: Date?
    /// The URL of the registration (RFC 7592 section 3).
    public let registrationClientURI: URL?
    /// The authentication method at the token endpoint.
    public let tokenEndpointAuthenticationMethod: String?
    private let secret: Secret?
    private let token: Secret?
    private let rest: JSONObject

    /// The client secret.
    public var clientSecret: String? { secret?.reveal() }
    /// The registration access token (RFC 7592 section 3).
    public var registrationAccessToken: String? { token?.reveal() }
    /// The members without a property of their own.
    public var additionalParameters: [String: any NSObject & NSCopying]? { rest.foundation }

    /// Takes the members of a response; nothing is checked.
    public convenience init(request: OIDRegistrationRequest, parameters: [String: any NSObject & NSCopying]) {
        self.init(request, members: JSONObject(foundation: parameters) ?? JSONObject())
    }

    init(_ request: OIDRegistrationRequest, members: JSONObject) {
        func date(_ name: String) -> Date? {
            members[name]?.lifetime.flatMap { $0 == 0 ? nil : Date(timeIntervalSince1970: $0) }
        }
        self.request = request
        clientID = members[OIDClientIDParam]?.string ?? ""
        clientIDIssuedAt = date(OIDClientIDIssuedAtParam)
        clientSecretExpiresAt = date(OIDClientSecretExpirestAtParam)
        registrationClientURI = members[OIDRegistrationClientURIParam]?.string.flatMap(URL.init(string:))
        tokenEndpointAuthenticationMethod = members[OIDTokenEndpointAuthenticationMethodParam]?.string
        secret = members[OIDClientSecretParam]?.string.map(Secret.init)
        token = members[OIDRegistrationAccessTokenParam]?.string.map(Secret.init)
        rest = members.without([
            OIDClientIDParam, OIDClientIDIssuedAtParam, OIDClientSecretParam, OIDClientSecretExpirestAtParam,
            OIDRegistrationAccessTokenParam, OIDRegistrationClientURIParam, OIDTokenEndpointAuthenticationMethodParam,
        ])
    }

    /// Whether an archive is read with secure coding: always.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive of this type, or of AppAuth's.
    public convenience init?(coder: NSCoder) {
        guard let request: OIDRegistrationRequest = coder.object("request"), let clientID = coder.text(OIDClientIDParam)
        else {
            return nil
        }
        var members = coder.json("additionalParameters") ?? JSONObject()
        members[OIDClientIDParam] = .string(clientID)
        for name in [OIDClientIDIssuedAtParam, OIDClientSecretExpirestAtParam] {
            members[name] = coder.date(name).map { .number($0.timeIntervalSince1970) }
        }
        for name in [
            OIDClientSecretParam, OIDRegistrationAccessTokenParam, OIDTokenEndpointAuthenticationMethodParam,
        ] {
            members[name] = coder.text(name).map { .string($0) }
        }
        members[OIDRegistrationClientURIParam] = coder.url(OIDRegistrationClientURIParam)
            .map { .string($0.absoluteString) }
        self.init(request, members: members)
    }

    /// Writes the keys of AppAuth's archives; the secret and the registration access token are among the values.
    public func encode(with coder: NSCoder) {
        coder.encode(request, forKey: "request")
        coder.set(clientID, OIDClientIDParam)
        coder.set(clientIDIssuedAt, OIDClientIDIssuedAtParam)
        coder.set(clientSecret, OIDClientSecretParam)
        coder.set(clientSecretExpiresAt, OIDClientSecretExpirestAtParam)
        coder.set(registrationAccessToken, OIDRegistrationAccessTokenParam)
        coder.set(registrationClientURI, OIDRegistrationClientURIParam)
        coder.set(tokenEndpointAuthenticationMethod, OIDTokenEndpointAuthenticationMethodParam)
        coder.set(rest, "additionalParameters")
    }

    /// This object, which does not change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The client; no secret.
    override public var description: String { "OIDRegistrationResponse(\(clientID))" }
}

extension OIDRegistrationResponse: CustomReflectable {
    /// The client.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
