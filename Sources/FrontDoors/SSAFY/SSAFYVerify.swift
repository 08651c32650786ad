public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Verifies with SSAFY Verify that a person is a member of SSAFY.
///
///     let ssafy = try SSAFYVerify(
///         SSAFYConfiguration(clientID: "my-app", redirectURI: "https://partner.example.com/ios/ssafy/callback"),
///         backend: JSONVerificationBackend(endpoint: URL(string: "https://partner.example.com/api/ssafy")!))
///     let result = try await ssafy.verify()
///
/// The app shows the hosted page in the system's browser, checks the callback, and hands the code to its own backend. It
/// is a verification and no sign-in: there is no token in the app, none is stored, and nothing here could ask for one.
public struct SSAFYVerify: Sendable {
    /// What the portal has on the app.
    public let configuration: SSAFYConfiguration
    private let backend: any VerificationBackend
    private let userAgent: any UserAgent
    private let redirects: ForwardedRedirects
    private let store: any SecretStore
    private let clock: DeviceClock
    private let random: @Sendable () -> any RandomNumberGenerator
    private let events: @Sendable (FlowEvent) -> Void
    private let gate = SignInGate()

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - configuration: What the portal has on the app.
    ///   - backend: What redeems the code.
    ///   - userAgent: What shows the page; a web view inside the app is not supported by the service. Default: the
    ///     platform's.
    ///   - redirects: Where ``handle(_:)`` brings URLs: the same as the user agent's, if that takes forwarded ones.
    ///   - store: Where a pending verification is kept, if `pendingLifetime` says so; nothing else is.
    ///   - clock: The device's clocks.
    ///   - random: A new source of secure random numbers for each verification.
    ///   - events: Told of each step; it may not block.
    /// - Throws: `configuration` where the platform has no user agent of its own.
    public init(
        _ configuration: SSAFYConfiguration,
        backend: any VerificationBackend,
        userAgent: (any UserAgent)? = nil,
        redirects: ForwardedRedirects = ForwardedRedirects(),
        store: any SecretStore = MemoryStore(),
        clock: DeviceClock = .system,
        random: @escaping @Sendable () -> any RandomNumberGenerator = { SecureRandom() },
        events: @escaping @Sendable (FlowEvent) -> Void = { _ in }
    ) throws(VerificationError) {
        self.configuration = configuration
        self.backend = backend
        self.redirects = redirects
        self.store = store
        self.clock = clock
        self.random = random
        self.events = events
        self.userAgent =
            userAgent
            ?? PlatformUserAgent(browserSession: configuration.browserSession == .ephemeral ? .ephemeral : .shared)
    }

    /// Shows the hosted page, checks the callback, and has the backend verify the code.
    ///
    /// - Parameter scopes: What is asked for this once, `ssafy.verify` in any case. Default: the configuration's.
    /// - Throws: Why the person is not verified. Nothing is kept then, neither the code nor what belongs to it.
    public func verify(scopes: [Scope]? = nil) async throws(VerificationError) -> VerificationResult {
        guard gate.enter() else { throw VerificationError(.alreadyInProgress) }
        defer { gate.leave() }
        let first = VerificationAttempt(of: self, at: configuration.redirectURI)
        let handOff: CodeHandOff
        do throws(VerificationError) {
            handOff = try await first.handOff(asking: scopes)
        } catch {
            guard first.observer.refusedRedirectURI, let fallback = configuration.fallbackRedirectURI else {
                throw error
            }
            handOff = try await VerificationAttempt(of: self, at: fallback).handOff(asking: scopes)
        }
        return try await backend.verify(VerificationExchangeRequest(handOff))
    }

    /// Takes a URL that the system opened the app with, and brings it to the verification that waits for it.
    ///
    /// - Returns: Whether it was the callback; any other URL is left alone, and so is the verification.
    public func handle(_ url: URL) -> Bool { redirects.handle(url) }

    /// Goes on with a verification that was pending when the app ended, if the URL is its callback.
    ///
    /// It needs `pendingLifetime` and a store that outlives the app. A pending verification is used once, and is gone
    /// when it got too old.
    ///
    /// - Returns: `nil` when nothing is pending that the URL answers.
    /// - Throws: Why the person is not verified.
    public func resume(from url: URL) async throws(VerificationError) -> VerificationResult? {
        let attempt = VerificationAttempt(of: self, at: configuration.redirectURI)
        guard let handOff = try await attempt.resumedHandOff(from: url) else { return nil }
        return try await backend.verify(VerificationExchangeRequest(handOff))
    }

    /// The client that shows the page and checks the callback.
    ///
    /// The server has no token endpoint, and the transport goes nowhere: a token cannot be asked for.
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
    }
}

/// A transport that reaches nobody.
private struct NoTransport: HTTPTransport {
    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse { throw .unreachable }
}
