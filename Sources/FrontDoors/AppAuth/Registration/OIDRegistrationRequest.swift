public import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// A request to register a client (RFC 7591 section 3.1, OpenID Connect Registration section 3.1).
public final class OIDRegistrationRequest: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The server.
    public let configuration: OIDServiceConfiguration
    /// The redirect URIs.
    public let redirectURIs: [URL]
    /// The response types; `nil` leaves them to the server.
    public let responseTypes: [String]?
    /// The grant types; `nil` leaves them to the server.
    public let grantTypes: [String]?
    /// The subject type; `nil` leaves it to the server.
    public let subjectType: String?
    /// The authentication method at the token endpoint; `nil` leaves it to the server.
    public let tokenEndpointAuthenticationMethod: String?
    /// Further members; those that are lists or Booleans in their specification are sent so, all others as strings.
    public let additionalParameters: [String: String]?
    private let access: Secret?

    /// The application type: always ``OIDApplicationTypeNative``.
    public var applicationType: String { OIDApplicationTypeNative }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The initial access token; `nil` when the server requires none.
    public var initialAccessToken: String! { access?.reveal() }

    /// Makes a request without an initial access token.
    public convenience init(
        configuration: OIDServiceConfiguration,
        redirectURIs: [URL],
        responseTypes: [String]?,
        grantTypes: [String]?,
        subjectType: String?,
        tokenEndpointAuthMethod: String?,
        additionalParameters: [String: String]?
    ) {
        self.init(
            configuration: configuration,
            redirectURIs: redirectURIs,
            responseTypes: responseTypes,
            grantTypes: grantTypes,
            subjectType: subjectType,
            tokenEndpointAuthMethod: tokenEndpointAuthMethod,
            initialAccessToken: nil,
            additionalParameters: additionalParameters
        )
    }

    /// Makes a request.
    public init(
        configuration: OIDServiceConfiguration,
        redirectURIs: [URL],
        responseTypes: [String]?,
        grantTypes: [String]?,
        subjectType: String?,
        tokenEndpointAuthMethod: String?,
        initialAccessToken: String?,
        additionalParameters: [String: String]?
    ) {
        self.configuration = configuration
        self.redirectURIs = redirectURIs
        self.responseTypes = responseTypes
        self.grantTypes = grantTypes
        self.subjectType = subjectType
        tokenEndpointAuthenticationMethod = tokenEndpointAuthMethod
        access = initialAccessToken.map(Secret.init)
        self.additionalParameters = additionalParameters
    }

    /// Whether an archive is read with secure coding: always.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive of this type, or of AppAuth's.
    public convenience init?(coder: NSCoder) {
        guard let configuration: OIDServiceConfiguration = coder.object("configuration") else { return nil }
        self.init(
            configuration: configuration,
            redirectURIs: coder.urls("redirect_uris") ?? [],
            responseTypes: coder.texts("response_types"),
            grantTypes: coder.texts("grant_types"),
            subjectType: coder.text("subject_type"),
            tokenEndpointAuthMethod: coder.text("token_endpoint_auth_method"),
            initialAccessToken: coder.text("initial_access_token"),
            additionalParameters: coder.pairs("additionalParameters")
        )
    }

    /// Writes the keys of AppAuth's archives; the initial access token is among the values.
    public func encode(with coder: NSCoder) {
        coder.encode(configuration, forKey: "configuration")
        coder.set(access?.reveal(), "initial_access_token")
        coder.set(redirectURIs, "redirect_uris")
        coder.set(responseTypes, "response_types")
        coder.set(grantTypes, "grant_types")
        coder.set(subjectType, "subject_type")
        coder.set(tokenEndpointAuthenticationMethod, "token_endpoint_auth_method")
        coder.set(additionalParameters, "additionalParameters")
    }

    /// This object, which does not change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The endpoint; no token.
    override public var description: String {
        "OIDRegistrationRequest(\(configuration.registrationEndpoint?.absoluteString ?? "no endpoint"))"
    }
}

extension OIDRegistrationRequest: CustomReflectable {
    /// The endpoint.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

extension OIDRegistrationRequest {
    /// The members to send; additional ones do not replace those of the request.
    var metadata: ClientMetadata {
        func texts(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        var members = JSONObject()
        for (name, value) in (additionalParameters ?? [:]).sorted(by: { $0.key < $1.key }) {
            members[name] = Self.value(of: name, value)
        }
        members[OIDRedirectURIsParam] = texts(redirectURIs.map(\.absoluteString))
        members[OIDApplicationTypeParam] = .string(applicationType)
        if let responseTypes { members[OIDResponseTypesParam] = texts(responseTypes) }
        if let grantTypes { members[OIDGrantTypesParam] = texts(grantTypes) }
        if let subjectType { members[OIDSubjectTypeParam] = .string(subjectType) }
        if let method = tokenEndpointAuthenticationMethod {
            members[OIDTokenEndpointAuthenticationMethodParam] = .string(method)
        }
        return ClientMetadata(members)
    }

    /// A member in the type that its specification gives it: AppAuth's parameters are texts, and strict servers refuse
    /// a text in place of a list or a Boolean.
    private static func value(of name: String, _ text: String) -> JSONValue {
        if lists.contains(name) { return .array(text.split(separator: " ").map { .string(String($0)) }) }
        if switches.contains(name), let value = Bool(text) { return .bool(value) }
        return .string(text)
    }

    /// Lists of RFC 7591, OpenID Connect Registration and RP-Initiated Logout.
    private static let lists: Set<String> = [
        "post_logout_redirect_uris", "contacts", "default_acr_values", "request_uris",
    ]

    /// Booleans of OpenID Connect Registration, Back-Channel Logout, RFC 8705, RFC 9101, RFC 9126, RFC 9449 and Curity.
    private static let switches: Set<String> = [
        "require_auth_time", "backchannel_logout_session_required", "tls_client_certificate_bound_access_tokens",
        "require_signed_request_object", "require_pushed_authorization_requests", "dpop_bound_access_tokens",
        "requires_consent",
    ]
}
