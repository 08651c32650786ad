public import Ostiary
import OstiaryOAuth

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

    /// Whether the user closed the page, or the task was cancelled: nothing to show.
    public var isCancellation: Bool { (innerError as? SignInError)?.reason == .cancelled }
}

extension LogtoError: CustomStringConvertible {
    /// The operation that failed, and the cause.
    public var description: String { "\(type)" + (innerError.map { " (\($0))" } ?? "") }
}

extension LogtoError: PresentableError {
    /// The action that may resolve the error.
    public var recovery: SignInError.Recovery {
        switch innerError {
        case let error as any PresentableError: error.recovery
        case is LogtoErrors.UriVerification: .signInAgain
        case is LogtoErrors.UrlConstruction: .fixConfiguration
        // No user is signed in.
        case nil: .signInAgain
        default: .none
        }
    }

    /// The next step of the user.
    public var advice: SignInAdvice { (innerError as? any PresentableError)?.advice ?? SignInAdvice(recovery) }
    /// The server's identifier of the request that failed, if it sent one.
    public var supportReference: String? { (innerError as? any PresentableError)?.supportReference }
}

/// The kinds of the errors of ``LogtoClient``, under the names of Logto's SDK.
public enum LogtoClientErrorTypes {
    /// The failures of a sign-in.
    public enum SignIn: String, Sendable, Hashable {
        /// Any other error; ``LogtoError/innerError`` says which, such as a store that fails.
        case unknownError
        /// The browser could not do its part, the user closed it, or an ID token failed a check.
        case authFailed
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
    }

    /// The failures of a sign-out.
    public enum SignOut: String, Sendable, Hashable {
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
        /// The stored session could not be removed; the user is still signed in. Logto's SDK has no such case.
        case unableToClearCredentials
    }

    /// The failures of a request for an access token.
    public enum AccessToken: String, Sendable, Hashable {
        /// There is nothing to renew tokens with: sign in.
        case noRefreshTokenFound
        /// Logto issued no access token, or the configuration lacks the resource or the organizations scope.
        case unableToFetchTokenByRefreshToken
    }

    /// The failures of reading the tenant's metadata.
    public enum OidcConfig: String, Sendable, Hashable {
        /// It could not be read, or is another tenant's.
        case unableToFetchOidcConfig
    }

    /// The failures of user info.
    public enum UserInfo: String, Sendable, Hashable {
        /// Logto returned no user info, or another user's.
        case unableToFetchUserInfo
    }

    /// The failures of reading the tenant's keys.
    public enum JwkSet: String, Sendable, Hashable {
        /// They could not be read.
        case unableToFetchJwkSet
    }
}

/// The errors of ``LogtoClient``, under the names of Logto's SDK.
public enum LogtoClientErrors {
    /// An error of a sign-in.
    public typealias SignIn = LogtoError<LogtoClientErrorTypes.SignIn>
    /// An error of a sign-out.
    public typealias SignOut = LogtoError<LogtoClientErrorTypes.SignOut>
    /// An error of an access token.
    public typealias AccessToken = LogtoError<LogtoClientErrorTypes.AccessToken>
    /// An error of the tenant's metadata.
    public typealias OidcConfig = LogtoError<LogtoClientErrorTypes.OidcConfig>
    /// An error of user info.
    public typealias UserInfo = LogtoError<LogtoClientErrorTypes.UserInfo>
    /// An error of the tenant's keys.
    public typealias JwkSet = LogtoError<LogtoClientErrorTypes.JwkSet>

    /// An error of the ID token.
    public enum IdToken: String, Error, Sendable, Hashable {
        /// There is no ID token.
        case notAuthenticated
    }
}

extension LogtoClientErrors.IdToken: PresentableError {
    /// The user has to sign in.
    public var recovery: SignInError.Recovery { .signInAgain }
}
