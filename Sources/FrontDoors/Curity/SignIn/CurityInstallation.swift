import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One installation of an app at one server: its client, and the user's session.
actor CurityInstallation {
    /// The dependencies of the installation.
    struct Parts: Sendable {
        let userAgent: any UserAgent
        let transport: any HTTPTransport
        let store: any SecretStore
        let clock: DeviceClock
        let random: @Sendable () -> any RandomNumberGenerator
        let events: @Sendable (SignInEvent) -> Void
    }

    nonisolated let configuration: CurityConfiguration
    let parts: Parts
    let registrar: ClientRegistrar
    let clock: ServerClock
    var current: (credentials: CurityCredentials, client: SignInClient)?
    private var isSigningIn = false
    var recovery: (client: String, task: Task<Result<Recovery, SignInError>, Never>)?
    /// A client that took the place of another and has not worked yet: it is not replaced in its turn.
    var unproven: String?
    /// A client that the server no longer knows, to be replaced when the user is present.
    var doubted: String?

    init(_ configuration: CurityConfiguration, _ parts: Parts) {
        self.configuration = configuration
        self.parts = parts
        let events = parts.events
        let clock = ServerClock(parts.clock, maximumCorrection: configuration.policy.maximumClockCorrection)
        self.clock = clock
        registrar = ClientRegistrar(
            issuer: configuration.issuer,
            name: "curity",
            transport: parts.transport,
            store: parts.store,
            context: ExchangeContext(clock: clock, random: parts.random, events: { events(.exchange($0)) })
        )
    }

    func signIn(_ request: AuthorizationRequest) async throws(SignInError) -> CuritySession {
        guard !isSigningIn else { throw SignInError(.authorization, .alreadyInProgress) }
        isSigningIn = true
        defer { isSigningIn = false }
        let registration = try await usableRegistration()
        do throws(SignInError) {
            return try await begin(request)
        } catch {
            guard error.isAboutUnknownClient else { throw error }
            guard try await recovery(from: registration, withPerson: true) != .failed else { throw error }
            return try await begin(request)
        }
    }

    func restoreSession() async throws(SignInError) -> CuritySession? {
        guard let registration = try await registration() else { return nil }
        let (credentials, client) = try adopted(registration)
        guard let session = try await client.restoreSession() else { return nil }
        return CuritySession(session, of: self, with: credentials)
    }

    func resumeSignIn(from url: URL) async throws(SignInError) -> CuritySession? {
        guard let registration = try await registration() else { return nil }
        let (credentials, client) = try adopted(registration)
        guard let session = try await client.resumeSignIn(from: url) else { return nil }
        unproven = nil
        return CuritySession(session, of: self, with: credentials)
    }

    private func begin(_ request: AuthorizationRequest) async throws(SignInError) -> CuritySession {
        guard let (credentials, client) = current else { throw SignInError(.authorization, .signInRequired) }
        let session = try await client.signIn(request)
        unproven = nil
        doubted = nil
        return CuritySession(session, of: self, with: credentials)
    }

    /// The client of a registration; that of the same client goes on with the credentials that it has now.
    func adopted(
        _ registration: ClientRegistration
    ) throws(SignInError) -> (credentials: CurityCredentials, client: SignInClient) {
        if let current, registration.isClient(current.credentials.registration.clientID) {
            current.credentials.registration = registration
            return current
        }
        let credentials = CurityCredentials(registration)
        // A session goes on with a redirect URI that the app no longer has; a sign-in checks it first.
        let isRegistered = (try? registration.client(redirectURI: configuration.redirectURI)) != nil
        let registered = isRegistered ? nil : registration.metadata.redirectURIs.first
        let redirectURI = if let registered { try RedirectURI(registered) } else { configuration.redirectURI }
        let client = signInClient(try credentials.client(redirectURI: redirectURI), store: parts.store)
        current = (credentials, client)
        return (credentials, client)
    }

    func signInClient(_ client: Client, store: any SecretStore) -> SignInClient {
        SignInClient(
            issuer: configuration.issuer,
            client: client,
            configuration: SignInClient.Configuration(
                userAgent: parts.userAgent,
                transport: parts.transport,
                store: store,
                policy: configuration.policy,
                clock: parts.clock,
                random: parts.random,
                events: parts.events
            )
        )
    }
}
