import OstiaryJOSE
package import OstiaryOAuth

/// The values of `prompt` (OpenID Connect Core section 3.1.2.1).
enum Prompt: String, CaseIterable, Sendable {
    case none, login, consent
    case selectAccount = "select_account"
}

/// An authorization request that a registered client may make.
///
/// Having one proves that the browser can be sent back.
package struct CheckedAuthorization: Sendable {
    package let client: RegisteredClient
    package let address: ReturnAddress
    let scopes: [Scope]
    /// The S256 challenge; `nil` for a confidential client without PKCE, where the rules serve it.
    let challenge: String?
    /// Whether the request named its redirect URI.
    let namesRedirectURI: Bool
    /// The steps that the strict rules refuse.
    private(set) var admissions: [Admission] = []
    /// The scopes that the client asked for and does not get.
    let omittedScopes: [Scope]
    /// The claims that the request names, if a scope that the client is registered for gives access to them.
    let claims: RequestedClaims
    /// The scopes that give access to ``claims``, besides those that the client is granted.
    let scopesOfClaims: [Scope]
    let nonce: String?
    let prompts: Set<Prompt>
    /// The maximum age of the user's authentication, in seconds.
    let maximumAge: Double?
    /// The requested values of `acr`, the best first: those of `acr_values`, unless ``claims`` has essential ones.
    let contexts: [String]
    let loginHint: String?
    let idTokenHint: String?
    /// The resource servers that its access tokens may be for (RFC 8707).
    let resources: [ProviderResource]
    /// The key that the token request will have to prove, as a thumbprint (RFC 9449 section 10).
    let keyThumbprint: String?
    /// Whether the request has `access_type=offline`, which some providers give refresh tokens for.
    let hasOfflineAccessType: Bool

    /// Checks a request, in an order that determines the recipient of an error (RFC 6749 section 4.1.2.1).
    ///
    /// The client and the redirect URI come first, everything else after them.
    package init(_ parameters: Parameters, at provider: Provider) async throws {
        var (client, address) = try await Self.asker(parameters, provider)
        let rules = provider.rules(for: client)
        namesRedirectURI = parameters[.redirectURI] != nil
        let modes = provider.responseModes(under: rules)
        let mode = parameters[.responseMode] ?? "query"
        address.isPosted = mode == "form_post" && modes.contains(mode)
        self.client = client
        self.address = address
        let returnAddress = address
        func refuse(_ code: OAuthError.Code, _ sentence: String) -> Refusal {
            .redirect(OAuthError(code: code, description: sentence), returnAddress)
        }
        if !namesRedirectURI {
            let reason = "The request has no redirect_uri: it gets the client's only one."
            admissions.append(Admission(rule: .missingRedirectURI, reason: reason))
        }
        if let repetition = parameters.repetition { throw refuse(.invalidRequest, repetition) }
        if let error = provider.configuration.dialect.refusal(of: parameters, from: client) {
            throw Refusal.redirect(error, returnAddress)
        }
        guard parameters["request"] == nil else {
            let keys = try? await provider.keys(of: client, for: parameters["request"] ?? "")
            let isReadable =
                keys.map { (try? provider.requestObject(in: parameters, of: client, signedBy: $0)) != nil } ?? false
            throw refuse(.requestNotSupported, "Request objects are not supported.")
                .breaking(isReadable ? .requestObjects : nil)
        }
        guard parameters["request_uri"] == nil else {
            throw refuse(.requestURINotSupported, "A request_uri is supported only for a pushed request.")
                .breaking(provider.mayFetch(parameters["request_uri"], of: client) ? .clientReferences : nil)
                .mended(by: "Push the request to the pushed_authorization_request_endpoint.")
        }
        guard parameters["registration"] == nil else {
            throw refuse(.registrationNotSupported, "The registration parameter is not supported.")
        }
        guard let responseType = parameters[.responseType], !responseType.isEmpty else {
            throw refuse(.invalidRequest, "The response_type is missing.")
        }
        guard responseType == "code" else {
            throw refuse(.unsupportedResponseType, "The only response_type is code.")
                .mended(by: "Send response_type=code: OAuth 2.1 has no other.")
        }
        guard modes.contains(mode) else {
            let known = modes.joined(separator: " or ")
            throw refuse(.invalidRequest, "The only response_mode is \(known).")
                .breaking(mode == "form_post" ? .formPost : nil)
        }
        if mode == "form_post", !provider.manners.responseModes.contains(mode) {
            admissions.append(Admission(rule: .formPost, reason: "The response_mode is form_post."))
        }
        guard client.grantTypes.contains(.authorizationCode) else {
            throw refuse(.unauthorizedClient, "The client is not registered for authorization codes.")
                .mended(by: "Add authorization_code to the client's grant_types.")
        }
        // RFC 9700 section 2.1.1: every client uses PKCE, and a method that sends the verifier itself protects nothing.
        nonce = parameters[.nonce]
        if let challenge = parameters[.codeChallenge], !challenge.isEmpty {
            guard parameters[.codeChallengeMethod] == "S256" else {
                throw refuse(.invalidRequest, "The code_challenge_method has to be S256.")
                    .mended(by: "Send code_challenge_method=S256 and the SHA-256 of the code_verifier.")
            }
            guard let digest = try? Base64URL.decode(challenge), digest.count == 32 else {
                throw refuse(.invalidRequest, "The code_challenge is not a SHA-256 in base64url.")
            }
            self.challenge = challenge
        } else {
            guard rules.proofKeys == .publicClients, client.isConfidential else {
                throw refuse(.invalidRequest, "The code_challenge is missing.")
                    .breaking(client.isConfidential ? .proofKeys : nil)
                    .mended(by: "Switch PKCE on in the client, with S256.")
            }
            let rest = nonce.map { _ in "" } ?? " and no nonce: a stolen code can be injected"
            admissions.append(Admission(rule: .proofKeys, reason: "The request has no code_challenge\(rest)."))
            challenge = nil
        }
        let granted: [Scope]
        switch Self.granted(parameters[.scope], client, provider) {
        case .success(let grant):
            granted = grant.scopes
            omittedScopes = grant.omitted
            admissions += grant.admissions
        case .failure(let problem):
            throw refuse(.invalidScope, problem.sentence).breaking(problem.rule).mended(by: problem.mend)
        }
        let named = rules.claimsParameter == .honored ? RequestedClaims(parameters["claims"]) : RequestedClaims()
        (claims, scopesOfClaims) = named.limited(
            to: provider.configuration.scopes.filter { client.allowedScopes.contains($0.scope) },
            besides: granted
        )
        var prompts: Set<Prompt> = []
        for word in (parameters[.prompt] ?? "").split(separator: " ") {
            guard let prompt = Prompt(rawValue: String(word)) else {
                throw refuse(.invalidRequest, "The prompt has an unknown value.")
            }
            prompts.insert(prompt)
        }
        guard !prompts.contains(.none) || prompts.count == 1 else {
            throw refuse(.invalidRequest, "The prompt none stands alone.")
        }
        self.prompts = prompts
        guard mode == "form_post" || provider.manners.formPostScopes.isDisjoint(with: granted) else {
            throw refuse(.invalidRequest, "The response_mode has to be form_post for one of these scopes.")
        }
        let isOfflineIgnored =
            switch provider.manners.offlineAccess {
            case .granted, .unknown: false
            case .withConsentPrompt: !prompts.contains(.consent)
            case .ignored: true
            }
        scopes = isOfflineIgnored ? granted.filter { $0 != .offlineAccess } : granted
        if let text = parameters[.maxAge] {
            guard let seconds = Int(text), seconds >= 0, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }) else {
                throw refuse(.invalidRequest, "The max_age is not a number of seconds.")
            }
            maximumAge = Double(seconds)
        } else {
            maximumAge = nil
        }
        do throws(InvalidTarget) {
            let names = parameters.values(of: provider.manners.audienceParameter == .resource ? .resource : .audience)
            resources = try provider.configuration.resources(named: names)
        } catch {
            throw refuse(.invalidTarget, error.sentence).mended(by: error.mend)
        }
        keyThumbprint = parameters[.dpopKeyThumbprint]
        guard keyThumbprint.map({ (try? Base64URL.decode($0))?.count == 32 }) ?? true else {
            throw refuse(.invalidRequest, "The dpop_jkt is not a SHA-256 in base64url.")
        }
        hasOfflineAccessType = parameters["access_type"] == "offline"
        let preferred = (parameters[.acrValues] ?? "").split(separator: " ").map(String.init)
        contexts = claims.essentialContexts ?? preferred
        loginHint = parameters[.loginHint]
        idTokenHint = parameters[.idTokenHint]
    }

    /// Returns the client and the redirect URI.
    ///
    /// Without both, the browser is not redirected: a redirect to an unregistered URI would help phishing (RFC 9700
    /// section 4.11).
    static func asker(
        _ parameters: Parameters,
        _ provider: Provider
    ) async throws -> (RegisteredClient, ReturnAddress) {
        let ids = parameters.values(of: .clientID)
        guard ids.count == 1 else { throw Refusal.page("The request has no client_id, or several.") }
        guard let client = try await provider.client(ids[0]) else {
            throw Refusal.page("There is no client with this client_id.")
                .mended(by: "Known clients: \(provider.configuration.clients.map(\.id).logged).")
        }
        let states = parameters.values(of: .state)
        let state = states.count == 1 ? states[0] : nil
        let redirects = parameters.values(of: .redirectURI)
        let implied = redirects.isEmpty ? impliedRedirectURI(parameters, client) : nil
        let isOptional = provider.rules(for: client).missingRedirectURI == .registered
        guard let redirect = redirects.first ?? (isOptional ? implied : nil), redirects.count <= 1 else {
            throw Refusal.page("The request has no redirect_uri, or several.")
                .breaking(implied == nil ? nil : .missingRedirectURI)
                .mended(by: "Send one redirect_uri.")
        }
        guard client.redirectURIs.contains(where: { $0.covers(redirect) }) else {
            throw Refusal.page(
                "The redirect_uri is not registered for this client; it is compared character by character."
            )
            .since("The redirect_uri is not registered: \(redirect.logged)", by: client.id)
            .mended(
                by:
                    "Add it to the client's redirect_uris. Registered: \(client.redirectURIs.map(\.description).logged)."
            )
        }
        return (client, ReturnAddress(redirectURI: redirect, state: state, clientID: client.id))
    }

    /// The redirect URI of a plain OAuth request that names none, if the client has only one (RFC 6749
    /// section 3.1.2.3).
    ///
    /// OpenID Connect Core section 3.1.2.1 requires the parameter, and a request without a scope may get `openid`.
    private static func impliedRedirectURI(_ parameters: Parameters, _ client: RegisteredClient) -> String? {
        let asked = Scope.list(parameters[.scope] ?? "")
        let possible = asked.isEmpty ? client.allowedScopes : asked
        guard client.redirectURIs.count == 1, !possible.contains(.openID) else { return nil }
        return client.redirectURIs.first?.description
    }
}

extension OAuthError.Code {
    static let requestNotSupported = Self(rawValue: "request_not_supported")
    static let requestURINotSupported = Self(rawValue: "request_uri_not_supported")
    static let registrationNotSupported = Self(rawValue: "registration_not_supported")
}
