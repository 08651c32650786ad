import HTTPTypes
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A sign-in that an app's backend makes and finishes, while the app shows the page.
///
/// The app asks for a page with a proof of its key, shows it, and brings code and state back with a proof of the same key. Only who
/// started a sign-in can finish it: what somebody else brings is not found, so nobody ends up in another's session (RFC 9700 section 4.7,
/// cross-user session fixation). The page's URL holds no session and no key.
///
///     let signIn = BackendSignIn(sessions: sessions, scopes: [.openID], store: store)
///     router.add(signIn.start, at: "/auth/start")
///     router.add(signIn.finish, at: "/auth/finish")
public struct BackendSignIn: Sendable {
    /// Where sign-ins that were started are kept, and codes.
    public typealias Store = OneTimeStore & RedemptionStore & RateLimitStore

    /// How the app starts one: an empty POST with a proof, answered with `start_url`, `state`, `expires_in` and, where there is
    /// one, `native_start_url`.
    public let start: SignInStart
    /// How the app finishes one: a POST of `{"code", "state"}`, and `iss` where the redirect had one, with a proof, answered with
    /// `session`, `sub` and `expires_in`.
    public let finish: SignInFinish

    /// Makes sign-ins.
    ///
    /// - Parameters:
    ///   - sessions: What a sign-in begins a session of; its client's redirect URI is the app's.
    ///   - scopes: What is asked for; `openid` has to be among them.
    ///   - prompt: The prompts of each sign-in, such as `consent` where the issuer gives no refresh token without it (OpenID
    ///     Connect Core section 11). Default: none.
    ///   - nativeHost: The host on which the provider's own app answers: `native_start_url` is the page with this host, and equal in every
    ///     other byte. Default: there is none.
    ///   - lifetime: How long a sign-in may take, in seconds, 60 to 600. Default 600.
    ///   - limit: How many sign-ins one sender may start, and how many requests to finish one it may make. Default 20 a minute.
    ///   - store: One that all instances share.
    /// - Throws: `configuration` at stage `authorization` without `openid`, or for a host that is none.
    public init(
        sessions: ServerSessions,
        scopes: [Scope],
        prompt: [AuthorizationRequest.Prompt] = [],
        nativeHost: String? = nil,
        lifetime: Double = 600,
        limit: RateLimit = RateLimit(20, per: 60),
        store: any Store
    ) throws(SignInError) {
        guard scopes.contains(.openID) else {
            throw SignInError(
                .authorization,
                .configuration("Ask for openid among the scopes: without it nobody is known to have signed in.")
            )
        }
        if let nativeHost, URIParts("https://\(nativeHost)")?.authority?.host != nativeHost {
            throw SignInError(.authorization, .configuration("A host is a name in lower case, without port and path."))
        }
        let lifetime = min(max(lifetime, 60), 600)
        start = SignInStart(
            sessions: sessions,
            scopes: scopes,
            prompt: prompt,
            nativeHost: nativeHost,
            lifetime: lifetime,
            limit: limit,
            store: store
        )
        finish = SignInFinish(sessions: sessions, limit: limit, store: store)
    }

    /// The name under which a sign-in is kept: of its state and of the key that started it.
    static func name(state: String, key: String) -> StoreDigest { StoreDigest("sign-in", [state, key]) }
}
