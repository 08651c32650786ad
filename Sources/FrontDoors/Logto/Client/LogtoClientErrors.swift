/// An error of ``LogtoClient``: what could not be done, and why.
///
/// Neither part holds a secret.
public struct LogtoError<Kind: Sendable & Hashable>: Error, Sendable {
    /// What could not be done.
    public let type: Kind
    /// Why; `nil` when the first says all.
    public let innerError: (any Error)?

    /// Makes an error.
    public init(type: Kind, innerError: (any Error)? = nil) {
        self.type = type
        self.innerError = innerError
    }
}

extension LogtoError: CustomStringConvertible {
    /// What could not be done, and why.
    public var description: String { "\(type)" + (innerError.map { " (\($0))" } ?? "") }
}

/// The errors of ``LogtoClient``, under the names of Logto's SDK.
public enum LogtoClientErrors {
    /// What can go wrong in a sign-in.
    public enum SignInErrorType: String, Sendable, Hashable {
        /// Something else.
        case unknownError
        /// The browser could not do its part, or an ID token was not to be believed.
        case authFailed
        /// The person closed the browser, or the task was cancelled.
        case userCancelled
        /// Another sign-in is open.
        case signInSessionAlreadyInProgress
        /// The redirect URI is none.
        case unableToConstructRedirectUri
        /// The request cannot be made.
        case unableToConstructAuthUri
        /// Logto gave no tokens for the code.
        case unableToFetchToken
        /// The redirect is no answer, or brings an error.
        case unexpectedSignInCallback
        /// The session could not be kept.
        case unableToStoreCredentials
    }

    /// What can go wrong in a sign-out.
    public enum SignOutErrorType: String, Sendable, Hashable {
        /// Nobody is signed in.
        case notAuthenticated
        /// The post sign-out redirect URI is none; nothing has changed.
        case invalidRedirectUri
        /// The tenant's metadata could not be read; nobody is signed in here any more.
        case unableToFetchOidcConfig
        /// The tenant has no end-session page, or its address is none.
        case unableToConstructSignOutUri
        /// The redirect from the end-session page is no answer.
        case unexpectedSignOutCallback
        /// The page could not be shown.
        case unableToLaunchBrowser
        /// The refresh token may still be good.
        case unableToRevokeToken
        /// What is stored could not be removed; the person is still signed in.
        case unableToClearCredentials
    }

    /// What can go wrong when an access token is asked for.
    public enum AccessTokenErrorType: String, Sendable, Hashable {
        /// There is nothing to renew tokens with: sign in.
        case noRefreshTokenFound
        /// Logto gave none.
        case unableToFetchTokenByRefreshToken
        /// The configuration lacks the organizations scope.
        case missingScopeOrganizations
        /// The configuration lacks the resource.
        case ungrantedResourceFound
    }

    /// What can go wrong with the tenant's metadata.
    public enum OidcConfigErrorType: String, Sendable, Hashable {
        /// It could not be read, or is another tenant's.
        case unableToFetchOidcConfig
    }

    /// What can go wrong with user info.
    public enum UserInfoErrorType: String, Sendable, Hashable {
        /// Logto gave none, or somebody else's.
        case unableToFetchUserInfo
    }

    /// What can go wrong with the tenant's keys.
    public enum JwkSetErrorType: String, Sendable, Hashable {
        /// They could not be read.
        case unableToFetchJwkSet
    }

    /// What can go wrong with the ID token.
    public enum IdTokenErrorType: String, Sendable, Hashable {
        /// There is none.
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
