public import HTTPTypes
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A route, or a whole resource server, that asks for an access token.
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
    /// What tokens have to be.
    public let policy: AccessTokenPolicy
    /// What it shares with the other routes.
    public let server: ResourceServer

    /// Protects something; ``ResourceServer/resource(_:)`` is the way here.
    init(policy: AccessTokenPolicy, server: ResourceServer) throws(SignInError) {
        let known = Set(server.keys.map(\.issuer) + server.introspectors.map(\.issuer))
        if let stranger = policy.issuers.first(where: { !known.contains($0) }) {
            throw SignInError(.keys, .configuration("There are no keys of \(stranger): give those of every issuer."))
        }
        let asked = policy.issuers.filter { issuer in server.introspectors.contains { $0.issuer == issuer } }
        guard asked.count < 2 else {
            throw SignInError(
                .introspection,
                .configuration(
                    "Nothing in an opaque token says whether to ask \(asked[0]) or \(asked[1]): give each of them a policy of its own."
                )
            )
        }
        if policy.binding == .dpop, server.proofs == nil {
            throw SignInError(
                .token,
                .configuration(
                    "A route with bound tokens needs to know how proofs are checked: give the server proofs."
                )
            )
        }
        self.policy = policy
        self.server = server
    }

    /// Protects something with bearer tokens of one issuer.
    ///
    /// - Parameters:
    ///   - policy: What tokens have to be.
    ///   - keys: Where the issuer's keys are; share one among the routes.
    ///   - realm: The name of what is protected. Default: none.
    ///   - now: The time. Default: the system's clock.
    /// - Throws: `configuration` at stage `keys` when policy and keys are of two issuers.
    public init(
        policy: AccessTokenPolicy,
        keys: KeySource,
        realm: String? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(SignInError) {
        try self.init(policy: policy, server: ResourceServer(keys: [keys], realm: realm, now: now))
    }

    /// The same resource for a route that asks for more; it shares the keys.
    ///
    /// - Parameters:
    ///   - scopes: Needed besides those of the policy.
    ///   - authenticationContexts: In the place of those of the policy. Default: those.
    ///   - maximumAge: In seconds; the smaller one of this and the policy's counts. Default: the policy's.
    ///   - binding: In the place of the policy's. Default: that.
    /// - Throws: As ``ResourceServer/resource(_:)``, and `configuration` at stage `token` for a scope that is none.
    public func requiring(
        _ scopes: [Scope] = [],
        authenticationContexts: [String]? = nil,
        maximumAge: Int? = nil,
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
    /// Keys are fetched, and issuers asked, only for a token that could be good. Where everything is at hand it does not wait, so
    /// there is no need to try ``authorizeWithoutWaiting(_:)`` first: what had to be waited for would be checked twice.
    public func authorize(_ request: ServerRequest) async -> Authorization {
        let decision = AuthorizationDecision(on: request, at: self)
        return await decision.made()
    }

    /// Decides on a request without waiting; `nil` when something has to be waited for, which ``authorize(_:)`` does: keys
    /// that are not at hand, an issuer's answer, or a store of shown proofs that is not in this process.
    ///
    /// It is for code that cannot wait. ``authorize(_:)`` begins again.
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
