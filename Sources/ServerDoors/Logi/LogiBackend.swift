import HTTPTypes
public import OstiaryLogi
public import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A partner's backend whose apps sign in with logi: it makes the sign-in pages' URLs, redeems the codes and stores the
/// tokens.
///
///     let backend = try LogiBackend(
///         clientID: "logi_…", clientSecret: secret, redirectURI: "myapp://oauth/1pass/callback",
///         store: store, sealing: keys, dpop: proofs, transport: transport)
///     router.add(backend.signIn.start, at: "/auth/start")
///     router.add(backend.signIn.finish, at: "/auth/finish")
///
/// The app passes `start_url` and `native_start_url` to `Logi.authorize(_:)`, and the code and state that it returns to
/// `finish`. Both requests carry a DPoP proof by one key of the app, so only the user who started a sign-in can finish
/// it.
public struct LogiBackend: Sendable {
    /// The store for sign-ins, sessions, limits and replayed proofs.
    public typealias Store = ServerSessions.Store & BackendSignIn.Store

    /// The endpoints of a sign-in.
    public let signIn: BackendSignIn
    /// The sessions that the sign-ins begin.
    public let sessions: ServerSessions
    /// The issuer's keys, which also verify the API's own access tokens and logout tokens.
    public let keys: KeySource

    /// Makes a backend.
    ///
    /// - Parameters:
    ///   - clientID: The backend's client identifier, as the developer console shows it.
    ///   - clientSecret: The backend's client secret, from its environment.
    ///   - redirectURI: The app's registered redirect URI.
    ///   - issuer: Default: logi's issuer.
    ///   - scopes: Default: `openid profile:basic email`.
    ///   - nativeHost: The host that logi's own app claims. Default: the one that logi has for its own issuer, and the
    ///     issuer's host for any other.
    ///   - lifetimes: The sessions' lifetimes.
    ///   - store: The store that all instances share.
    ///   - sealing: The keys that seal tokens and repeated responses.
    ///   - dpop: The verifier of the app's DPoP proofs.
    ///   - transport: The HTTP transport for requests to logi.
    ///   - clock: The clock for time and waiting. Default: the system's.
    ///   - events: Called with the result of each refresh; it may not block. Default: nothing is reported.
    ///   - verdicts: Receives the checks of each response that failed one, for a log; it may not block, and the
    ///     checks contain no secret. Default: they are dropped.
    /// - Throws: `configuration`, with a sentence that names the fix.
    public init(
        clientID: String,
        clientSecret: Secret,
        redirectURI: String,
        issuer: String = LogiPreset.issuer,
        scopes: [Scope] = LogiPreset.scopes,
        nativeHost: String? = nil,
        lifetimes: ServerSessions.Lifetimes = .init(),
        store: any Store,
        sealing: SealingKeys,
        dpop: ProofChecking,
        transport: any HTTPTransport,
        clock: DeviceClock = .server,
        events: @escaping @Sendable (ServerSessions.Event) -> Void = { _ in },
        verdicts: @escaping @Sendable (Verdict) -> Void = { _ in }
    ) throws(SignInError) {
        // The values that the app derives, so that both halves agree about the pair of URLs.
        let app = try LogiConfiguration(
            clientID: clientID,
            redirectURI: redirectURI,
            issuer: issuer,
            scopes: scopes,
            nativeAuthorizeHost: nativeHost
        )
        keys = try KeySource(issuer: app.issuer, transport: transport, clock: clock)
        sessions = ServerSessions(
            client: try Client(
                id: clientID,
                redirectURI: app.redirectURI,
                authentication: .clientSecretPost(clientSecret)
            ),
            keys: keys,
            store: store,
            sealing: sealing,
            dpop: dpop,
            lifetimes: lifetimes,
            transport: transport,
            clock: clock,
            events: events,
            verdicts: verdicts
        )
        signIn = try BackendSignIn(
            sessions: sessions,
            scopes: scopes,
            nativeHost: app.nativeHost.description,
            store: store
        )
    }
}
