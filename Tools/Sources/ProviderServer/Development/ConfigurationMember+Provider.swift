import Foundation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

extension ConfigurationMember {
    func issuer() throws(ProviderConfigurationError) -> Issuer {
        let string = try string()
        do { return try Issuer(string) } catch { throw wrong(error.configurationSentence) }
    }

    func redirectURIs() throws(ProviderConfigurationError) -> [RedirectURI] {
        try read { element throws(ProviderConfigurationError) in try element.redirectURI() }
    }

    func clients() throws(ProviderConfigurationError) -> [RegisteredClient] {
        let clients = try read { element throws(ProviderConfigurationError) in try element.client() }
        guard !clients.isEmpty else { throw wrong("A provider without clients is of no use: register one.") }
        try requireUnique(clients.map(\.id), "client_id")
        return clients
    }

    func users(
        cost: PasswordHash.Cost,
        using random: inout some RandomNumberGenerator
    ) throws(ProviderConfigurationError) -> [ProviderUser] {
        var users: [ProviderUser] = []
        for element in try elements() { users.append(try element.user(cost: cost, using: &random)) }
        guard !users.isEmpty else { throw wrong("No user could sign in: describe one user.") }
        try requireUnique(users.map(\.name), "name")
        try requireUnique(users.map(\.subject), "sub")
        return users
    }

    func scopes() throws(ProviderConfigurationError) -> [ProviderScope] {
        try read { element throws(ProviderConfigurationError) in
            let object = try element.object(of: ["scope", "sentence", "claims"])
            return ProviderScope(
                Scope(rawValue: try object.required("scope").string()),
                sentence: try object.required("sentence").string(),
                claims: try object["claims"]?.strings() ?? []
            )
        }
    }

    func secondFactor() throws(ProviderConfigurationError) -> ProviderConfiguration.SecondFactor {
        guard let value = ProviderConfiguration.SecondFactor(rawValue: try string()) else {
            throw wrong("This has to be always or on_request.")
        }
        return value
    }

    func languages() throws(ProviderConfigurationError) -> [PageLanguage] {
        let languages = try read { element throws(ProviderConfigurationError) in
            guard let language = PageLanguage(rawValue: try element.string()) else {
                let tags = PageLanguage.allCases.map(\.rawValue).joined(separator: ", ")
                throw element.wrong("This has to be one of \(tags).")
            }
            return language
        }
        guard !languages.isEmpty else { throw wrong("Name a language, such as en.") }
        return languages
    }

    func accounts() throws(ProviderConfigurationError) -> ProviderConfiguration.AccountPolicy {
        guard let value = ProviderConfiguration.AccountPolicy(rawValue: try string()) else {
            throw wrong("This has to be one or several.")
        }
        return value
    }

    private func oneTimePassword() throws(ProviderConfigurationError) -> OneTimePassword {
        let object = try object(of: ["secret", "algorithm", "digits", "period"])
        let secret = try object.required("secret")
        let text = try secret.string()
        let name = try object["algorithm"]?.string() ?? OneTimePassword.Algorithm.sha1.rawValue
        guard let algorithm = OneTimePassword.Algorithm(rawValue: name) else {
            let names = OneTimePassword.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw ProviderConfigurationError("\(path).algorithm", "This has to be one of \(names).")
        }
        let digits = try object["digits"]?.integer(in: 6...8) ?? 6
        let period = try object["period"]?.integer(in: 1...300) ?? 30
        do throws(OneTimePassword.Failure) {
            return try OneTimePassword(
                secret: Secret(text),
                algorithm: algorithm,
                digits: digits,
                period: .seconds(period)
            )
        } catch {
            throw secret.wrong("This has to be 16 to 128 bytes in base32. Run: head -c 20 /dev/urandom | base32")
        }
    }

