import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Session {
    /// Whether a session's access token can be renewed without the user.
    public enum Renewal: Sendable, Hashable {
        /// The session has a refresh token.
        case renewable
        /// The session ends with its access token.
        case notRenewable(Reason)

        /// The reason there is no refresh token.
        public enum Reason: String, Sendable, Hashable, CaseIterable {
            /// `offline_access` is not among the granted scopes: it was not requested, or the server ignored it.
            ///
            /// Some servers ignore it without `prompt=consent` (OpenID Connect Core section 11). See
            /// ``SessionPolicy/consentForOfflineAccess``.
            case offlineAccessNotGranted
            /// The server granted `offline_access` but issued no refresh token.
            case refreshTokenNotIssued

            /// A sentence with the next step.
            public var message: String {
                switch self {
                case .offlineAccessNotGranted:
                    "The server did not grant offline_access, so the session ends with its access token. "
                        + "Request offline_access with prompt=consent."
                case .refreshTokenNotIssued:
                    "The server issued no refresh token, so the session ends with its access token. "
                        + "Allow the client refresh tokens at the server."
                }
            }
        }
    }
}

extension Session.Renewal.Reason {
    /// The reason there is no refresh token among tokens.
    fileprivate init(absentRefreshTokenOf tokens: TokenSet) {
        self = tokens.scopes.contains(.offlineAccess) ? .refreshTokenNotIssued : .offlineAccessNotGranted
    }
}

extension SignInError {
    /// Makes the error of tokens that cannot be refreshed; its message names the reason.
    static func notRenewable(_ tokens: TokenSet, at stage: Stage = .refresh, requestID: String? = nil) -> SignInError {
        var error = SignInError(stage, .signInRequired, requestID: requestID)
        error.detail = Session.Renewal.Reason(absentRefreshTokenOf: tokens).message
        return error
    }
}

extension Session {
    /// Whether the access token can be renewed without the user, and why not.
    public var renewal: Session.Renewal {
        let tokens = coordinator.tokens
        return tokens.refreshToken != nil ? .renewable : .notRenewable(Renewal.Reason(absentRefreshTokenOf: tokens))
    }

    /// The time at which the session ends for good: the expiry of the refresh token, or of the access token if there
    /// is no refresh token.
    ///
    /// The server may end the session sooner. `nil` when the server announced no expiry.
    public var expectedEnd: Date? {
        let tokens = coordinator.tokens
        return tokens.refreshToken == nil ? tokens.expiry : tokens.refreshTokenExpiry
    }
}
