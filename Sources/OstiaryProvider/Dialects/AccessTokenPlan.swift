public import HTTPTypes
public import OstiaryJOSE
public import OstiaryOAuth

/// What an access token is about to be.
public struct AccessTokenPlan: Sendable {
    /// What it will allow.
    public var scopes: [Scope]
    /// Whom it will be for, its `aud`; empty for the provider's own audience.
    public var audience: [String]
    /// Claims besides the usual ones.
    public var claims: JSONObject = [:]
    /// Whether it is a random text instead of a JSON Web Token.
    public var isOpaque = false
    /// What the client was registered as.
    public let clientID: String
    /// What the grant allows.
    public let grantedScopes: [Scope]
}

/// An error answer of a dialect.
public struct DialectRefusal: Error, Sendable {
    /// What is told.
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
    /// What the access token of a token request will be.
    ///
    /// - Parameter granted: What the person allowed, when the grant is a part of it.
    func plan(
        _ target: TokenTarget,
        _ form: Parameters,
        _ grant: IssuedGrant,
        scopes: [Scope],
        granted: [Scope]? = nil
    ) throws(Refusal) -> TokenTarget {
        guard let person = configuration.user(subject: grant.subject) else { return target }
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