    func basicCredentials() throws(ProviderConfigurationError) -> ProviderConfiguration.BasicCredentials {
        guard let value = ProviderConfiguration.BasicCredentials(rawValue: try string()) else {
            throw wrong("This has to be form_encoded or form_encoded_or_raw.")
        }
        return value
    }

    func resources() throws(ProviderConfigurationError) -> [ProviderResource] {
        let resources = try read { element throws(ProviderConfigurationError) in
            let object = try element.object(of: ["resource", "name", "scope", "access_token_type"])
            let identifier = try object.required("resource")
            let text = try identifier.string()
            do throws(SignInError) { _ = try ResourceIndicator(text) } catch {
                throw identifier.wrong(error.configurationSentence)
            }
            return ProviderResource(
                identifier: text,
                name: try object["name"]?.string() ?? text,
                scopes: try object["scope"]?.string().scopeList,
                accessTokenHeaderType: try object["access_token_type"]?.string()
            )
        }
        try requireUnique(resources.map(\.identifier), "resource")
        return resources
    }

    private func redirectURI() throws(ProviderConfigurationError) -> RedirectURI {
        let string = try string()
        do { return try RedirectURI(string) } catch { throw wrong(error.configurationSentence) }
    }

    private func client() throws(ProviderConfigurationError) -> RegisteredClient {
        let object = try object(of: [
            "client_id", "client_name", "client_secret", "token_endpoint_auth_method", "redirect_uris",
            "post_logout_redirect_uris", "scope", "grant_types", "id_token_signed_response_alg",
            "userinfo_signed_response_alg", "require_consent", "may_introspect",
            "jwks", "dpop_bound_access_tokens", "require_pushed_authorization_requests", "rules", "claims_in_id_token",
            "access_token_type", "backchannel_logout_uri", "backchannel_logout_session_required",
            "frontchannel_logout_uri", "frontchannel_logout_session_required", "jwks_uri", "request_uris",
            "subject_type", "sector_identifier_uri", "client_uri", "policy_uri", "tos_uri", "logo_uri", "allow",
        ])
        let id = try object.required("client_id").string()
        let grantTypes = try object["grant_types"]?.grantTypes() ?? [.authorizationCode, .refreshToken]
        // Only an authorization code is sent to a redirect URI.
        let redirectURIs =
            grantTypes.contains(.authorizationCode)
            ? try object.required("redirect_uris") : object["redirect_uris"]
        var client = RegisteredClient(
            id: id,
            name: try object["client_name"]?.string() ?? id,
            authenticationMethod: try object.authenticationMethod(),
            redirectURIs: try redirectURIs?.redirectURIs() ?? [],
            // An application that is set up with its redirect URI alone returns there after a sign-out, too.
            postLogoutRedirectURIs: try (object["post_logout_redirect_uris"] ?? redirectURIs)?.redirectURIs() ?? [],
            grantTypes: grantTypes,
            idTokenAlgorithm: try object["id_token_signed_response_alg"]?.algorithm(),
            userInfoAlgorithm: try object["userinfo_signed_response_alg"]?.algorithm(),
            requiresConsent: try object["require_consent"]?.bool() ?? true,
            requiresDPoP: try object["dpop_bound_access_tokens"]?.bool() ?? false,
            requiresPushedAuthorization: try object["require_pushed_authorization_requests"]?.bool() ?? false,
            mayIntrospect: try object["may_introspect"]?.bool() ?? false,
            userClaimsInIDToken: try object["claims_in_id_token"]?.bool(),
            accessTokenHeaderType: try object["access_token_type"]?.string(),
            rules: try object["rules"]?.rules()
        )
        if let redirectURIs, grantTypes.contains(.authorizationCode), client.redirectURIs.isEmpty {
            throw redirectURIs.wrong("A client needs a redirect URI, such as http://127.0.0.1/callback for any port.")
        }
        try object.requireLoadable("frontchannel_logout_uri", "logo_uri")
        client.backChannelLogout = try object.logout("backchannel")
        client.frontChannelLogout = try object.logout("frontchannel")
        if let uri = client.frontChannelLogout?.uri,
            !uri.isAtOrigin(ofAnyOf: client.redirectURIs.map(\.description)),
            let member = object["frontchannel_logout_uri"]
        {
            throw member.wrong("This has to have the scheme, host and port of a redirect URI.")
        }
        try object.readReferences(of: &client)
        if let allow = object["allow"] { client.allowedRules = try allow.allowedRules() }
        if let scope = object["scope"] { client.allowedScopes = Scope.list(try scope.string()) }
        return client
    }

