import Hummingbird
public import HummingbirdAuth
public import OstiaryHummingbird
import OstiaryOAuth
public import OstiaryServer

// The bridge of docs/server.md.

/// A context whose identity is the access token.
struct TokenContext: AccessTokenContext, AuthRequestContext {
    var coreContext: CoreRequestContextStorage
    var identity: VerifiedAccessToken?
    var accessToken: VerifiedAccessToken? {
        get { identity }
        set { identity = newValue }
    }
    init(source: ApplicationRequestContextSource) { coreContext = .init(source: source) }
}

extension AccessTokenAuthenticator: @retroactive AuthenticatorMiddleware
where Context: AuthRequestContext<VerifiedAccessToken> {}

extension VerifiedAccessToken: @retroactive PermissionProviding {
    /// The scopes of the token (RFC 9068 section 2.2.3), as the permissions that policies name.
    public var permissions: Set<String> { Set(scopes.map(\.rawValue)) }
}
