public import HTTPTypes
public import OstiaryJOSE
public import OstiaryOAuth

/// The planned content of an access token.
public struct AccessTokenPlan: Sendable {
    /// The scopes of the token.
    public var scopes: [Scope]
    /// The audience of the token, its `aud`; empty for the provider's own.
    public var audience: [String]
    /// Claims besides the usual ones.
    public var claims: JSONObject = [:]
    /// Whether it is a random text instead of a JSON Web Token.
    public var isOpaque = false
    /// The identifier of the client.
    public let clientID: String
    /// The scopes of the grant.
    public let grantedScopes: [Scope]
}

/// An error response of a dialect.
public struct DialectRefusal: Error, Sendable {
    /// The error of the response.
    public var error: OAuthError
    /// The status.
    public var status: HTTPResponse.Status

    /// Makes a refusal.
    public init(_ code: OAuthError.Code, _ description: String, status: HTTPResponse.Status = .badRequest) {
        error = OAuthError(code: code, description: description)
        self.status = status
    }
}

extension Provider {
    /// Returns the plan for the access token of a token request.
    ///
    /// `granted` are the scopes that the user allowed, when the grant is one of them.
    func plan(
        _ target: TokenTarget,
        _ form: Parameters,
        _ grant: IssuedGrant,
        scopes: [Scope],
        granted: [Scope]? = nil
    ) throws(Refusal) -> TokenTarget {
        guard let person = user(subject: grant.subject) else { return target }
        var plan = AccessTokenPlan(
            scopes: target.scopes(among: scopes),
            audience: target.resources.map(\.identifier),
            clientID: grant.clientID,
            grantedScopes: granted ?? grant.scopes
        )
        do throws(DialectRefusal) {
            try configuration.dialect.writeAccessTokenPlan(&plan, asked: form, of: person)
        } catch {
            throw .json(error.error, error.status)
        }
        var target = target
        target.plan = plan
        return target
    }
}
