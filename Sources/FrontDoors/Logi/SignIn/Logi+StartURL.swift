public import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Logi {
    /// Presents a page of the app's own backend, and returns the response that the backend requested.
    ///
    /// Nothing is generated, stored or redeemed here. It cannot be resumed: start again, and keep neither code nor
    /// `state`.
    ///
    /// - Throws: `alreadyInProgress`; the errors of a sign-in up to its redirect: the URI, the `state` and an `iss` are
    ///   compared before an error is read.
    public func authorize(_ start: LogiStartURL) async throws(SignInError) -> LogiCallback {
        let native = start.native
        let agent = Self.userAgent(native == nil ? nil : opener, flows, redirects, returning, browser) { _ in native }
        let configuration = configuration
        return try await flows.run { () async throws(SignInError) -> LogiCallback in
            let attempt = try await agent.attempt(awaiting: configuration.redirectURI)
            let redirectURI = attempt.redirectURI
            let answer = try await attempt.open(
                start.web,
                accepting: RedirectPredicate { start.isAnswered(by: $0, to: redirectURI) },
                within: configuration.deadline
            )
            return try Self.callback(answer, to: attempt.redirectURI, start, configuration.tokenIssuer)
        }
    }

    /// Makes the checks of a redirect in their order: place, repetition, `state`, issuer, error, code.
    private static func callback(
        _ url: URL,
        to redirectURI: RedirectURI,
        _ start: LogiStartURL,
        _ issuer: Issuer
    ) throws(SignInError) -> LogiCallback {
        let redirect = try AuthorizationRedirect(url, to: redirectURI)
        guard !redirect.repeats([.state, .issuer, .code, .error]) else {
            throw SignInError(.redirect, .mismatch(.repeatedParameter))
        }
        guard let found = start.state(in: redirect) else { throw SignInError(.redirect, .mismatch(.state)) }
        if let named = redirect.single(.issuer), !named.utf8.elementsEqual(issuer.description.utf8) {
            throw SignInError(.redirect, .mismatch(.issuer))
        }
        if let error = redirect.error { throw SignInError(.redirect, .refused(error)) }
        guard let code = redirect.single(.code), !code.isEmpty else { throw SignInError(.redirect, .malformed("code")) }
        return LogiCallback(code: Secret(code), state: found, issuer: redirect.single(.issuer))
    }
}
