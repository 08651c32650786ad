import OstiaryOAuth

extension SignInError {
    /// The error of a sign-in, as Logto's SDK has it.
    var ofSignIn: any Error {
        func signIn(_ type: LogtoClientErrorTypes.SignIn, _ inner: (any Error)? = nil) -> any Error {
            LogtoClientErrors.SignIn(type: type, innerError: inner ?? self)
        }
        switch (stage, reason) {
        case (_, .cancelled): return signIn(.authFailed)
        case (_, .alreadyInProgress): return signIn(.signInSessionAlreadyInProgress)
        case (.discovery, _): return LogtoClientErrors.OidcConfig(type: .unableToFetchOidcConfig, innerError: self)
        case (.keys, _): return LogtoClientErrors.JwkSet(type: .unableToFetchJwkSet, innerError: self)
        case (_, .presentation(.associatedDomainMissing)): return signIn(.unableToConstructAuthUri)
        case (_, .presentation): return signIn(.authFailed)
        case (.authorization, .timedOut), (.authorization, .transport): return signIn(.authFailed)
        case (.authorization, .refused), (.authorization, .server): return signIn(.authFailed)
        case (.authorization, _): return signIn(.unableToConstructAuthUri)
        case (.redirect, let reason):
            return signIn(.unexpectedSignInCallback, LogtoErrors.UriVerification(reason))
        case (.token, _): return signIn(.unableToFetchToken)
        case (.identity, .mismatch(let check)): return signIn(.authFailed, LogtoErrors.Verification(check))
        case (.identity, _): return signIn(.authFailed)
        default: return signIn(.unknownError)
        }
    }

    /// The error of an access token, as Logto's SDK has it.
    var ofAccessToken: LogtoClientErrors.AccessToken {
        LogtoClientErrors.AccessToken(
            type: reason == .signInRequired ? .noRefreshTokenFound : .unableToFetchTokenByRefreshToken,
            innerError: self
        )
    }

    /// The error of an end-session page, as in Logto's SDK; a page that the user closes is not an error.
    var ofEndSession: LogtoClientErrors.SignOut? {
        let type: LogtoClientErrorTypes.SignOut
        switch (stage, reason) {
        case (_, .cancelled): return nil
        case (.discovery, _): type = .unableToFetchOidcConfig
        case (_, .mismatch): type = .unexpectedSignOutCallback
        case (_, .unsupported), (_, .malformed): type = .unableToConstructSignOutUri
        default: type = .unableToLaunchBrowser
        }
        return LogtoClientErrors.SignOut(type: type, innerError: self)
    }
}
