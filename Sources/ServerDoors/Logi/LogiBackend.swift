import HTTPTypes
public import OstiaryLogi
public import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A partner's backend whose apps sign in with logi: it makes the pages, redeems the codes and keeps the tokens.
///
///     let backend = try LogiBackend(
///         clientID: "logi_…", clientSecret: secret, redirectURI: "myapp://oauth/1pass/callback",
///         store: store, sealing: keys, proofs: proofs, transport: transport)
///     router.add(backend.signIn.start, at: "/auth/start")
///     router.add(backend.signIn.finish, at: "/auth/finish")
///
/// The app hands `start_url` and `native_start_url` to `Logi.authorize(_:)`, and code and state of what that returns to `finish`. Both requests
/// carry a proof by one key of the app, so that the person who started is the one who finishes.
public struct LogiBackend: Sendable {
    /// Where everything is kept.
    public typealias Store = ServerSessions.Store & BackendSignIn.Store

    /// The places of a sign-in.
    public let signIn: BackendSignIn
    /// The sessions that begin so.
    public let sessions: ServerSessions
    /// The keys of logi, for the API's own access tokens and for logout tokens.
    public let keys: KeySource

    /// Makes a backend.
    ///
    /// - Parameters:
    ///   - clientID: The partner's backend, as the developer console shows it.
    ///   - clientSecret: Its secret, from the backend's environment.
    ///   - redirectURI: The app's, as it is registered.
    ///   - issuer: Default: the one that logi has.
    ///   - scopes: Default: `openid profile:basic email`.
    ///   - nativeHost: The host that logi's own app claims. Default: the one that logi has for its own issuer, and the issuer's
    ///     host for any other.
    ///   - lifetimes: How long sessions last.
    ///   - store: One that all instances share.
    ///   - sealing: Seals tokens and answers.
    ///   - proofs: How the app's proofs are checked.
    ///   - transport: What carries requests to logi.
    ///   - clock: The time, and the waiting. Default: the system's.
    ///   - report: Told what came of each token that had to be renewed; it may not block. Default: nothing is reported.
    ///   - reportVerdict: Receives the checks of each answer that failed one, for a log; it may not block, and nothing in it
    ///     is secret. Default: they are dropped.
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
        proofs: ProofChecking,
        transport: any HTTPTransport,
        clock: DeviceClock = .server,
        reporting report: @escaping @Sendable (ServerSessions.Event) -> Void = { _ in },
        reportingVerdicts reportVerdict: @escaping @Sendable (Verdict) -> Void = { _ in }
    ) throws(SignInError) {
        // What the app's half derives, so that both halves agree about the pair.
        let app = try LogiConfiguration(
            clientID: clientID,
            redirectURI: redirectURI,
            issuer: issuer,
            scopes: scopes,
            nativeAuthorizeHost: nativeHost
        )
        keys = try KeySource(issuer: app.issuer, transport: transport, now: clock.now)
        sessions = ServerSessions(
            client: try Client(
                id: clientID,
                redirectURI: app.redirectURI,
                authentication: .clientSecretPost(clientSecret)
            ),
            keys: keys,
            store: store,
            sealing: sealing,
            proofs: proofs,
            lifetimes: lifetimes,
            transport: transport,
            clock: clock,
            reporting: report,
            reportingVerdicts: reportVerdict
        )
        signIn = try BackendSignIn(
            sessions: sessions,
            scopes: scopes,
            nativeHost: app.nativeHost.description,
            store: store
        )
    }
}
