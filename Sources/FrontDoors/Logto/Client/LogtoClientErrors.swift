/// An error of ``LogtoClient``: the failed operation, and the cause.
///
/// Neither part holds a secret.
public struct LogtoError<Kind: Sendable & Hashable>: Error, Sendable {
    /// The operation that failed.
    public let type: Kind
    /// The cause; `nil` when ``type`` says everything.
    public let innerError: (any Error)?

    /// Makes an error.
    public init(type: Kind, innerError: (any Error)? = nil) {
        self.type = type
        self.innerError = innerError
    }
}

extension LogtoError: CustomStringConvertible {
    /// The operation that failed, and the cause.
    public var description: String { "\(type)" + (innerError.map { " (\($0))" } ?? "") }
}

/// The errors of ``LogtoClient``, under the names of Logto's SDK.
public enum LogtoClientErrors {
    /// The failures of a sign-in.
    public enum SignInErrorType: String, Sendable, Hashable {
        /// Any other error.
        case unknownError
        /// The browser could not do its part, or an ID token was not to be believed.
        case authFailed
        /// The user closed the browser, or the task was cancelled.
        case userCancelled
        /// Another sign-in is open.
        case signInSessionAlreadyInProgress
        /// The redirect URI is invalid.
        case unableToConstructRedirectUri
        /// The request cannot be made.
        case unableToConstructAuthUri
        /// Logto issued no tokens for the code.
        case unableToFetchToken
        /// The redirect is not a valid response, or carries an error.
        case unexpectedSignInCallback
        /// The session could not be kept.
        case unableToStoreCredentials
    }

    /// The failures of a sign-out.
    public enum SignOutErrorType: String, Sendable, Hashable {
        /// No user is signed in.
        case notAuthenticated
        /// The post sign-out redirect URI is invalid; nothing has changed.
        case invalidRedirectUri
        /// The tenant's metadata could not be read; the user is signed out here.
        case unableToFetchOidcConfig
        /// The tenant has no end-session page, or its URL is invalid.
        case unableToConstructSignOutUri
        /// The redirect from the end-session page is not a valid response.
        case unexpectedSignOutCallback
        /// The page could not be presented.
        case unableToLaunchBrowser
        /// The refresh token may still be valid.
        case unableToRevokeToken
        /// The stored session could not be removed; the user is still signed in.
        case unableToClearCredentials
    }

    /// The failures of a request for an access token.
    public enum AccessTokenErrorType: String, Sendable, Hashable {
        /// There is nothing to renew tokens with: sign in.
        case noRefreshTokenFound
        /// Logto issued no access token.
        case unableToFetchTokenByRefreshToken
        /// The configuration lacks the organizations scope.
        case missingScopeOrganizations
        /// The configuration lacks the resource.
        case ungrantedResourceFound
    }

    /// The failures of reading the tenant's metadata.
    public enum OidcConfigErrorType: String, Sendable, Hashable {
        /// It could not be read, or is another tenant's.
        case unableToFetchOidcConfig
    }

    /// The failures of user info.
    public enum UserInfoErrorType: String, Sendable, Hashable {
        /// Logto returned no user info, or another user's.
        case unableToFetchUserInfo
    }

    /// The failures of reading the tenant's keys.
    public enum JwkSetErrorType: String, Sendable, Hashable {
        /// They could not be read.
        case unableToFetchJwkSet
    }

    /// The failures of the ID token.
    public enum IdTokenErrorType: String, Sendable, Hashable {
        /// There is no ID token.
        case notAuthenticated
    }

    /// An error of a sign-in.
    public typealias SignIn = LogtoError<SignInErrorType>
    /// An error of a sign-out.
    public typealias SignOut = LogtoError<SignOutErrorType>
    /// An error of an access token.
    public typealias AccessToken = LogtoError<AccessTokenErrorType>
    /// An error of the tenant's metadata.
    public typealias OidcConfig = LogtoError<OidcConfigErrorType>
    /// An error of user info.
    public typealias UserInfo = LogtoError<UserInfoErrorType>
    /// An error of the tenant's keys.
    public typealias JwkSet = LogtoError<JwkSetErrorType>
    /// An error of the ID token.
    public typealias IdToken = LogtoError<IdTokenErrorType>
}
