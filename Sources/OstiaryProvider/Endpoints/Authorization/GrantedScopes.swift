import OstiaryOAuth

/// The scopes that a request is granted.
struct GrantedScopes: Sendable {
    var scopes: [Scope]
    /// The scopes that the request asks for and does not get.
    var omitted: [Scope] = []
    /// The steps that the strict rules refuse.
    var admissions: [Admission] = []
}

/// The reason no scopes are granted.
struct ScopeProblem: Error {
    var sentence: String
    var rule: ProviderRule?
    var mend: String?
}

extension CheckedAuthorization {
    /// Returns the scopes that the client is granted (RFC 6749 section 3.3).
    ///
    /// A scope that is not allowed for this client is left out, and the token response says so. `offline_access` is for
    /// clients with refresh tokens (OpenID Connect Core section 11).
    ///
    /// `text` is the parameter `scope`; `nil` for none.
    static func granted(
        _ text: String?,
        _ client: RegisteredClient,
        _ provider: Provider
    ) -> Result<GrantedScopes, ScopeProblem> {
        let rules = provider.rules(for: client)
        let known = provider.knownScopes
        let asked = Scope.list(text ?? "")
        guard !asked.isEmpty else {
            let usual = client.allowedScopes.filter { known.contains($0) && $0 != .offlineAccess }
            guard rules.missingScope == .registered, !usual.isEmpty else {
                let mend = "Send a scope, such as openid."
                let rule: ProviderRule? = usual.isEmpty ? nil : .missingScope
                return .failure(ScopeProblem(sentence: "The scope is missing.", rule: rule, mend: mend))
            }
            let admission = Admission(rule: .missingScope, reason: "The request has no scope: it gets \(usual.text).")
            return .success(GrantedScopes(scopes: usual, admissions: [admission]))
        }
        guard asked.allSatisfy(\.isWellFormed) else {
            return .failure(ScopeProblem(sentence: "The scope has a character that no scope may have."))
        }
        let unknown = asked.filter { !known.contains($0) }
        let granted = asked.filter {
            known.contains($0) && client.allowedScopes.contains($0)
                && ($0 != .offlineAccess || client.grantTypes.contains(.refreshToken))
        }
        guard unknown.isEmpty || rules.unknownScopes == .ignored else {
            return .failure(
                ScopeProblem(
                    sentence: "The scope has a value that this server does not know.",
                    rule: granted.isEmpty ? nil : .unknownScopes,
                    mend: "Leave out or add to the configuration's scopes: \(unknown.text.logged)."
                )
            )
        }
        guard !granted.isEmpty else {
            let lacksGrant = asked == [.offlineAccess] && client.allowedScopes.contains(.offlineAccess)
            return .failure(
                ScopeProblem(
                    sentence: "The client may not request any of these scopes.",
                    mend: lacksGrant
                        ? "Add refresh_token to the client's grant_types, for offline_access."
                        : "Add one to the client's scope: \(asked.text.logged). It has: \(client.allowedScopes.text)."
                )
            )
        }
        let omitted = asked.filter { !granted.contains($0) }
        let admission = Admission(rule: .unknownScopes, reason: "Unknown scopes are ignored: \(unknown.text.logged).")
        return .success(
            GrantedScopes(scopes: granted, omitted: omitted, admissions: unknown.isEmpty ? [] : [admission])
        )
    }
}
