public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An authorization server, as its metadata describes it (RFC 8414 section 2, OpenID Connect Discovery section 3).
///
/// ``ServerMetadataRequest`` reads one; for a server without metadata, make one by hand.
public struct AuthorizationServer: Sendable, Hashable {
    /// The issuer, which signs the ID tokens.
    public var issuer: Issuer
    /// The endpoint at which the user signs in.
    public var authorizationEndpoint: URL?
    /// The endpoint at which grants are redeemed for tokens.
    public var tokenEndpoint: URL?
    /// The URL of the issuer's key set.
    public var jwksURI: URL?
    /// The endpoint for claims about the user (OpenID Connect Core section 5.3).
    public var userInfoEndpoint: URL?
    /// The endpoint for revoking tokens (RFC 7009).
    public var revocationEndpoint: URL?
    /// The endpoint for introspecting tokens (RFC 7662).
    public var introspectionEndpoint: URL?
    /// The endpoint for registering clients (RFC 7591).
    public var registrationEndpoint: URL?
    /// The endpoint at which the user signs out (OpenID Connect RP-Initiated Logout section 2.1).
    public var endSessionEndpoint: URL?
    /// The endpoint for a device's codes (RFC 8628).
    public var deviceAuthorizationEndpoint: URL?
    /// The endpoint for pushed authorization requests (RFC 9126).
    public var pushedAuthorizationRequestEndpoint: URL?
    /// The signature algorithms of ID tokens; `nil` when the metadata does not list them.
    ///
    /// Unknown names are left out.
    public var idTokenSigningAlgorithms: Set<SignatureAlgorithm>?
    /// The signature algorithms of proofs of possession (RFC 9449 section 5.1); `nil` when the metadata does not list
    /// them.
    public var dpopSigningAlgorithms: Set<SignatureAlgorithm>?
    /// Whether authorization requests are taken only when they are pushed (RFC 9126 section 5).
    public var requiresPushedAuthorizationRequests = false
    /// The authentication methods of clients; `nil` when the metadata does not list them.
    public var tokenEndpointAuthenticationMethods: [String]?
    /// The supported PKCE methods; `nil` when the metadata does not list them.
    public var codeChallengeMethods: [String]?
    /// The supported scopes; `nil` when the metadata does not list them.
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
