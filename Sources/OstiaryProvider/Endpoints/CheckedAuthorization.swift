import OstiaryJOSE
import OstiaryOAuth

/// The values of `prompt` (OpenID Connect Core section 3.1.2.1).
enum Prompt: String, CaseIterable, Sendable {
    case none, login, consent
    case selectAccount = "select_account"
}

/// An authorization request that a registered client may make.
///
/// Having one proves that the browser can be sent back.
struct CheckedAuthorization: Sendable {
    let client: RegisteredClient
    let address: ReturnAddress
    let scopes: [Scope]
    let challenge: String
    let nonce: String?
    let prompts: Set<Prompt>
    /// The maximum age of the user's authentication, in seconds.
    let maximumAge: Double?
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
    init(_ parameters: Parameters, at provider: Provider) async throws {
        var (client, address) = try await Self.asker(parameters, provider)
        let modes = provider.manners.responseModes
        let mode = parameters[.responseMode] ?? "query"
        address.isPosted = mode == "form_post" && modes.contains(mode)
        self.client = client
        self.address = address
        let returnAddress = address
        func refuse(_ code: OAuthError.Code, _ sentence: String) -> Refusal {
            .redirect(OAuthError(code: code, description: sentence), returnAddress)
        }
        if let repetition = parameters.repetition { throw refuse(.invalidRequest, repetition) }
        if let error = provider.configuration.dialect.refusal(of: parameters, from: client) {
            throw Refusal.redirect(error, returnAddress)
        }
        guard parameters["request"] == nil else {
            throw refuse(.requestNotSupported, "Request objects are not supported.")
        }
        guard parameters["request_uri"] == nil else {
            throw refuse(.requestURINotSupported, "Request objects are not supported.")
        }
        guard parameters["registration"] == nil else {
            throw refuse(.registrationNotSupported, "The registration parameter is not supported.")
        }
        guard let responseType = parameters[.responseType], !responseType.isEmpty else {
            throw refuse(.invalidRequest, "The response_type is missing.")
        }
        guard responseType == "code" else {
            throw refuse(.unsupportedResponseType, "The only response_type is code.")
        }
        guard modes.contains(mode) else {
            let known = modes.joined(separator: " or ")
            throw refuse(.invalidRequest, "The only response_mode is \(known).")
        }
        guard client.grantTypes.contains(.authorizationCode) else {
            throw refuse(.unauthorizedClient, "The client is not registered for authorization codes.")
        }
        // RFC 9700 section 2.1.1: every client uses PKCE, and a method that sends the verifier itself protects nothing.
        guard let challenge = parameters[.codeChallenge], !challenge.isEmpty else {
            throw refuse(.invalidRequest, "The code_challenge is missing.")
        }
        guard parameters[.codeChallengeMethod] == "S256" else {
            throw refuse(.invalidRequest, "The code_challenge_method has to be S256.")
        }
        guard let digest = try? Base64URL.decode(challenge), digest.count == 32 else {
            throw refuse(.invalidRequest, "The code_challenge is not a SHA-256 in base64url.")
        }
        self.challenge = challenge
        let granted: [Scope]
        switch Self.granted(parameters[.scope] ?? "", client, provider) {
        case .success(let scopes): granted = scopes
        case .failure(let problem): throw refuse(.invalidScope, problem.sentence)
        }
        nonce = parameters[.nonce]
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
            throw refuse(.invalidTarget, error.sentence)
        }
        keyThumbprint = parameters[.dpopKeyThumbprint]
        guard keyThumbprint.map({ (try? Base64URL.decode($0))?.count == 32 }) ?? true else {
            throw refuse(.invalidRequest, "The dpop_jkt is not a SHA-256 in base64url.")
        }
        hasOfflineAccessType = parameters["access_type"] == "offline"
        loginHint = parameters[.loginHint]
        idTokenHint = parameters[.idTokenHint]
    }

    /// Returns the client and the redirect URI.
    ///
    /// Without both, the browser is not redirected: a redirect to an unregistered URI would help phishing (RFC 9700
    /// section 4.11).
    private static func asker(
        _ parameters: Parameters,
        _ provider: Provider
    ) async throws -> (RegisteredClient, ReturnAddress) {
        let ids = parameters.values(of: .clientID)
        guard ids.count == 1 else { throw Refusal.page("The request has no client_id, or several.") }
        guard let client = try await provider.client(ids[0]) else {
            throw Refusal.page("There is no client with this client_id.")
        }
        let redirects = parameters.values(of: .redirectURI)
        guard redirects.count == 1 else { throw Refusal.page("The request has no redirect_uri, or several.") }
        guard client.redirectURIs.contains(where: { $0.covers(redirects[0]) }) else {
            throw Refusal.page(
                "The redirect_uri is not registered for this client; it is compared character by character."
            )
        }
        let states = parameters.values(of: .state)
        return (client, ReturnAddress(redirectURI: redirects[0], state: states.count == 1 ? states[0] : nil))
    }

    struct ScopeProblem: Error {
        var sentence: String
    }

    /// Returns the scopes that the client is granted (RFC 6749 section 3.3).
    ///
    /// An unknown scope is a mistake, so the request is rejected. A scope that is not allowed for this client is left
    /// out, and the token response says so. `offline_access` is for clients with refresh tokens (OpenID Connect Core
    /// section 11).
    static func granted(
        _ text: String,
        _ client: RegisteredClient,
        _ provider: Provider
    ) -> Result<[Scope], ScopeProblem> {
        let asked = Scope.list(text)
        let known = provider.knownScopes
        guard !asked.isEmpty else { return .failure(ScopeProblem(sentence: "The scope is missing.")) }
        guard asked.allSatisfy({ $0.isWellFormed && known.contains($0) }) else {
            return .failure(ScopeProblem(sentence: "The scope has a value that this server does not know."))
        }
        let granted = asked.filter {
            client.allowedScopes.contains($0) && ($0 != .offlineAccess || client.grantTypes.contains(.refreshToken))
        }
        guard !granted.isEmpty else {
            return .failure(ScopeProblem(sentence: "The client may not ask for any of these scopes."))
        }
        return .success(granted)
    }
}

extension OAuthError.Code {
    static let requestNotSupported = Self(rawValue: "request_not_supported")
    static let requestURINotSupported = Self(rawValue: "request_uri_not_supported")
    static let registrationNotSupported = Self(rawValue: "registration_not_supported")
}
