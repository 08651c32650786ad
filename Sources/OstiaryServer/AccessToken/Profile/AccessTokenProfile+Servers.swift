public import OstiaryOAuth

extension AccessTokenProfile {
    /// The JWT profile for access tokens, marked by `typ`. (RFC 9068)
    public static let rfc9068 = AccessTokenProfile(
        "rfc9068",
        ["at+jwt"],
        .type,
        client: ["client_id"],
        scope: [.text("scope")]
    )

    /// Keycloak's tokens: the claim `typ` is `Bearer` or `DPoP`, where its ID tokens have `ID`; `azp` names the client.
    ///
    /// The default audience `account` is Keycloak's account console. Give your API its own audience with an audience
    /// mapper, and name it in the policy. A service account is a user of the realm, so
    /// ``VerifiedAccessToken/principal`` treats it as one.
    public static let keycloak = AccessTokenProfile(
        "keycloak",
        ["JWT", "at+jwt"],
        .claim("typ", oneOf: ["Bearer", "DPoP"]),
        client: ["azp"],
        scope: [.text("scope")],
        manners: Manners(roles: ["realm_access", "roles"], clientRoles: "resource_access")
    )

    /// Tokens of one tenant of Microsoft Entra ID, versions 1 and 2: `scp`, or `idtyp` with `app`, marks them.
    ///
    /// `roles` marks nothing, since its ID tokens have that claim as well. A token of an application without a user
    /// passes if the API's registration requests the optional claim `idtyp`. `iss` of version 1 is
    /// `https://sts.windows.net/TENANT/`; the keys are those of version 2.
    ///
    /// - Parameter tenant: The tenant's identifier, a GUID, which must be in the path of the policy's issuer. Names
    ///   such as `common` stand for any tenant and are rejected.
    /// - Returns: The profile.
    /// - Throws: `configuration` at stage `token` if it is not a GUID.
    public static func entra(tenant: String) throws(SignInError) -> AccessTokenProfile {
        guard isGUID(tenant) else {
            throw SignInError(
                .token,
                .configuration(
                    "Name the Entra tenant by its GUID, such as 11111111-2222-3333-4444-555555555555: "
                        + "common and organizations stand for any tenant."
                )
            )
        }
        return AccessTokenProfile(
            "entra",
            ["JWT"],
            .claim("scp").or(.claim("idtyp", oneOf: ["app"])),
            client: ["azp", "appid"],
            scope: [.text("scp")],
            required: [.issuedAt, .subject, .client],
            manners: Manners(tokenID: "uti", tenant: tenant.lowercased(), clientsOwn: .claim("idtyp", "app"))
        )
    }

    /// Tokens of Okta's custom authorization servers: `cid` marks them and names the client, `scp` is an array.
    ///
    /// Tokens of the organization's own server are for Okta alone; they have another `typ` and are rejected.
    public static let okta = AccessTokenProfile(
        "okta",
        [.absent],
        .claim("cid"),
        client: ["cid"],
        scope: [.list("scp")]
    )

    /// Auth0's tokens, of an API whose token profile is RFC 9068.
    ///
    /// Tokens of Auth0's own profile, its default, are rejected. They have `typ` `JWT` like its ID tokens, and no claim
    /// that Auth0 keeps out of ID tokens: it does not reserve the name `scope`, and `azp` and `gty` are not in all
    /// access tokens or not in them alone. Choose RFC 9068 as the token profile in the API's settings.
    public static let auth0 = AccessTokenProfile(
        "auth0",
        ["at+jwt"],
        .type,
        client: ["client_id"],
        scope: [.text("scope")],
        manners: Manners(clientsOwn: .subjectIsClientWith(suffix: "@clients"))
    )

    /// Tokens of Amazon Cognito's user pools: the claim `token_use` is `access`, where its ID tokens have `id`.
    ///
    /// They have no `aud` unless the client requested a resource, so a policy must list the clients
    /// (``AbsentAudience/clients(_:)``).
    public static let cognito = AccessTokenProfile(
        "cognito",
        [.absent],
        .claim("token_use", oneOf: ["access"]),
        client: ["client_id"],
        scope: [.text("scope")],
        audience: .optional,
        required: [.issuedAt, .subject, .client],
        manners: Manners(groups: "cognito:groups")
    )

    /// Tokens of Spring Authorization Server: the array `scope` marks them, so a token without scopes is rejected.
    ///
    /// They name no client. The default audience is the client, as in its ID tokens: have the server's token customizer
    /// set your API's.
    public static let spring = AccessTokenProfile(
        "spring",
        [.absent],
        .claim("scope"),
        client: [],
        scope: [.list("scope")],
        required: [.issuedAt, .subject, .tokenID]
    )

    /// The names of the profiles of well-known servers, for settings and arguments.
    public static let names = ["rfc9068", "keycloak", "entra", "okta", "auth0", "cognito", "spring"]

    /// The profile with a name, for settings and arguments.
    ///
    /// - Parameters:
    ///   - name: One of ``names``.
    ///   - issuer: The tokens' issuer; for `entra` its path contains the tenant.
    /// - Returns: The profile.
    /// - Throws: `configuration` at stage `token` for another name, and for an Entra issuer without a tenant.
    public static func named(_ name: String, issuer: Issuer) throws(SignInError) -> AccessTokenProfile {
        switch name {
        case "rfc9068": return .rfc9068
        case "keycloak": return .keycloak
        case "okta": return .okta
        case "auth0": return .auth0
        case "cognito": return .cognito
        case "spring": return .spring
        case "entra":
            guard let tenant = issuer.description.split(separator: "/").first(where: { isGUID(String($0)) }) else {
                throw SignInError(
                    .token,
                    .configuration(
                        "The issuer \(issuer) names no Entra tenant: "
                            + "give https://login.microsoftonline.com/TENANT/v2.0 with the tenant's GUID."
                    )
                )
            }
            return try .entra(tenant: String(tenant))
        default:
            throw SignInError(
                .token,
                .configuration("There is no profile of that name: give one of \(names.joined(separator: ", ")).")
            )
        }
    }

    static func isGUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { part in
                part.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x41...0x46).contains($0) || (0x61...0x66).contains($0)
                }
            }
    }
}
