public import HTTPTypes
import OstiaryJOSE
public import OstiaryOAuth

/// A route, or a whole resource server, that requires an access token.
///
///     let keys = try KeySource(issuer: issuer, transport: transport)
///     let orders = try ProtectedResource(
///         policy: AccessTokenPolicy(issuer: issuer, audience: "https://api.example.com", requiredScopes: ["orders"]),
///         keys: keys)
///     switch await orders.authorize(request) {
///     case .granted(let token, let fields): …
///     case .refused(let refusal): …    // refusal.status, refusal.fields
///     }
public struct ProtectedResource: Sendable {
    /// The requirements of tokens.
    public let policy: AccessTokenPolicy
    /// The configuration shared with the other routes.
    public let server: ResourceServer

    /// Protects a route; call ``ResourceServer/resource(_:)``.
    init(policy: AccessTokenPolicy, server: ResourceServer) throws(SignInError) {
        let known = Set(server.keys.map(\.issuer) + server.introspectors.map(\.issuer))
        if let stranger = policy.issuers.first(where: { !known.contains($0) }) {
            throw SignInError(.keys, .configuration("The keys of \(stranger) are missing: give those of every issuer."))
        }
        let asked = policy.issuers.filter { issuer in server.introspectors.contains { $0.issuer == issuer } }
        guard asked.count < 2 else {
            throw SignInError(
                .introspection,
                .configuration(
                    "An opaque token does not name its issuer, \(asked[0]) or \(asked[1]): give each of them its own policy."
                )
            )
        }
        if policy.binding == .dpop, server.proofs == nil {
            throw SignInError(
                .token,
                .configuration(
                    "A route with bound tokens needs the checks of proofs: give the server `dpop`."
                )
            )
        }
        self.policy = policy
        self.server = server
    }

    /// Protects a route with bearer tokens of one issuer.
    ///
    /// - Parameters:
    ///   - policy: The requirements of tokens.
    ///   - keys: The issuer's keys; share one source among the routes.
    ///   - realm: The realm of challenges. Default: none.
    ///   - clock: The time. Default: the system's.
    /// - Throws: `configuration` at stage `keys` when policy and keys are of different issuers.
    public init(
        policy: AccessTokenPolicy,
        keys: KeySource,
        realm: String? = nil,
        clock: DeviceClock = .server
    ) throws(SignInError) {
        try self.init(policy: policy, server: ResourceServer(keys: [keys], realm: realm, clock: clock))
    }

    /// The same resource for a route with further requirements; it shares the keys.
    ///
    /// - Parameters:
    ///   - scopes: Scopes required besides the policy's.
    ///   - authenticationContexts: Replaces the policy's. Default: the policy's.
    ///   - maximumAge: The smaller of this and the policy's applies. Default: the policy's.
    ///   - binding: Replaces the policy's. Default: the policy's.
    /// - Returns: The resource of the route.
    /// - Throws: As ``ResourceServer/resource(_:)``, and `configuration` at stage `token` for an invalid scope.
    public func requiring(
        _ scopes: [Scope] = [],
        authenticationContexts: [String]? = nil,
        maximumAge: Duration? = nil,
        binding: TokenBinding? = nil
    ) throws(SignInError) -> ProtectedResource {
        try server.resource(
            policy.requiring(
                scopes,
                authenticationContexts: authenticationContexts,
                maximumAge: maximumAge,
                binding: binding
            )
        )
    }

    /// Decides on a request.
    ///
    /// Keys are fetched, and issuers asked, only for a token that could be valid. If everything is cached it does not
    /// wait, so trying ``authorizeWithoutWaiting(_:)`` first would only repeat the checks.
    public func authorize(_ request: ServerRequest) async -> Authorization {
        let decision = AuthorizationDecision(on: request, at: self)
        return await decision.made()
    }

    /// Decides on a request without waiting; `nil` when it would have to wait for keys, an issuer or a remote replay
    /// store.
    ///
    /// It is for code that cannot wait. ``authorize(_:)`` waits, and starts over.
    public func authorizeWithoutWaiting(_ request: ServerRequest) -> Authorization? {
        AuthorizationDecision(on: request, at: self).madeNow()
    }

    /// Decides on a request by its header fields alone, which suffice for tokens that are not bound by DPoP.
    public func authorize(fields: HTTPFields) async -> Authorization { await authorize(ServerRequest(fields: fields)) }

    /// Decides on a request by its header fields alone, without waiting; `nil` as ``authorizeWithoutWaiting(_:)``.
    public func authorizeWithoutWaiting(fields: HTTPFields) -> Authorization? {
        authorizeWithoutWaiting(ServerRequest(fields: fields))
    }
}
