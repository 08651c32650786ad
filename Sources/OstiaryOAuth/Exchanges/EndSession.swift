import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A request to end the person's session at the provider that has been built and not yet answered.
///
/// (OpenID Connect RP-Initiated Logout sections 2 and 3.)
public struct PendingEndSession: Sendable {
    /// The URL to open in a user agent.
    public let url: URL
    private let state: Secret
    private let redirectURI: RedirectURI?

    /// Fixes the state and builds the URL to open.
    ///
    /// - Parameters:
    ///   - identity: The ID token, sent as a hint at who signs out; `nil` sends none.
    ///   - redirectURI: Where the provider sends the person back to; registered there for this purpose. `nil` for a page
    ///     that the person closes; no redirect is an answer to it.
    /// - Throws: `unsupported` at stage `endSession` when the metadata lacks the endpoint.
    public init(
        identity: IdentityToken?,
        client: Client,
        server: AuthorizationServer,
        redirectURI: RedirectURI?,
        using random: inout some RandomNumberGenerator
    ) throws(SignInError) {
        guard let endpoint = server.endSessionEndpoint else {
            throw SignInError(.endSession, .unsupported("an end_session_endpoint"))
        }
        let state = OneTimeValue.make(using: &random)
        var parameters = Parameters([.clientID: client.id])
        parameters[.idTokenHint] = identity?.compact.reveal()
        if let redirectURI {
            parameters[.postLogoutRedirectURI] = redirectURI.description
            parameters[.state] = state
        }
        let text = endpoint.absoluteString
        guard let url = URL(string: text + (text.contains("?") ? "&" : "?") + FormURLEncoding.encode(parameters)) else {
            throw SignInError(.endSession, .malformed("the metadata's end_session_endpoint"))
        }
        self.url = url
        self.state = Secret(state)
        self.redirectURI = redirectURI
    }

    /// Whether a URL is the answer to this request: it goes to the redirect URI and carries this request's `state` once.
    ///
    /// A request without a redirect URI has no answer.
    public func isAnswered(by url: URL) -> Bool {
        var verdict = Verdict(.endSession)
        guard let redirectURI, let redirect = try? AuthorizationRedirect(url, to: redirectURI, recording: &verdict)
        else { return false }
        return redirect.single(.state).map { constantTimeEqual($0, state.reveal()) } ?? false
    }

    /// Checks the redirect that comes back: its place, and exactly one equal `state`.
    ///
    /// - Throws: `mismatch` at stage `endSession`; the session here has ended all the same.
    public func confirm(_ redirect: URL) throws(SignInError) {
        var verdict = Verdict(.endSession)
        try confirm(redirect, recording: &verdict)
    }

    /// Checks the redirect that comes back, and tells of every check that was made.
    ///
    /// - Parameter verdict: Gets every check up to the first that fails.
    /// - Throws: As ``confirm(_:)``.
    public func confirm(_ redirect: URL, recording verdict: inout Verdict) throws(SignInError) {
        guard let redirectURI else { throw SignInError(.endSession, .mismatch(.redirectURI)) }
        let redirect = try AuthorizationRedirect(redirect, to: redirectURI, recording: &verdict)
        try verdict.require(
            "end_session.repeated",
            .repeatedParameter,
            "RFC 6749 section 3.1",
            !redirect.repeats([.state])
        )
        let state = redirect.single(.state)
        try verdict.require(
            "end_session.state",
            .state,
            "OpenID Connect RP-Initiated Logout section 3",
            expected: Verdict.fingerprint(self.state.reveal()),
            found: Verdict.fingerprint(state),
            state.map { constantTimeEqual($0, self.state.reveal()) } ?? false
        )
    }
}

extension PendingEndSession: CustomStringConvertible, CustomReflectable {
    /// Nothing of the request.
    public var description: String { "PendingEndSession" }
    /// Nothing of the request.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
