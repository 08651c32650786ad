import OstiaryJOSE
import OstiaryOAuth

/// The claims of a token, read by the profile.
extension AccessTokenProfile {
    /// A type without `application/`, in lower case. (RFC 7515 section 4.1.9)
    static func bareType(_ type: String) -> String {
        let small = type.lowercased()
        return small.hasPrefix("application/") ? String(small.dropFirst("application/".count)) : small
    }

    /// Whether a header's `typ` is accepted.
    func accepts(type: String?) -> Bool {
        guard let type else { return types.contains(.absent) }
        return types.contains {
            guard case .named(let name) = $0 else { return false }
            return Self.isSameType(type, name)
        }
    }

    /// Whether two types are the same; most servers write them as the profile does.
    static func isSameType(_ type: String, _ name: String) -> Bool {
        type.hasSameCodePoints(as: name) || bareType(type).hasSameCodePoints(as: bareType(name))
    }

    /// Whether a token has every claim that the profile requires, besides those that its policy compares.
    func has(_ claim: RequiredClaim, in claims: JSONObject) -> Bool {
        switch claim {
        case .issuedAt: claims["iat"]?.number != nil
        case .subject: Self.text("sub", in: claims) != nil
        case .tokenID: Self.text(manners.tokenID, in: claims) != nil
        case .client: client(in: claims) != nil
        }
    }

    func client(in claims: JSONObject) -> String? {
        clientClaims.first { claims[$0] != nil }.flatMap { Self.text($0, in: claims) }
    }

    /// The granted scopes, without malformed ones; empty when no claim has the format of the profile.
    ///
    /// Omitting scopes that are not ASCII also keeps Swift's canonical equivalence from treating two scopes as one.
    func scopes(in claims: JSONObject) -> [Scope] {
        for claim in scopeClaims {
            switch claim {
            case .text(let name):
                if let text = claims[name]?.string { return Scope.list(text).filter(\.isWellFormed) }
            case .list(let name):
                if let list = claims[name]?.array {
                    return list.compactMap(\.string).map(Scope.init(rawValue:)).filter(\.isWellFormed)
                }
            }
        }
        return []
    }

    func roles(in claims: JSONObject) -> [String] {
        var value: JSONValue? = .object(claims)
        for name in manners.roles { value = value?.object?[name] }
        return Self.texts(value)
    }

    func roles(in claims: JSONObject, at client: String) -> [String] {
        guard let name = manners.clientRoles else { return [] }
        return Self.texts(claims[name]?.object?[client]?.object?["roles"])
    }

    func groups(in claims: JSONObject) -> [String] { Self.texts(claims[manners.groups]) }

    /// Whether a token is the client's own, without a user.
    func isClientsOwn(_ claims: JSONObject) -> Bool {
        switch manners.clientsOwn {
        case .subjectIsClient: client(in: claims).map { claims["sub"] == .string($0) } ?? false
        case .subjectIsClientWith(let suffix):
            client(in: claims).map { claims["sub"] == .string($0) || claims["sub"] == .string($0 + suffix) } ?? false
        case .claim(let name, let value): claims[name] == .string(value)
        }
    }

    /// The same profile for an introspection response, whose members RFC 7662 names.
    var ofDescriptions: AccessTokenProfile {
        AccessTokenProfile(
            name,
            types,
            mark,
            client: ["client_id"] + clientClaims,
            scope: [.text("scope")] + scopeClaims,
            audience: audience,
            required: requiredClaims,
            manners: manners
        )
    }

    /// The values of `iss` besides the issuer's own name, as in tokens of version 1 of Entra.
    ///
    /// Entra signs tokens of both versions with the same keys, whichever version the metadata is of.
    public var otherIssuers: [String] {
        manners.tenant.map {
            ["https://sts.windows.net/\($0)/", "https://login.microsoftonline.com/\($0)/v2.0"]
        } ?? []
    }

    private static func text(_ name: String, in claims: JSONObject) -> String? {
        claims[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func texts(_ value: JSONValue?) -> [String] { value?.array?.compactMap(\.string) ?? [] }
}
