public import OstiaryJOSE

extension AccessTokenProfile {
    /// The name of the well-known server's profile that a token matches, for a log or a hint; `nil` when none does, as
    /// for an ID token.
    ///
    /// The claims need not be verified: only a name is derived from them, and no profile is ever chosen by a token.
    static func fitting(type: String?, claims: JSONObject) -> String? {
        candidates(claims).first { profile in
            profile.accepts(type: type) && profile.mark.isOn(type: type, claims)
                && profile.requiredClaims.allSatisfy { profile.has($0, in: claims) }
        }?.name
    }

    /// Returns the format of a token by its header and claims, for a command that lists every check.
    public func form(type: String?, claims: JSONObject) -> AccessTokenRefusal.Form {
        AccessTokenRefusal.Form(type: type, claims: claims, expected: self)
    }

    /// The special ones first: Keycloak's and Okta's tokens have a scope like Spring's.
    private static func candidates(_ claims: JSONObject) -> [AccessTokenProfile] {
        let entra = claims["tid"]?.string.flatMap { try? AccessTokenProfile.entra(tenant: $0) }
        return [.rfc9068, .keycloak, .cognito, .okta, entra, .spring].compactMap(\.self)
    }
}
