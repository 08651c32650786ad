public import OstiaryJOSE
public import OstiaryOAuth

/// The requirements of access tokens for one route, or for a whole resource server. (RFC 9068 section 4)
///
/// Every part is checked on every request; none can be left out. An invalid policy throws when it is made, not when the
/// first request arrives.
public struct AccessTokenPolicy: Sendable, Hashable {
    private let shared: Shared<Parts>

    private struct Parts: Sendable, Hashable {
        let issuers: [Issuer]
        let audiences: [String]
        let withoutAudience: AbsentAudience
        let profile: AccessTokenProfile
        let requiredScopes: [Scope]
        let authenticationContexts: [String]
        let maximumAge: Duration?
        let binding: TokenBinding
        let algorithms: Set<SignatureAlgorithm>
        let clockTolerance: Duration
    }

    /// The trusted issuers; at least one.
    public var issuers: [Issuer] { shared.value.issuers }
    /// The issuers' names for this resource server; `aud` must contain one of them.
    public var audiences: [String] { shared.value.audiences }
    /// The substitute for the audience in a token without `aud`.
    public var withoutAudience: AbsentAudience { shared.value.withoutAudience }
    /// The format of the tokens.
    public var profile: AccessTokenProfile { shared.value.profile }
    /// The scopes that a token must have, all of them; empty requires none.
    public var requiredScopes: [Scope] { shared.value.requiredScopes }
    /// The accepted values of `acr`, of which a token must have one; empty accepts any (RFC 9470).
    public var authenticationContexts: [String] { shared.value.authenticationContexts }
    /// The longest time since the user authenticated; `nil` for any (RFC 9470).
    public var maximumAge: Duration? { shared.value.maximumAge }
    /// Whether tokens must be bound to a key of the sender.
    public var binding: TokenBinding { shared.value.binding }
    /// The accepted signature algorithms. (RFC 8725 section 3.1)
    public var algorithms: Set<SignatureAlgorithm> { shared.value.algorithms }
    /// The accepted clock skew.
    public var clockTolerance: Duration { shared.value.clockTolerance }

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - issuers: The trusted issuers; at least one, each once.
    ///   - audiences: The issuers' names for this resource server, often a URL (RFC 8707 section 2); some issuers know
    ///     it by an identifier and by a URI. None empty, and at least one unless `withoutAudience` names a substitute.
    ///   - withoutAudience: The substitute for the audience where an introspection response, or a token of a profile
    ///     that may lack `aud`, names none. Default: such a token is rejected.
    ///   - profile: The format of the tokens. Default: RFC 9068.
    ///   - requiredScopes: The scopes that must all be granted. Default: none.
    ///   - authenticationContexts: The values of `acr` of which a token must have one. Default: any, or none.
    ///   - maximumAge: The longest time since the user authenticated, 0 or more. Default: any.
    ///   - binding: Whether tokens must be bound to a key. Default: ``TokenBinding/bearer``.
    ///   - algorithms: The algorithms agreed with the issuer. Default: every algorithm of `SignatureAlgorithm`, all of
    ///     them asymmetric.
    ///   - clockTolerance: The accepted clock skew: 0 to 60 seconds. Default 30 seconds.
    /// - Throws: `configuration` at stage `token`, with a sentence that names the fix.
    public init(
        issuers: [Issuer],
        audiences: [String],
        withoutAudience: AbsentAudience = .refused,
        profile: AccessTokenProfile = .rfc9068,
        requiredScopes: [Scope] = [],
        authenticationContexts: [String] = [],
        maximumAge: Duration? = nil,
        binding: TokenBinding = .bearer,
        algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases),
        clockTolerance: Duration = .seconds(30)
    ) throws(SignInError) {
        func wrong(_ sentence: String) -> SignInError { SignInError(.token, .configuration(sentence)) }
        guard !issuers.isEmpty, Set(issuers).count == issuers.count else {
            throw wrong("Name at least one issuer, and each only once.")
        }
        guard audiences.allSatisfy({ !$0.isEmpty }), !audiences.isEmpty || withoutAudience != .refused else {
            throw wrong("An audience must not be empty: give the issuer's name for this resource server.")
        }
        if let sentence = withoutAudience.fault(by: profile) ?? profile.fault(of: issuers) { throw wrong(sentence) }
        guard requiredScopes.allSatisfy(\.isWellFormed) else {
            throw wrong(
                "A scope must be printable ASCII without space, quotation mark and backslash: list each separately."
            )
        }
        // The values share one parameter, separated by spaces.
        guard authenticationContexts.allSatisfy({ Scope(rawValue: $0).isWellFormed }) else {
            throw wrong(
                "An acr value must be printable ASCII without space, quotation mark and backslash: list each separately."
            )
        }
        if let maximumAge, maximumAge < .zero {
            throw wrong("maximumAge is \(maximumAge), and must be 0 or more.")
        }
        guard !algorithms.isEmpty else {
            throw wrong("Without an algorithm every token would be rejected: name the one that the issuer signs with.")
        }
        guard (.zero ... .seconds(60)).contains(clockTolerance) else {
            throw wrong("clockTolerance is \(clockTolerance), and must be 0 to 60 seconds: correct the clock instead.")
        }
        shared = Shared(
            Parts(
                issuers: issuers,
                audiences: audiences,
                withoutAudience: withoutAudience,
                profile: profile,
                requiredScopes: requiredScopes,
                authenticationContexts: authenticationContexts,
                maximumAge: maximumAge,
                binding: binding,
                algorithms: algorithms,
                clockTolerance: clockTolerance
            )
        )
    }

    /// Makes a policy for the tokens of several issuers that know this resource server by one name.
    ///
    /// - Throws: As
    ///   ``init(issuers:audiences:withoutAudience:profile:requiredScopes:authenticationContexts:maximumAge:binding:algorithms:clockTolerance:)``.
    public init(
        issuers: [Issuer],
        audience: String,
        withoutAudience: AbsentAudience = .refused,
        profile: AccessTokenProfile = .rfc9068,
        requiredScopes: [Scope] = [],
        authenticationContexts: [String] = [],
        maximumAge: Duration? = nil,
        binding: TokenBinding = .bearer,
        algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases),
        clockTolerance: Duration = .seconds(30)
    ) throws(SignInError) {
        try self.init(
            issuers: issuers,
            audiences: [audience],
            withoutAudience: withoutAudience,
            profile: profile,
            requiredScopes: requiredScopes,
            authenticationContexts: authenticationContexts,
            maximumAge: maximumAge,
            binding: binding,
            algorithms: algorithms,
            clockTolerance: clockTolerance
        )
    }

    /// Makes a policy for the tokens of one issuer.
    ///
    /// - Throws: As
    ///   ``init(issuers:audiences:withoutAudience:profile:requiredScopes:authenticationContexts:maximumAge:binding:algorithms:clockTolerance:)``.
    public init(
        issuer: Issuer,
        audience: String,
        withoutAudience: AbsentAudience = .refused,
        profile: AccessTokenProfile = .rfc9068,
        requiredScopes: [Scope] = [],
        authenticationContexts: [String] = [],
        maximumAge: Duration? = nil,
        binding: TokenBinding = .bearer,
        algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases),
        clockTolerance: Duration = .seconds(30)
    ) throws(SignInError) {
        try self.init(
            issuers: [issuer],
            audiences: [audience],
            withoutAudience: withoutAudience,
            profile: profile,
            requiredScopes: requiredScopes,
            authenticationContexts: authenticationContexts,
            maximumAge: maximumAge,
            binding: binding,
            algorithms: algorithms,
            clockTolerance: clockTolerance
        )
    }

    /// The same policy for a route with further requirements.
    ///
    /// - Parameters:
    ///   - scopes: Scopes required besides the policy's.
    ///   - authenticationContexts: Replaces the policy's. Default: the policy's.
    ///   - maximumAge: The smaller of this and the policy's applies. Default: the policy's.
    ///   - binding: Replaces the policy's. Default: the policy's.
    /// - Returns: The policy of the route.
    /// - Throws: `configuration` at stage `token` for an invalid scope or age.
    public func requiring(
        _ scopes: [Scope] = [],
        authenticationContexts: [String]? = nil,
        maximumAge: Duration? = nil,
        binding: TokenBinding? = nil
    ) throws(SignInError) -> AccessTokenPolicy {
        try AccessTokenPolicy(
            issuers: issuers,
            audiences: audiences,
            withoutAudience: withoutAudience,
            profile: profile,
            requiredScopes: requiredScopes + scopes.filter { !requiredScopes.contains($0) },
            authenticationContexts: authenticationContexts ?? self.authenticationContexts,
            maximumAge: [maximumAge, self.maximumAge].compactMap(\.self).min(),
            binding: binding ?? self.binding,
            algorithms: algorithms,
            clockTolerance: clockTolerance
        )
    }
}

