public import Ostiary

/// What allows an app to register: nothing, or an initial access token, which is good once and has the scope `dcr`.
///
/// The token is kept in memory, for one request.
public struct CurityInitialAccess: Sendable {
    enum Source: Sendable {
        case none
        case given(@Sendable () async throws(SignInError) -> Secret)
        case credentials(clientID: String, secret: Secret)
        case person(clientID: String)
    }

    let source: Source

    /// Nothing: the endpoint is open.
    ///
    /// For development; anybody can fill the server's database.
    public static let open = CurityInitialAccess(source: .none)

    /// A token from elsewhere, such as the app's own backend, asked for when it is needed.
    public static func token(
        from provide: @escaping @Sendable () async throws(SignInError) -> Secret
    ) -> CurityInitialAccess {
        CurityInitialAccess(source: .given(provide))
    }

    /// A token that a client gets with a secret (RFC 6749 section 4.4).
    ///
    /// What is compiled into an app is no secret: for development, and for programs that run on servers.
    public static func clientCredentials(clientID: String, secret: Secret) -> CurityInitialAccess {
        CurityInitialAccess(source: .credentials(clientID: clientID, secret: secret))
    }

    /// A token that the person gets by signing in with a client that exists for that, which ties this installation to
    /// the person.
    ///
    /// The sign-in that follows uses the same browser, so that the person is not asked twice. The client has the app's
    /// redirect URI, and no refresh tokens.
    public static func signIn(clientID: String) -> CurityInitialAccess {
        CurityInitialAccess(source: .person(clientID: clientID))
    }

    /// Whether a person has to be there.
    var needsPerson: Bool { if case .person = source { true } else { false } }

    /// The scope that an initial access token has.
    static let scope: Scope = "dcr"
}