    private func user(
        cost: PasswordHash.Cost,
        using random: inout some RandomNumberGenerator
    ) throws(ProviderConfigurationError) -> ProviderUser {
        let object = try object(of: ["name", "password", "password_hash", "sub", "claims", "one_time_password"])
        let name = try object.required("name").string()
        var user = ProviderUser(
            name: name,
            passwordHash: try object.passwordHash(cost: cost, using: &random),
            subject: try object.subject(of: name),
            claims: try object["claims"]?.object() ?? [:]
        )
        user.oneTimePassword = try object["one_time_password"]?.oneTimePassword()
        return user
    }

    func object() throws(ProviderConfigurationError) -> JSONObject {
        guard let object = value.object else { throw wrong("This has to be an object.") }
        return object
    }

    func strings() throws(ProviderConfigurationError) -> [String] {
        try read { element throws(ProviderConfigurationError) in try element.string() }
    }

    func rules() throws(ProviderConfigurationError) -> ProviderRules {
        guard let rules = ProviderRules.named(try string()) else {
            throw wrong("This has to be one of \(ProviderRules.all.map(\.name).joined(separator: ", ")).")
        }
        return rules
    }

    /// The rules that requests of a client may break.
    func allowedRules() throws(ProviderConfigurationError) -> Set<ProviderRule> {
        guard try !elements().isEmpty else { throw wrong("Name a rule, such as proofKeys, or leave this member out.") }
        let lenient = ProviderRule.allCases.filter { $0.lenientRules != nil && $0 != .emptyMetadata }
        return Set(
            try read { element throws(ProviderConfigurationError) in
                let name = try element.string()
                guard name != ProviderRule.emptyMetadata.rawValue else {
                    throw element.wrong(
                        "emptyMetadata is about registrations and has no effect for a client of this file: leave it out."
                    )
                }
                guard let rule = lenient.first(where: { $0.rawValue == name }) else {
                    throw element.wrong("This has to be one of \(lenient.map(\.rawValue).joined(separator: ", ")).")
                }
                return rule
            }
        )
    }

    func keySet() throws(ProviderConfigurationError) -> JSONWebKeySet {
        guard let keys = try? JSONWebKeySet(parsing: try object().encoded()), !keys.keys.isEmpty else {
            throw wrong("This has to be a JSON Web Key Set with a public key.")
        }
        return keys
    }

    func clientURIs() throws(ProviderConfigurationError) -> [ClientURI] {
        try read { element throws(ProviderConfigurationError) in try element.clientURI(fragment: .accepted) }
    }

    func clientURI(
        fragment: ClientURI.FragmentUse = .refused
    ) throws(ProviderConfigurationError) -> ClientURI {
        let text = try string()
        do throws(ClientURI.Failure) { return try ClientURI(text, fragment: fragment) } catch {
            throw wrong("This \(error).")
        }
    }

    func algorithms() throws(ProviderConfigurationError) -> [SignatureAlgorithm] {
        let algorithms = try read { element throws(ProviderConfigurationError) in try element.algorithm() }
        guard !algorithms.isEmpty else { throw wrong("Name an algorithm, such as ES256.") }
        return algorithms
    }