extension AccessTokenPolicy {
    /// Returns the policy's issuer for a token's `iss`; `nil` for an issuer that the policy does not name.
    ///
    /// JSON values are compared code point by code point.
    func issuer(claimed: JSONValue?) -> Issuer? {
        if let issuer = issuers.first(where: { claimed == .string($0.description) }) { return issuer }
        // A profile with alternative issuer names has one issuer.
        return profile.otherIssuers.contains { claimed == .string($0) } ? issuers.first : nil
    }
}

extension AbsentAudience {
    /// The reason that the value cannot be combined with a profile; `nil` if it can.
    fileprivate func fault(by profile: AccessTokenProfile) -> String? {
        switch self {
        case .clients(let clients) where clients.isEmpty || clients.contains(""):
            "withoutAudience: .clients needs at least one client_id, and none empty."
        case .scope(let scope) where !scope.isWellFormed:
            "A scope must be printable ASCII without space, quotation mark and backslash."
        case .refused where profile.audience == .optional, .scope where profile.audience == .optional:
            "Tokens of the profile \(profile.name) may have no aud: list the clients with withoutAudience: .clients([…])."
        default: nil
        }
    }
}

extension AccessTokenProfile {
    /// The reason that the value cannot be combined with a policy's issuers; `nil` if it can.
    fileprivate func fault(of issuers: [Issuer]) -> String? {
        guard let tenant = manners.tenant else { return nil }
        guard issuers.count == 1 else {
            return "The profile \(name) is for one tenant: give every issuer its own policy."
        }
        let path = issuers[0].description.lowercased().split(separator: "/")
        return path.contains(Substring(tenant))
            ? nil : "The issuer \(issuers[0]) does not belong to the tenant \(tenant): give that tenant's issuer."
    }
}

/// The substitute for the audience in a token, or in an introspection response, that has no `aud`.
///
/// Such a token is valid, and does not say for which resource server. Any client of the issuer could pass on a token
/// that was issued to it for another purpose, so a policy must name what identifies a token for this resource server
/// instead. (RFC 7662 section 4, RFC 9700 section 2.3)
public enum AbsentAudience: Sendable, Hashable {
    /// No substitute: a token without an audience is rejected.
    case refused
    /// The client that the token was issued to must be one of these; at least one.
    case clients(Set<String>)
    /// The token must have a scope that the issuer grants for this resource server alone.
    case scope(Scope)
}

/// Whether a route accepts tokens that are bound to a key of the sender, and which binding it requires.
///
/// A bound token without its proof is rejected in every case: accepting it would make a stolen one usable.
public enum TokenBinding: String, Sendable, Hashable, CaseIterable {
    /// Bearer tokens (RFC 6750); bound ones are rejected.
    case bearer
    /// DPoP tokens (RFC 9449), and no others.
    case dpop
    /// Tokens bound to the sender's TLS certificate (RFC 8705 section 3), and no others.
    case mtls
    /// Any of the three.
    case any
}
