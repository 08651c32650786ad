extension AuthorizationRequest {
    /// The scopes of a request for which the app names none: an ID token, the profile, and a refresh token.
    public static let defaultScopes: [Scope] = [.openID, .profile, .offlineAccess]

    /// The scopes that a request to a server carries.
    package func sentScopes(to server: AuthorizationServer) -> [Scope] {
        var verdict = Verdict(.authorization)
        return fitted(to: server, recording: &verdict).scopes
    }

    /// Returns the request in the form that is sent to a server.
    ///
    /// A server may reject the whole request because of an unknown scope (RFC 6749 section 4.1.2.1), on a page that
    /// never redirects. The default scopes are therefore limited to those in the server's metadata. Scopes that the app
    /// sets are sent unchanged.
    func fitted(to server: AuthorizationServer, recording verdict: inout Verdict) -> AuthorizationRequest {
        guard hasDefaultScopes else { return self }
        var request = self
        request.scopes = Scope.defaults(at: server, recording: &verdict)
        return request
    }
}

extension Scope {
    /// The default scopes that a server lists, and always `openid` (RFC 8414 section 2, `scopes_supported`).
    ///
    /// `verdict` gets an entry when a scope is left out.
    package static func defaults(at server: AuthorizationServer, recording verdict: inout Verdict) -> [Scope] {
        let wanted = AuthorizationRequest.defaultScopes
        guard let listed = server.scopes, !listed.isEmpty else { return wanted }
        let sent = wanted.filter { $0 == .openID || listed.contains($0) }
        let leftOut = wanted.filter { !sent.contains($0) }
        guard !leftOut.isEmpty else { return wanted }
        verdict.record(holds: true) {
            Verdict.Entry(
                name: "request.scope",
                check: .scope,
                rule: "RFC 8414 section 2",
                holds: true,
                expected: sent.text,
                found: "left out, as scopes_supported does not list it: \(leftOut.text)"
            )
        }
        return sent
    }
}

extension AuthorizationRequest {
    /// The resource that the sign-in's own access token is for: the only resource of a request without `openid`.
    ///
    /// `nil` with `openid`, since the user info endpoint may not accept a token for a resource.
    /// (RFC 8707 section 2.2)
    var signInResource: ResourceIndicator? { ResourceIndicator.ofSignIn(scopes: scopes, resources: resources) }
}

extension ResourceIndicator {
    /// The resource that a sign-in's own access token is for; `nil` with `openid`, and with several resources.
    static func ofSignIn(scopes: [Scope], resources: [ResourceIndicator]) -> ResourceIndicator? {
        scopes.contains(.openID) || resources.count != 1 ? nil : resources[0]
    }
}
