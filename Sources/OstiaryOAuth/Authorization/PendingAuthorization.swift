import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An authorization request that has been built and not yet answered.
///
/// It carries everything that its answer is checked against; only ``AuthorizationRequest/prepared(for:at:using:)`` makes one.
public struct PendingAuthorization: Sendable {
    /// The URL to open in a user agent.
    public let url: URL
    let request: AuthorizationRequest
    let client: Client
    let server: AuthorizationServer
    let state: Secret
    let nonce: Secret
    let proofKey: ProofKey

    init(
        url: URL,
        request: AuthorizationRequest,
        client: Client,
        server: AuthorizationServer,
        state: String,
        nonce: String,
        proofKey: ProofKey
    ) {
        self.url = url
        self.request = request
        self.client = client
        self.server = server
        self.state = Secret(state)
        self.nonce = Secret(nonce)
        self.proofKey = proofKey
    }

    /// Whether a URL is the answer to this request: it goes to the redirect URI and carries this request's `state`.
    ///
    /// An app that is handed a URL it does not expect asks this first, and leaves the flow alone when it says no.
    public func isAnswered(by url: URL) -> Bool {
        guard let redirect = try? AuthorizationRedirect(url, to: client.redirectURI) else { return false }
        return redirect.single(.state).map { constantTimeEqual($0, state.reveal()) } ?? false
    }

    /// Checks a redirect and returns the right to ask for tokens (RFC 6749 section 4.1.2, RFC 9207 section 2.4).
    ///
    /// The order matters: the place, then the `state`, then the issuer, and only then what the answer says. A redirect
    /// that somebody else made is refused before its `error` is looked at.
    ///
    /// - Throws: At stage `redirect`: `mismatch` when the redirect is not the answer to this request, `refused` with the
    ///   server's error, `malformed` when there is neither a code nor an error.
    public func grant(from redirect: URL) throws(SignInError) -> AuthorizationGrant {
        let redirect = try AuthorizationRedirect(redirect, to: client.redirectURI)
        try redirect.refuseRepeated([.state, .issuer, .code, .error])
        guard let given = redirect.single(.state), constantTimeEqual(given, state.reveal()) else {
            throw SignInError(.redirect, .mismatch(.state))
        }
        if let issuer = redirect.single(.issuer) {
            guard server.issuer.isNamed(issuer) else { throw SignInError(.redirect, .mismatch(.issuer)) }
        } else if server.sendsIssuerInResponses {
            throw SignInError(.redirect, .mismatch(.issuer))
        }
        try redirect.refuse(["response", "id_token", "access_token", "token"])
        if let error = redirect.error {
            guard redirect.single(.code) == nil else { throw SignInError(.redirect, .mismatch(.unexpectedParameter)) }
            throw SignInError(.redirect, .refused(error))
        }
        guard let code = redirect.single(.code), !code.isEmpty else { throw SignInError(.redirect, .malformed("code")) }
        return AuthorizationGrant(code: Secret(code), pending: self)
    }
}

extension PendingAuthorization: CustomStringConvertible, CustomReflectable {
    /// The issuer and the client; nothing of the one-time values.
    public var description: String { "PendingAuthorization(\(server.issuer), \(client.id))" }
    /// The issuer and the client.
    public var customMirror: Mirror {
        Mirror(self, children: ["issuer": server.issuer.description, "client": client.id])
    }
}
