public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An authorization server, as its metadata describes it (RFC 8414 section 2, OpenID Connect Discovery section 3).
///
/// ``Discovery`` reads one; for a server without metadata, make one by hand.
public struct AuthorizationServer: Sendable, Hashable {
    /// Who signs, and who answers.
    public var issuer: Issuer
    /// Where a person signs in.
    public var authorizationEndpoint: URL?
    /// Where grants are traded for tokens.
    public var tokenEndpoint: URL?
    /// Where the issuer's keys are.
    public var jwksURI: URL?
    /// Where claims about the person are (OpenID Connect Core section 5.3).
    public var userInfoEndpoint: URL?
    /// Where tokens are revoked (RFC 7009).
    public var revocationEndpoint: URL?
    /// Where tokens are explained (RFC 7662).
    public var introspectionEndpoint: URL?
    /// Where clients register (RFC 7591).
    public var registrationEndpoint: URL?
    /// Where a person signs out (OpenID Connect RP-Initiated Logout section 2.1).
    public var endSessionEndpoint: URL?
    /// Where a device asks for codes (RFC 8628).
    public var deviceAuthorizationEndpoint: URL?
    /// Where authorization requests are pushed to (RFC 9126).
    public var pushedAuthorizationRequestEndpoint: URL?
    /// What ID tokens may be signed with; `nil` when the metadata does not say.
    ///
    /// Unknown names are kept out.
    public var idTokenSigningAlgorithms: Set<SignatureAlgorithm>?
    /// What proofs of possession may be signed with (RFC 9449 section 5.1); `nil` when the metadata does not say.
    public var dpopSigningAlgorithms: Set<SignatureAlgorithm>?
    /// Whether authorization requests are taken only when they are pushed (RFC 9126 section 5).
    public var requiresPushedAuthorizationRequests = false
    /// How clients may authenticate; `nil` when the metadata does not say.
    public var tokenEndpointAuthenticationMethods: [String]?
    /// Which PKCE methods it knows; `nil` when the metadata does not say.
    public var codeChallengeMethods: [String]?
    /// Which scopes it knows; `nil` when the metadata does not say.
    public var scopes: [Scope]?
    /// Whether each authorization response carries `iss` (RFC 9207 section 3).
    public var sendsIssuerInResponses: Bool
    /// The whole metadata, with the members that have no property here.
    public var metadata: JSONObject

    /// Makes a server by hand.
    public init(
        issuer: Issuer,
        authorizationEndpoint: URL? = nil,
        tokenEndpoint: URL? = nil,
        jwksURI: URL? = nil,
        userInfoEndpoint: URL? = nil,
        revocationEndpoint: URL? = nil,
        endSessionEndpoint: URL? = nil,
        sendsIssuerInResponses: Bool = false
    ) {
        self.issuer = issuer
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        self.jwksURI = jwksURI
        self.userInfoEndpoint = userInfoEndpoint
        self.revocationEndpoint = revocationEndpoint
        self.endSessionEndpoint = endSessionEndpoint
        self.sendsIssuerInResponses = sendsIssuerInResponses
        self.metadata = JSONObject()
    }
}
