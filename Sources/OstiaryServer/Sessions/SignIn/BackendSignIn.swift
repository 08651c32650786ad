import HTTPTypes
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A sign-in that an app's backend starts and finishes, while the app presents the page.
///
/// The app requests a page with a proof of its key, presents it, and sends code and state back with a proof of the same
/// key. Only the key that started a sign-in can finish it: a request with another key finds no sign-in, so no user ends
/// up in another user's session (RFC 9700 section 4.7, cross-user session fixation). The page's URL contains neither a
/// session nor a key.
///
///     let signIn = BackendSignIn(sessions: sessions, scopes: [.openID], store: store)
///     router.add(signIn.start, at: "/auth/start")
///     router.add(signIn.finish, at: "/auth/finish")
public struct BackendSignIn: Sendable {
    /// The store of codes, and of sign-ins in progress.
    public typealias Store = OneTimeStore & RedemptionStore & RateLimitStore

    /// The way in which the issuer returns its authorization response.
    public enum ResponseMode: Sendable, Hashable {
        /// In the query of a redirect to the client's redirect URI, which is the app's.
        case query
        /// As a form that the browser posts to ``BackendSignIn/response``, which redirects to the app's own redirect URI. The
        /// client's redirect URI is the URL of that endpoint. (OAuth 2.0 Form Post Response Mode)
        ///
        /// Sign in with Apple requires this mode for the scopes `name` and `email`.
        case formPost(redirectingTo: RedirectURI)
    }

    /// The endpoint that starts a sign-in: an empty POST with a proof, whose response is `start_url`, `state`,
    /// `expires_in` and, where there is one, `native_start_url`.
    public let start: SignInStart
    /// The endpoint that finishes a sign-in: a POST of `{"code", "state"}`, and `iss` where the redirect had one, with
    /// a proof.
    ///
    /// The response is `session`, `sub` and `expires_in`, and `unverified_user` where the issuer posted a `user`.
    public let finish: SignInFinish
    /// The endpoint to which the browser posts the issuer's response; `nil` where the response comes in a query.
    public let response: SignInResponse?

    /// Configures sign-ins.
    ///
    /// - Parameters:
    ///   - sessions: The sessions to begin; their client's redirect URI is the app's, or with `formPost` the URL of
    ///     ``response``.
    ///   - scopes: The requested scopes; `openid` must be among them.
    ///   - prompt: The prompts of each sign-in, such as `consent` where the issuer issues no refresh token without it
    ///     (OpenID Connect Core section 11). Default: none.
    ///   - responseMode: The way in which the issuer returns its response. Default: in the query.
    ///   - nativeHost: The host on which the provider's own app answers: `native_start_url` is the page with this host,
    ///     and equal in every other byte. Default: none.
    ///   - lifetime: The longest duration of a sign-in: one to ten minutes. Default: ten minutes.
    ///   - limit: The number of sign-ins that one sender may start, and of its requests to finish one. Default 20 a
    ///     minute.
    ///   - store: A store that all instances share.
    /// - Throws: `configuration` at stage `authorization` without `openid`, for an invalid host, and for `formPost`
    ///   with a client whose redirect URI is not an http or https URL, or is the app's.
    public init(
        sessions: ServerSessions,
        scopes: [Scope],
        prompt: [AuthorizationRequest.Prompt] = [],
        responseMode: ResponseMode = .query,
        nativeHost: String? = nil,
        lifetime: Duration = .seconds(600),
        limit: RateLimit = RateLimit(20, per: .seconds(60)),
        store: any Store
    ) throws(SignInError) {
        try self.init(
            sessions: sessions,
            request: AuthorizationRequest(scopes: scopes, prompt: prompt, pushing: .whenRequired),
            responseMode: responseMode,
            nativeHost: nativeHost,
            lifetime: lifetime,
            limit: limit,
            store: store
        )
    }

    /// Configures sign-ins with any authorization request.
    ///
    /// - Parameters:
    ///   - sessions: The sessions to begin, as above.
    ///   - request: The authorization request; `openid` must be among its scopes. A pushed one has no `state` in the
    ///     page's URL, by which some apps recognize their response: `whenRequired` pushes it only where the issuer
    ///     requires it.
    ///   - responseMode: The way in which the issuer returns its response. Default: in the query.
    ///   - nativeHost: The host on which the provider's own app answers. Default: none.
    ///   - lifetime: The longest duration of a sign-in: one to ten minutes. Default: ten minutes.
    ///   - limit: The number of sign-ins that one sender may start, and of its requests to finish one. Default 20 a
    ///     minute.
    ///   - store: A store that all instances share.
    /// - Throws: As ``init(sessions:scopes:prompt:responseMode:nativeHost:lifetime:limit:store:)``.
    public init(
        sessions: ServerSessions,
        request: AuthorizationRequest,
        responseMode: ResponseMode = .query,
        nativeHost: String? = nil,
        lifetime: Duration = .seconds(600),
        limit: RateLimit = RateLimit(20, per: .seconds(60)),
        store: any Store
    ) throws(SignInError) {
        guard request.scopes.contains(.openID) else {
            throw SignInError(
                .authorization,
                .configuration("Add openid to the scopes: without it, the response does not name the user.")
            )
        }
        if let nativeHost, URIParts("https://\(nativeHost)")?.authority?.host != nativeHost {
            throw SignInError(
                .authorization,
                .configuration("A host must be a name in lower case, without port and path.")
            )
        }
        if case .formPost(let app) = responseMode {
            try Self.check(sessions.client.redirectURI, redirectingTo: app)
            response = SignInResponse(sessions: sessions, app: app, limit: limit, store: store)
        } else {
            response = nil
        }
        let lifetime = min(max(lifetime, .seconds(60)), .seconds(600))
        var sent = request
        sent.responseMode = responseMode == .query ? nil : .formPost
        start = SignInStart(
            sessions: sessions,
            request: sent,
            nativeHost: nativeHost,
            lifetime: lifetime,
            limit: limit,
            store: store
        )
        finish = SignInFinish(sessions: sessions, isPosted: response != nil, limit: limit, store: store)
    }

    /// Rejects a pair of redirect URIs with which a posted response would not reach the app.
    private static func check(_ endpoint: RedirectURI, redirectingTo app: RedirectURI) throws(SignInError) {
        func wrong(_ sentence: String) -> SignInError { SignInError(.authorization, .configuration(sentence)) }
        guard ["https", "http"].contains(endpoint.parts.scheme) else {
            throw wrong(
                "A browser cannot post a form to \(endpoint): with form_post the client's redirect URI is the https URL of the backend's response endpoint."
            )
        }
        guard endpoint.description != app.description else {
            throw wrong(
                "The response endpoint would redirect to itself, \(endpoint): with form_post the app needs its own redirect URI."
            )
        }
    }

    /// The name under which a sign-in is stored: of its state and of the key that started it.
    static func name(state: String, key: String) -> StoreDigest { StoreDigest("sign-in", [state, key]) }
}
