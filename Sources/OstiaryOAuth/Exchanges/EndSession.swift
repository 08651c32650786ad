import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A request to end the user's session at the provider that has been built and has no response yet.
///
/// (OpenID Connect RP-Initiated Logout sections 2 and 3.)
public struct PendingEndSession: Sendable {
    /// The URL to open in a user agent.
    public let url: URL
    /// The value that the redirect carries; `nil` for a server that takes `logout_uri` and sends none.
    private let state: Secret?
    private let redirectURI: RedirectURI?

    /// Generates the state and builds the URL to open.
    ///
    /// - Parameters:
    ///   - identity: The ID token, sent as a hint about the user who signs out; `nil` sends none.
    ///   - client: The client that sends the request.
    ///   - server: The server, from its metadata.
    ///   - redirectURI: The URI to which the provider redirects after the sign-out, registered for this purpose. `nil`
    ///     ends on a page that the user closes; no redirect is then accepted.
    ///   - random: A cryptographically secure source.
    /// - Throws: `unsupported` at stage `endSession` when the metadata lacks the endpoint; `configuration` without a
    ///   redirect URI for a server that takes `logout_uri` (``ServerManners/takesLogoutURI``).
    public init(
        identity: IDToken?,
        client: Client,
        server: AuthorizationServer,
        redirectURI: RedirectURI?,
        using random: inout some RandomNumberGenerator
    ) throws(SignInError) {
        guard let endpoint = server.endSessionEndpoint else {
            throw SignInError(.endSession, .unsupported("an end_session_endpoint"))
        }
        let takesLogoutURI = client.manners.takesLogoutURI
        let state = takesLogoutURI ? nil : OneTimeValue.make(using: &random)
        var parameters = Parameters([.clientID: client.id])
        if takesLogoutURI {
            guard let redirectURI else {
                throw SignInError(
                    .endSession,
                    .configuration("This server requires logout_uri: give the redirect URI of the sign-out.")
                )
            }
            parameters[.logoutURI] = redirectURI.description
        } else {
            parameters[.idTokenHint] = identity?.compact.reveal()
            if let redirectURI {
                parameters[.postLogoutRedirectURI] = redirectURI.description
                parameters[.state] = state
            }
        }
        let text = endpoint.absoluteString
        guard let url = URL(string: text + (text.contains("?") ? "&" : "?") + FormURLEncoding.encode(parameters)) else {
            throw SignInError(.endSession, .malformed("the metadata's end_session_endpoint"))
        }
        self.url = url
        self.state = state.map { Secret($0) }
        self.redirectURI = redirectURI
    }

    /// Whether a URL is the response to this request: it goes to the redirect URI and carries this request's `state`
    /// once, or none from a server that takes `logout_uri`.
    ///
    /// A request without a redirect URI has no response.
    public func isAnswered(by url: URL) -> Bool {
        var verdict = Verdict(.endSession)
        guard let redirectURI, let redirect = try? AuthorizationRedirect(url, to: redirectURI, recording: &verdict)
        else { return false }
        return !redirect.repeats([.state]) && isExpected(redirect.single(.state))
    }

    /// Whether a redirect's `state` is the one of this request.
    private func isExpected(_ found: String?) -> Bool {
        guard let state else { return found == nil }
        return found.map { constantTimeEqual($0, state.reveal()) } ?? false
    }

    /// Checks the redirect: its URI, and exactly one equal `state`, or none from a server that takes `logout_uri`.
    ///
    /// - Throws: `mismatch` at stage `endSession`; the session on this device has ended nevertheless.
    public func confirm(_ redirect: URL) throws(SignInError) {
        var verdict = Verdict(.endSession)
        try confirm(redirect, recording: &verdict)
    }

    /// Checks the redirect, and records every check that was made.
    ///
    /// - Parameters:
    ///   - redirect: The URL at the redirect URI.
    ///   - verdict: Records every check up to the first that fails.
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
            expected: self.state.flatMap { Verdict.fingerprint($0.reveal()) },
            found: Verdict.fingerprint(state),
            isExpected(state)
        )
    }
}

extension PendingEndSession: CustomStringConvertible, CustomReflectable {
    /// Nothing of the request.
    public var description: String { "PendingEndSession" }
    /// Nothing of the request.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
