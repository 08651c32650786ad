import OstiaryOAuth

extension Provider {
    /// The values of `acr` that a request may name, the weakest first.
    ///
    /// A passkey is two factors, and resists phishing besides.
    var contexts: [String] {
        [Self.passwordContext] + (hasOneTimePasswords ? [Self.multiFactorContext] : [])
            + (relyingParty == nil ? [] : [Self.passkeyContext])
    }

    /// The `acr` of a sign-in with these methods.
    static func context(of methods: [String]) -> String {
        guard methods.contains(LoginSession.multiFactor) else { return passwordContext }
        return methods.contains(Passkey.possession) ? passkeyContext : multiFactorContext
    }

    /// Whether a user has an authenticator app.
    private var hasOneTimePasswords: Bool { users.contains { $0.oneTimePassword != nil } }

    /// The contexts that a login meets: its own, and the weaker ones, also those that this provider offers no more.
    private func contexts(metBy login: LoginSession) -> [String] {
        let own = Self.context(of: login.methods)
        return [Self.passwordContext, Self.multiFactorContext, Self.passkeyContext].prefix { $0 != own } + [own]
    }

    /// Whether a signed-in user has to sign in once more, since a request accepts a passkey and nothing that the login
    /// meets. (RFC 9470 section 5)
    func needsPasskey(_ login: LoginSession, for requested: [String]) -> Bool {
        relyingParty != nil && requested.contains(Self.passkeyContext)
            && !requested.contains(where: contexts(metBy: login).contains)
    }

    /// The `acr` of a login for a request: the first requested one that the login meets, or else its own.
    ///
    /// - Throws: `unmet_authentication_requirements` where the login meets no requested context, and the request names
    ///   one of this provider, or an essential one. (RFC 9470 section 5, OpenID Connect Core section 5.5.1.1, OpenID
    ///   Connect Core Error Code unmet_authentication_requirements)
    func context(of login: LoginSession, for authorization: CheckedAuthorization) throws(Refusal) -> String {
        let requested = authorization.contexts.filter(contexts.contains)
        let met = contexts(metBy: login)
        if let context = requested.first(where: met.contains) { return context }
        let isEssential = authorization.claims.essentialContexts != nil
        guard requested.isEmpty, !isEssential else {
            let source = isEssential ? "the essential acr of claims" : "acr_values"
            let error = OAuthError(
                code: .unmetAuthenticationRequirements,
                description: "The user cannot authenticate as \(source) requires."
            )
            throw .redirect(error, authorization.address)
        }
        return Self.context(of: login.methods)
    }
}

extension OAuthError.Code {
    static let unmetAuthenticationRequirements = Self(rawValue: "unmet_authentication_requirements")
}
