public import OstiaryJOSE
public import OstiaryOAuth

/// What an access token has to be for one route, or for a whole resource server. (RFC 9068 section 4)
///
/// Every part is checked on each request; none can be left out. What is wrong with a policy is said when it is made,
/// not when the first request comes.
public struct AccessTokenPolicy: Sendable, Hashable {
    /// Who makes the tokens.
    public let issuer: Issuer
    /// What the issuer calls this resource server: the value that has to be in `aud`.
    public let audience: String
    /// The scopes that a token has to cover, all of them; empty asks for none.
    public let requiredScopes: [Scope]
    /// What a token may be signed with. (RFC 8725 section 3.1)
    public let algorithms: Set<SignatureAlgorithm>
    /// How far the clocks may be apart, in seconds.
    public let clockTolerance: Double

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - issuer: Who makes the tokens.
    ///   - audience: What the issuer calls this resource server, often a URL (RFC 8707 section 2). Not empty.
    ///   - requiredScopes: All of them have to be granted. Default: none.
    ///   - algorithms: Name what the issuer was agreed to use. Default: every algorithm of ``SignatureAlgorithm``, all of
    ///     them asymmetric.
    ///   - clockTolerance: Seconds, 0 to 60. Default 30.
    /// - Throws: `configuration` at stage `token`, with a sentence that names the fix.
    public init(
        issuer: Issuer,
        audience: String,
        requiredScopes: [Scope] = [],
        algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases),
        clockTolerance: Double = 30
    ) throws(SignInError) {
        func wrong(_ sentence: String) -> SignInError { SignInError(.token, .configuration(sentence)) }
        guard !audience.isEmpty else {
            throw wrong("An audience is not empty: give the name by which the issuer knows this resource server.")
        }
        guard requiredScopes.allSatisfy(\.isWellFormed) else {
            throw wrong("A scope is printable ASCII without space, quotation mark and backslash: give each by itself.")
        }
        guard !algorithms.isEmpty else {
            throw wrong("With no algorithm every token is refused: name the one that the issuer signs with.")
        }
        guard (0...60).contains(clockTolerance) else {
            throw wrong("A clock tolerance is 0 to 60 seconds: set the clock right instead of accepting old tokens.")
        }
        self.issuer = issuer
        self.audience = audience
        self.requiredScopes = requiredScopes
        self.algorithms = algorithms
        self.clockTolerance = clockTolerance
    }

    /// The same policy for a route that asks for more scopes.
    ///
    /// - Throws: `configuration` at stage `token` for a scope that is none.
    public func requiring(_ scopes: [Scope]) throws(SignInError) -> AccessTokenPolicy {
        try AccessTokenPolicy(
            issuer: issuer,
            audience: audience,
            requiredScopes: requiredScopes + scopes.filter { !requiredScopes.contains($0) },
            algorithms: algorithms,
            clockTolerance: clockTolerance
        )
    }
}
