public import Ostiary

/// The authorization to register: none, or an initial access token, which is valid once and has the scope `dcr`.
///
/// The token is held in memory, for one request.
public struct CurityInitialAccess: Sendable {
    enum Source: Sendable {
        case none
        case given(@Sendable () async throws(SignInError) -> Secret)
        case credentials(clientID: String, secret: Secret)
        case person(clientID: String)
    }

    let source: Source

    /// No token: the endpoint is open.
    ///
    /// For development: any client can fill the server's database.
    public static let open = CurityInitialAccess(source: .none)

    /// A token from another source, such as the app's own backend, requested when it is needed.
    public static func token(
        from provide: @escaping @Sendable () async throws(SignInError) -> Secret
    ) -> CurityInitialAccess {
        CurityInitialAccess(source: .given(provide))
    }

    /// A token that a client requests with a secret (RFC 6749 section 4.4).
    ///
    /// A value that is compiled into an app is not secret: for development, and for programs on servers.
    public static func clientCredentials(clientID: String, secret: Secret) -> CurityInitialAccess {
        CurityInitialAccess(source: .credentials(clientID: clientID, secret: secret))
    }

    /// A token that the user obtains by signing in with a client for this purpose, which ties this installation to the
    /// user.
    ///
    /// The sign-in that follows uses the same browser, so that the user signs in once. The client has the app's
    /// redirect URI, and no refresh tokens.
    public static func signIn(clientID: String) -> CurityInitialAccess {
        CurityInitialAccess(source: .person(clientID: clientID))
    }

    /// Whether a user must be present.
    var needsPerson: Bool { if case .person = source { true } else { false } }

    /// The scope that an initial access token has.
    static let scope: Scope = "dcr"
}
