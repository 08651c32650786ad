public import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

extension LogtoDialect {
    /// Puts the claims into an ID token that the scopes open, and that Logto or the tenant's settings have there.
    public func writeIDToken(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope]) {
        write(Self.idTokenClaims, to: &claims, of: person, scopes)
        var extended = JSONObject()
        writeExtended(&extended, of: person, scopes)
        for name in customIDTokenClaims.sorted() { claims[name] = extended[name] ?? claims[name] }
    }

    /// Puts every claim into the user info that the scopes open.
    public func writeUserInfo(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope]) {
        write(Self.idTokenClaims, to: &claims, of: person, scopes)
        writeExtended(&claims, of: person, scopes)
    }

    private func writeExtended(_ claims: inout JSONObject, of person: ProviderUser, _ scopes: [Scope]) {
        write(Self.userInfoClaims, to: &claims, of: person, scopes)
        guard scopes.contains(Self.organizationsScope) else { return }
        let ids = (person.claims["organizations"]?.array ?? []).compactMap(\.string)
        claims["organization_data"] = .array(
            organizations.filter { ids.contains($0.id) }.map {
                .object(["id": .string($0.id), "name": .string($0.name), "description": .null])
            }
        )
    }

    private func write(
        _ opened: [(scope: Scope, claims: [String])],
        to claims: inout JSONObject,
        of person: ProviderUser,
        _ scopes: [Scope]
    ) {
        for name in opened.filter({ scopes.contains($0.scope) }).flatMap(\.claims) {
            // These are there in any case; others only when they have a value.
            let fallback: JSONValue? = Self.nullableClaims.contains(name) ? .null : nil
            claims[name] = person.claims[name] ?? fallback
        }
    }

    private static let nullableClaims: Set<String> = ["name", "username", "picture", "created_at", "updated_at"]

    private static let idTokenClaims: [(scope: Scope, claims: [String])] = [
        (
            .profile,
            [
                "name", "username", "picture", "created_at", "updated_at", "family_name", "given_name", "middle_name",
                "nickname", "preferred_username", "profile", "website", "gender", "birthdate", "zoneinfo", "locale",
            ]
        ),
        (.email, ["email", "email_verified"]),
        ("phone", ["phone_number", "phone_number_verified"]),
        ("address", ["address"]),
        ("roles", ["roles"]),
        (organizationsScope, ["organizations"]),
        ("urn:logto:scope:organization_roles", ["organization_roles"]),
    ]

    private static let userInfoClaims: [(scope: Scope, claims: [String])] = [
        ("custom_data", ["custom_data"]),
        ("identities", ["identities", "sso_identities"]),
    ]
}