    func signingKeys() throws(ProviderConfigurationError) -> [SigningKey] {
        try read { element throws(ProviderConfigurationError) in
            let object = try element.object()
            do { return try SigningKey(privateJWK: object, algorithm: nil) } catch {
                throw element.wrong("This has to be a private JSON Web Key with kid and alg.")
            }
        }
    }

    func lifetimes() throws(ProviderConfigurationError) -> ProviderConfiguration.Lifetimes {
        var lifetimes = ProviderConfiguration.Lifetimes()
        let names = ProviderConfiguration.Lifetimes.names
        let object = try object(of: names)
        for name in names {
            guard let member = object[name] else { continue }
            lifetimes[name] = .seconds(try member.integer(in: ProviderConfiguration.Lifetimes.seconds(of: name)))
        }
        return lifetimes
    }

    private func algorithm() throws(ProviderConfigurationError) -> SignatureAlgorithm {
        guard let algorithm = SignatureAlgorithm(rawValue: try string()) else {
            let names = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw wrong("This has to be one of \(names).")
        }
        return algorithm
    }

    private func grantTypes() throws(ProviderConfigurationError) -> Set<RegisteredClient.GrantType> {
        Set(
            try read { element throws(ProviderConfigurationError) in
                guard let type = RegisteredClient.GrantType(rawValue: try element.string()) else {
                    let names = RegisteredClient.GrantType.allCases.map(\.rawValue).joined(separator: ", ")
                    throw element.wrong("This has to be one of \(names).")
                }
                return type
            }
        )
    }

    private func read<Value>(
        _ element: (ConfigurationMember) throws(ProviderConfigurationError) -> Value
    ) throws(ProviderConfigurationError) -> [Value] {
        var values: [Value] = []
        for member in try elements() { values.append(try element(member)) }
        return values
    }

    private func requireUnique(_ values: [String], _ name: String) throws(ProviderConfigurationError) {
        var seen: Set<String> = []
        for (position, value) in values.enumerated() where !seen.insert(value).inserted {
            throw ProviderConfigurationError("\(path)[\(position)].\(name)", "Another one has this already.")
        }
    }
}

extension ConfigurationObject {
    /// The URI at which the client is notified that a login has ended; `nil` for none.
    fileprivate func logout(_ channel: String) throws(ProviderConfigurationError) -> ClientLogout? {
        let isRequired = try self["\(channel)_logout_session_required"]?.bool() ?? false
        guard let member = self["\(channel)_logout_uri"] else { return nil }
        return ClientLogout(try member.clientURI(), isSessionRequired: isRequired)
    }

    /// Refuses members with a URI that no page can load.
    fileprivate func requireLoadable(_ names: String...) throws(ProviderConfigurationError) {
        for name in names {
            guard let member = self[name], try !member.clientURI(fragment: .accepted).isLoadableByPages else {
                continue
            }
            throw member.wrong("This \(ClientURI.Failure.addressInPolicy).")
        }
    }

    /// Reads the URIs that the provider fetches, shows or computes pairwise subjects with.
    fileprivate func readReferences(of client: inout RegisteredClient) throws(ProviderConfigurationError) {
        client.keySetURI = try self["jwks_uri"]?.clientURI()
        client.keySet = try self["jwks"]?.keySet()
        client.requestURIs = try self["request_uris"]?.clientURIs() ?? []
        client.pages.home = try self["client_uri"]?.clientURI(fragment: .accepted)
        client.pages.policy = try self["policy_uri"]?.clientURI(fragment: .accepted)
        client.pages.terms = try self["tos_uri"]?.clientURI(fragment: .accepted)
        client.pages.logo = try self["logo_uri"]?.clientURI(fragment: .accepted)
        let sector = try self["sector_identifier_uri"]?.clientURI()
        guard let type = self["subject_type"] else { return }
        switch try type.string() {
        case "public": return
        case "pairwise":
            // The author of the file vouches for the redirect URIs: the document of the sector is not read.
            // A scheme of private use has no owner of its host, so that two clients may have the same one.
            let page = client.redirectURIs.first { ["https", "http"].contains($0.url.scheme) }
            client.sector = sector?.url.host() ?? page?.url.host() ?? client.id
        default: throw type.wrong("This has to be public or pairwise.")
        }
    }

