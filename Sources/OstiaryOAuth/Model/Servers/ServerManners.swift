/// Deviations of one authorization server from the specifications that a client accepts from it, as a value.
///
/// Every member is off by default. Each member accepts a response that a specification forbids, or reads a value in a
/// way that is right for this server alone. Deviations that weaken no check need no member: the client accepts them
/// from every server.
public struct ServerManners: Sendable, Hashable {
    /// Error codes that end a session as `invalid_grant` does (RFC 6749 section 5.2).
    ///
    /// When a server refuses a refresh with one of these codes, the session deletes its tokens. A code counts in every
    /// form of error, with a status of 200 to 299 or of 400 to 499. `invalid_grant` needs to be listed only if the
    /// server sends it with a status of 200 to 299, inside an object or in `WWW-Authenticate`. Default: empty.
    public var sessionEndingCodes: Set<OAuthError.Code>
    /// Whether a token response without `token_type` means a bearer token (RFC 6749 section 5.1 requires the member).
    ///
    /// A client that binds its tokens to a key still rejects such a response. Default `false`.
    public var assumesBearer: Bool
    /// Values of `token_type` besides `Bearer` that mean a bearer token; case does not matter.
    ///
    /// Default: empty.
    public var bearerTokenTypes: Set<String>
    /// Whether commas separate scopes in a token response, as spaces do (RFC 6749 section 3.3).
    ///
    /// Default `false`: a comma is a character of a scope.
    public var separatesScopesWithCommas: Bool
    /// Whether a token exchange response may lack `issued_token_type` (RFC 8693 section 2.2.1 requires the member).
    ///
    /// The token then has the type that the request named as `requested_token_type`. If the request named none, the
    /// client still rejects the response. Default `false`.
    public var omitsIssuedTokenType: Bool
    /// Whether the end session endpoint takes `client_id` and `logout_uri`, as Amazon Cognito's does.
    ///
    /// The client then sends these two parameters in place of those of RP-Initiated Logout section 2. The redirect
    /// carries no `state`, so any redirect to that place without one confirms the sign-out: another app or page that
    /// opens it can make the client believe that the provider's session has ended. Default `false`.
    public var takesLogoutURI: Bool

    /// Describes a server; without arguments, one that keeps to the specifications.
    public init(
        sessionEndingCodes: Set<OAuthError.Code> = [],
        assumesBearer: Bool = false,
        bearerTokenTypes: Set<String> = [],
        separatesScopesWithCommas: Bool = false,
        omitsIssuedTokenType: Bool = false,
        takesLogoutURI: Bool = false
    ) {
        self.sessionEndingCodes = sessionEndingCodes
        self.assumesBearer = assumesBearer
        self.bearerTokenTypes = bearerTokenTypes
        self.separatesScopesWithCommas = separatesScopesWithCommas
        self.omitsIssuedTokenType = omitsIssuedTokenType
        self.takesLogoutURI = takesLogoutURI
    }
}
