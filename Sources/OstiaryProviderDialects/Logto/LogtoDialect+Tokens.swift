import HTTPTypes
public import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

extension LogtoDialect {
    /// Leaves `issued_token_type` out of a token exchange, as Logto 1.37 does against RFC 8693 section 2.2.1.
    public func writeTokenResponse(_ response: inout JSONObject, for grantType: RegisteredClient.GrantType) {
        if grantType == .tokenExchange { response["issued_token_type"] = nil }
    }

    /// Plans the token for the requested resource and organization.
    ///
    /// Neither: an opaque token for user info and the account API. A resource: the scopes of the user's global roles
    /// there. An organization: the scopes of the user's roles in it. Both: the resource's scopes, on behalf of the
    /// organization.
    public func writeAccessTokenPlan(
        _ plan: inout AccessTokenPlan,
        asked form: Parameters,
        of person: ProviderUser
    ) throws(DialectRefusal) {
        guard let id = form["organization_id"] else {
            plan.isOpaque = plan.audience.isEmpty
            if !plan.isOpaque { plan.scopes = allowed(plan.scopes, by: globalScopes(of: person)) }
            return
        }
        let organization = try organization(id, for: person, plan)
        if plan.audience.isEmpty {
            plan.audience = [Self.organizationPrefix + id]
        } else {
            plan.claims["organization_id"] = .string(id)
        }
        plan.scopes = plan.scopes.filter(organizationScopes(of: person, in: organization).contains)
    }

    private func organization(
        _ id: String,
        for person: ProviderUser,
        _ plan: AccessTokenPlan
    ) throws(DialectRefusal) -> Organization {
        guard plan.grantedScopes.contains(Self.organizationsScope) else {
            throw DialectRefusal(
                .insufficientScope,
                "refresh token missing required scope: \(Self.organizationsScope.rawValue)",
                status: .forbidden
            )
        }
        let isMember = person.claims["organizations"]?.array?.contains(.string(id)) == true
        guard isMember, let organization = organizations.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else {
            throw DialectRefusal(.accessDenied, "user is not a member of the organization", status: .forbidden)
        }
        if let granted = thirdPartyApps[plan.clientID], !granted.contains(id) {
            throw DialectRefusal(
                .accessDenied,
                "organization access is not granted to the application",
                status: .forbidden
            )
        }
        guard !organization.requiresMFA || person.claims["mfa"] == true else {
            throw DialectRefusal(
                .accessDenied,
                "organization requires MFA but user has no MFA configured",
                status: .forbidden
            )
        }
        return organization
    }

    private func organizationScopes(of person: ProviderUser, in organization: Organization) -> [Scope] {
        let prefix = organization.id + ":"
        let names = (person.claims["organization_roles"]?.array ?? []).compactMap(\.string)
        return names.filter { $0.hasPrefix(prefix) }.flatMap {
            organization.roles[String($0.dropFirst(prefix.count))] ?? []
        }
    }

    /// Returns the scopes of a user's roles; `nil` for all scopes.
    private func globalScopes(of person: ProviderUser) -> [Scope]? {
        let names = (person.claims["roles"]?.array ?? []).compactMap(\.string)
        guard names.allSatisfy({ roles[$0] != nil }), !names.isEmpty else { return nil }
        return names.flatMap { roles[$0] ?? [] }
    }

    private func allowed(_ scopes: [Scope], by roles: [Scope]?) -> [Scope] {
        guard let roles else { return scopes }
        return scopes.filter(roles.contains)
    }
}