    /// A client with a secret authenticates with `client_secret_basic` (RFC 7591 section 2), one without not at all.
    fileprivate func authenticationMethod() throws(ProviderConfigurationError) -> RegisteredClient.AuthenticationMethod
    {
        let secret = try self["client_secret"]?.string()
        if try self["token_endpoint_auth_method"]?.string() == "private_key_jwt" { return try assertion(secret) }
        let method =
            try self["token_endpoint_auth_method"]?.string() ?? (secret == nil ? "none" : "client_secret_basic")
        switch (method, secret) {
        case ("none", nil): return .none
        case ("client_secret_basic", let secret?): return .clientSecretBasic(SecretDigest(of: Secret(secret)))
        case ("client_secret_post", let secret?): return .clientSecretPost(SecretDigest(of: Secret(secret)))
        case ("none", _):
            throw ProviderConfigurationError(
                "\(path).client_secret",
                "A client that does not authenticate has no secret."
            )
        case ("client_secret_basic", nil), ("client_secret_post", nil):
            throw ProviderConfigurationError("\(path).client_secret", "This is missing.")
        default:
            throw ProviderConfigurationError(
                "\(path).token_endpoint_auth_method",
                "This has to be none, client_secret_basic, client_secret_post or private_key_jwt."
            )
        }
    }

    /// A client that signs assertions: its public keys are in `jwks`.
    private func assertion(_ secret: String?) throws(ProviderConfigurationError)
        -> RegisteredClient.AuthenticationMethod
    {
        guard secret == nil else {
            throw ProviderConfigurationError("\(path).client_secret", "A client that has keys has no secret.")
        }
        guard self["jwks_uri"] == nil else { return .privateKeyJWT(keys: JSONWebKeySet([]), algorithm: nil) }
        return .privateKeyJWT(keys: try required("jwks").keySet(), algorithm: nil)
    }

    /// The subject of a user: at most 255 ASCII characters (OpenID Connect Core section 2); without one, the name.
    fileprivate func subject(of name: String) throws(ProviderConfigurationError) -> String {
        let subject = try self["sub"]?.string() ?? name
        guard subject.utf8.count <= 255, subject.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw ProviderConfigurationError(
                "\(path).sub",
                self["sub"] == nil
                    ? "The name cannot be the sub, which has 1 to 255 ASCII characters: add one."
                    : "This has to be 1 to 255 ASCII characters."
            )
        }
        return subject
    }

    fileprivate func passwordHash(
        cost: PasswordHash.Cost,
        using random: inout some RandomNumberGenerator
    ) throws(ProviderConfigurationError) -> PasswordHash {
        switch (self["password"], self["password_hash"]) {
        case (let password?, nil):
            let text = try password.string()
            do { return try PasswordHash(Secret(text), cost: cost, using: &random) } catch {
                throw password.wrong("This cannot be hashed.")
            }
        case (nil, let hash?):
            guard let hash = PasswordHash(encoded: try hash.string()) else {
                throw hash.wrong("This has to be a hash of the form $scrypt$ln=15,r=8,p=3$salt$hash.")
            }
            return hash
        case (nil, nil):
            throw ProviderConfigurationError("\(path).password", "Give a password or a password_hash.")
        case (_?, _?):
            throw ProviderConfigurationError("\(path).password", "Give a password or a password_hash, not both.")
        }
    }
}

extension SignInError {
    /// The sentence of a configuration error.
    fileprivate var configurationSentence: String {
        if case .configuration(let sentence) = reason { sentence } else { description }
    }
}

extension String {
    /// A space-separated list of scopes.
    fileprivate var scopeList: [Scope] { Scope.list(self) }
}
