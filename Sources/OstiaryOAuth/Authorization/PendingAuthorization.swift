import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An authorization request that has been built and has no response yet.
///
/// It carries every value that its response is checked against. Only an ``AuthorizationRequest`` makes one, directly or
/// through a ``PushedAuthorizationRequest``.
public struct PendingAuthorization: Sendable {
    /// The URL to open in a user agent.
    public let url: URL
    let request: AuthorizationRequest
    let client: Client
    let server: AuthorizationServer
    let state: Secret
    let nonce: Secret
    let proofKey: ProofKey
    let dpopKey: DPoPKey?
    /// The decisions about the request: an entry for the default scopes that were left out.
    public let verdict: Verdict

    init(
        url: URL,
        request: AuthorizationRequest,
        client: Client,
        server: AuthorizationServer,
        state: Secret,
        nonce: Secret,
        proofKey: ProofKey,
        dpopKey: DPoPKey?,
        verdict: Verdict = Verdict(.authorization)
    ) {
        self.url = url
        self.request = request
        self.client = client
        self.server = server
        self.state = state
        self.nonce = nonce
        self.proofKey = proofKey
        self.dpopKey = dpopKey
        self.verdict = verdict
    }

    init(_ draft: AuthorizationDraft, opening parameters: Parameters) throws(SignInError) {
        let text = draft.endpoint.absoluteString
        let query = FormURLEncoding.encode(parameters)
        guard let url = URL(string: text + (text.contains("?") ? "&" : "?") + query) else {
            throw SignInError(.authorization, .malformed("the metadata's authorization_endpoint"))
        }
        self.init(
            url: url,
            request: draft.request,
            client: draft.client,
            server: draft.server,
            state: draft.state,
            nonce: draft.nonce,
            proofKey: draft.proofKey,
            dpopKey: draft.dpopKey,
            verdict: draft.verdict
        )
    }

    /// Whether a URL is the response to this request: it goes to the redirect URI and carries this request's `state`.
    ///
    /// An app that receives an unexpected URL calls this first, and ignores the URL when the result is `false`.
    public func isAnswered(by url: URL) -> Bool {
        var verdict = Verdict(.redirect)
        guard let redirect = try? AuthorizationRedirect(url, to: client.redirectURI, recording: &verdict) else {
            return false
        }
        return redirect.single(.state).map { constantTimeEqual($0, state.reveal()) } ?? false
    }

    /// Checks a redirect and returns the grant to redeem (RFC 6749 section 4.1.2, RFC 9207 section 2.4).
    ///
    /// The order matters: the redirect URI, then the `state`, then the issuer, and only then the response's own
    /// parameters. A forged redirect is rejected before its `error` is read.
    ///
    /// - Throws: At stage `redirect`: `mismatch` when the redirect is not the response to this request, `refused` with
    ///   the server's error, `malformed` when there is neither a code nor an error.
    public func grant(from redirect: URL) throws(SignInError) -> AuthorizationCodeGrant {
        var verdict = Verdict(.redirect)
        return try grant(from: redirect, recording: &verdict)
    }

    /// Checks a redirect, returns the grant to redeem, and records every check that was made.
    ///
    /// - Parameters:
    ///   - redirect: The URL at the redirect URI.
    ///   - verdict: Records every check up to the first that fails.
    /// - Returns: The grant to redeem.
    /// - Throws: As ``grant(from:)``.
    public func grant(from redirect: URL, recording verdict: inout Verdict) throws(SignInError)
        -> AuthorizationCodeGrant
    {
        let redirect = try AuthorizationRedirect(redirect, to: client.redirectURI, recording: &verdict)
        try verdict.require(
            "redirect.repeated",
            .repeatedParameter,
            "RFC 6749 section 3.1",
            !redirect.repeats([.state, .issuer, .code, .error])
        )
        let state = redirect.single(.state)
        try verdict.require(
            "redirect.state",
            .state,
            "RFC 6749 section 10.12",
            expected: Verdict.fingerprint(self.state.reveal()),
            found: Verdict.fingerprint(state),
            state.map { constantTimeEqual($0, self.state.reveal()) } ?? false
        )
        let issuer = redirect.single(.issuer)
        try verdict.require(
            "redirect.iss",
            .issuer,
            "RFC 9207 section 2.4",
            expected: server.issuer.description,
            found: issuer.map { String($0.prefix(200)) },
            issuer.map(server.issuer.isNamed) ?? true
        )
        try verdict.require(
            "redirect.iss.present",
            .issuer,
            "RFC 9207 section 2.4",
            expected: server.issuer.description,
            found: issuer.map { String($0.prefix(200)) },
            issuer != nil || !mustNameIssuer
        )
        try verdict.require(
            "redirect.front_channel_tokens",
            .unexpectedParameter,
            "RFC 9700 section 2.1.2",
            !redirect.contains(["response", "id_token", "access_token", "token"])
        )
        if let error = redirect.error {
            try verdict.require(
                "redirect.error_and_code",
                .unexpectedParameter,
                "RFC 6749 section 4.1.2.1",
                !redirect.contains([.code])
            )
            let sent = SentValues([self.state, nonce, proofKey.verifier, Secret(proofKey.challenge)])
            throw SignInError(.redirect, .refused(sent.masking(error)))
        }
        guard let code = redirect.single(.code), !code.isEmpty else { throw SignInError(.redirect, .malformed("code")) }
        return AuthorizationCodeGrant(code: Secret(code), pending: self)
    }

    /// Whether a response without `iss` is rejected: the metadata promises one, or the profile requires it.
    private var mustNameIssuer: Bool { server.sendsIssuerInResponses || client.profile.requiresIssuerInResponses }
}

extension PendingAuthorization: CustomStringConvertible, CustomReflectable {
    /// The issuer and the client; nothing of the one-time values.
    public var description: String { "PendingAuthorization(\(server.issuer), \(client.id))" }
    /// The issuer and the client.
    public var customMirror: Mirror {
        Mirror(self, children: ["issuer": server.issuer.description, "client": client.id])
    }
}

/// An authorization request with its one-time values, before it is known how it gets to the server.
struct AuthorizationDraft: Sendable {
    let endpoint: URL
    let parameters: Parameters
    let request: AuthorizationRequest
    let client: Client
    let server: AuthorizationServer
    let state: Secret
    let nonce: Secret
    let proofKey: ProofKey
    let dpopKey: DPoPKey?
    /// The decisions about the request, such as the default scopes that were left out.
    let verdict: Verdict
}
