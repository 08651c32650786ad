public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Verifies with SSAFY Verify that the user is a member of SSAFY.
///
///     let ssafy = try SSAFYVerify(
///         SSAFYConfiguration(clientID: "my-app", redirectURI: "https://partner.example.com/ios/ssafy/callback"),
///         backend: JSONVerificationBackend(endpoint: URL(string: "https://partner.example.com/api/ssafy")!))
///     let result = try await ssafy.verify()
///
/// The app presents the hosted page in the system's browser, checks the callback, and passes the code to its own
/// backend. It is a verification, not a sign-in: the app receives, stores and can request no token.
public struct SSAFYVerify: Sendable {
    /// The app's registration in the portal.
    public let configuration: SSAFYConfiguration
    private let backend: any VerificationBackend
    private let userAgent: any UserAgent
    private let redirects: ForwardedRedirects
    private let store: any SecretStore
    private let clock: DeviceClock
    private let random: @Sendable () -> any RandomNumberGenerator
    private let events: @Sendable (SignInEvent) -> Void
    private let gate = SignInGate()

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - configuration: The app's registration in the portal.
    ///   - backend: The backend that redeems the code.
    ///   - userAgent: The user agent that presents the page; the service does not support a web view inside the app.
    ///     Default: the platform's.
    ///   - redirects: The receiver of the URLs that ``handle(_:)`` forwards; share one between several values of an
    ///     app.
    ///   - store: The store of a pending verification, if `pendingLifetime` requires it; nothing else is stored.
    ///     Default: the platform's.
    ///   - clock: The device's clocks.
    ///   - random: A new source of secure random numbers for each verification.
    ///   - events: Called for each step; it must not block.
    /// - Throws: `configuration` where the platform has no user agent of its own.
    public init(
        _ configuration: SSAFYConfiguration,
        backend: any VerificationBackend,
        userAgent: (any UserAgent)? = nil,
        redirects: ForwardedRedirects = ForwardedRedirects(),
        store: any SecretStore = SignInClient.defaultStore,
        clock: DeviceClock = .system,
        random: @escaping @Sendable () -> any RandomNumberGenerator = { SecureRandom() },
        events: @escaping @Sendable (SignInEvent) -> Void = { _ in }
    ) throws(VerificationError) {
        self.configuration = configuration
        self.backend = backend
        self.redirects = redirects
        self.store = store
        self.clock = clock
        self.random = random
        self.events = events
        let platform = PlatformUserAgent(
            browserSession: configuration.browserSession == .ephemeral ? .ephemeral : .shared
        )
        self.userAgent = (userAgent ?? platform).expecting(redirects)
    }

    /// Presents the hosted page, checks the callback, and has the backend verify the code.
    ///
    /// When the user agent cannot receive at the redirect URI, no page is presented, and the page is requested once
    /// more with ``SSAFYConfiguration/fallbackRedirectURI``, if there is one.
    ///
    /// - Parameter scopes: The requested scopes of this verification, always with `ssafy.verify`. Default: the
    ///   configuration's.
    /// - Returns: The backend's result.
    /// - Throws: The reason the user is not verified. Neither the code nor its verifier is then kept.
    public func verify(scopes: [Scope]? = nil) async throws(VerificationError) -> VerificationResult {
        try await gate.run(orThrow: VerificationError(.alreadyInProgress)) {
            () async throws(VerificationError) -> VerificationResult in
            try await verification(of: scopes)
        }
    }

    private func verification(of scopes: [Scope]?) async throws(VerificationError) -> VerificationResult {
        let first = VerificationAttempt(of: self, at: configuration.redirectURI)
        let handoff: CodeHandoff
        do throws(VerificationError) {
            handoff = try await first.codeHandoff(asking: scopes)
        } catch {
            guard first.observer.refusedRedirectURI, let fallback = configuration.fallbackRedirectURI else {
                throw error
            }
            handoff = try await VerificationAttempt(of: self, at: fallback).codeHandoff(asking: scopes)
        }
        return try await backend.verify(VerificationExchangeRequest(handoff))
    }

    /// Takes a URL that the system opened the app with, and brings it to the verification that waits for it.
    ///
    /// - Returns: Whether it was the callback; any other URL is left alone, and so is the verification.
    public func handle(_ url: URL) -> Bool { redirects.handle(url) }

    /// Continues a verification that was pending when the app ended, if the URL is its callback.
    ///
    /// It needs `pendingLifetime` and a store that outlives the app. A pending verification is used once, and removed
    /// when it has expired.
    ///
    /// - Returns: `nil` when the URL belongs to no pending verification.
    /// - Throws: The reason the user is not verified.
    public func resume(from url: URL) async throws(VerificationError) -> VerificationResult? {
        let attempt = VerificationAttempt(of: self, at: configuration.redirectURI)
        guard let handoff = try await attempt.resumedHandoff(from: url) else { return nil }
        return try await backend.verify(VerificationExchangeRequest(handoff))
    }

    /// Returns the client that presents the page and checks the callback.
    ///
    /// The server has no token endpoint, and the transport sends nothing: the client cannot request a token.
    func client(at redirectURI: RedirectURI, seenBy observer: RedirectObserver) throws(SignInError) -> SignInClient {
        let base = configuration.issuer.description
        let root = base.hasSuffix("/") ? String(base.dropLast()) : base
        let server = AuthorizationServer(
            issuer: configuration.issuer,
            authorizationEndpoint: URL(string: root + "/verify/authorize")
        )
        return SignInClient(
            issuer: configuration.issuer,
            client: try Client(id: configuration.clientID, redirectURI: redirectURI),
            configuration: SignInClient.Configuration(
                server: server,
                account: configuration.purpose,
                userAgent: observer.watching(userAgent),
                transport: NoTransport(),
                store: store,
                policy: SessionPolicy(
                    browserDeadline: configuration.browserDeadline,
                    pendingLifetime: configuration.pendingLifetime
                ),
                clock: clock,
                random: random,
                events: events
            )
        )
    }
}

/// A transport that sends nothing.
private struct NoTransport: HTTPTransport {
    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse { throw .unreachable }
}
