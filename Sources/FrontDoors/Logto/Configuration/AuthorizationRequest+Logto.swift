import OstiaryOAuth

extension AuthorizationRequest {
    /// The request of a sign-in at Logto.
    ///
    /// - Throws: `configuration` for identifiers without a page that takes them, for an extra parameter that an option
    ///   sets already, and for one that the request sets itself.
    init(_ config: LogtoConfig, _ options: LogtoSignInOptions) throws(SignInError) {
        func wrong(_ sentence: String) -> SignInError { SignInError(.authorization, .configuration(sentence)) }
        guard options.identifiers.isEmpty || options.firstScreen?.takesIdentifiers == true else {
            throw wrong("Identifiers need the first screen identifier:sign_in, identifier:register or reset_password.")
        }
        var own = Parameters()
        own["direct_sign_in"] = options.directSignIn?.text
        own["first_screen"] = options.firstScreen?.rawValue
        if !options.identifiers.isEmpty {
            own["identifier"] = options.identifiers.map(\.rawValue).joined(separator: " ")
        }
        own["organization_id"] = options.organizationID
        own["one_time_token"] = options.oneTimeToken?.reveal()
        self.init(
            scopes: config.requestedScopes,
            prompt: (options.prompt ?? config.prompt).words.map(Prompt.init(rawValue:)),
            loginHint: options.loginHint,
            uiLocales: options.uiLocales,
            resources: config.requestedResources
        )
        for name in options.extraParameters.names {
            let values = options.extraParameters.values(of: name)
            guard values.count == 1, own[name] == nil else {
                throw wrong("\(name.rawValue) is given twice: an option or another extra parameter sets it as well.")
            }
            switch name {
            case .loginHint:
                guard loginHint == nil else { throw wrong("login_hint is given twice: it is an option as well.") }
                loginHint = values[0]
            case .uiLocales:
                guard uiLocales.isEmpty else { throw wrong("ui_locales is given twice: it is an option as well.") }
                uiLocales = values[0].split(separator: " ").map(String.init)
            default: own.append(values[0], for: name)
            }
        }
        additionalParameters = own
    }
}
