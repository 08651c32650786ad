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
