public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Signs people in at a Curity Identity Server where the app registers itself.
///
///     let curity = try Curity(
///         CurityConfiguration(
///             issuer: "https://idsvr.example.com/oauth/v2/oauth-anonymous",
///             redirectUri: "io.curity.client:/callback",
///             postLogoutRedirectUri: "io.curity.client:/logoutcallback"),
///         userAgent: browser, store: store)
///     let session = try await curity.signIn()
///     let token = try await session.accessToken()
///
/// Every installation of the app has a client of its own, registered when it is first needed, with a secret that never
/// leaves the store. Copies of one value share it; make one for each issuer and store.
public struct Curity: Sendable {
    /// Where people sign in, and how the app registers.
    public let configuration: CurityConfiguration
    private let installation: CurityInstallation

    /// Makes a front door; nothing is read and nothing is sent.
    ///
    /// - Parameters:
    ///   - userAgent: What shows the sign-in page, the same for every call: a registration by sign-in and the sign-in
    ///     that follows share what the browser remembers.
    ///   - transport: What carries requests.
    ///   - store: What keeps the registration and the session. It should not leave the device, nor be backed up to
    ///     another one: the client stands for this installation.
    ///   - clock: The device's clocks. Default: the system's.
    ///   - random: A new source of secure random numbers for each request. Default: the operating system's.
    ///   - events: Told of each step; it may not block.
    public init(
        _ configuration: CurityConfiguration,
        userAgent: any UserAgent,
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore,
        clock: DeviceClock = .system,
        random: @escaping @Sendable () -> any RandomNumberGenerator = { SecureRandom() },
        events: @escaping @Sendable (FlowEvent) -> Void = { _ in }
    ) {
        self.configuration = configuration
        installation = CurityInstallation(
            configuration,
            CurityInstallation.Parts(
                userAgent: userAgent,
                transport: transport,
                store: store,
                clock: clock,
                random: random,
                events: events
            )
        )
    }

    /// A sign-in as the configuration has it, to be changed: how the person authenticates, how long ago they may have,
    /// languages, a hint at who it is, parameters of the server's own.
    public var request: AuthorizationRequest { AuthorizationRequest(scopes: configuration.scopes) }

    /// Asks a person to sign in, and registers the app first when it is not registered yet.
    ///
    /// When the server turns out not to know the client any more, one new client is registered, if the configuration
    /// allows it, and the person is asked again.
    ///
    /// - Parameter request: What to ask for. Default: ``request``.
    /// - Throws: What went wrong and at which stage; a session and a registration from before are still stored.
    ///   `alreadyInProgress` while another sign-in of this value waits for the person.
    public func signIn(_ request: AuthorizationRequest? = nil) async throws(SignInError) -> CuritySession {
        try await installation.signIn(request ?? self.request)
    }

    /// The session that was stored, if there is one; nothing is sent.
    ///
    /// - Throws: `storage` when it cannot be read; it is left as it is.
    public func restoreSession() async throws(SignInError) -> CuritySession? { try await installation.restoreSession() }

    /// Ends a sign-in that began before the app was restarted, with the URL that the app is opened with now.
    ///
    /// - Returns: The session, stored by then; `nil` when no sign-in waits for this URL, or when it has waited longer than
    ///   the configuration's policy has it.
    /// - Throws: As ``signIn(_:)``.
    public func resumeSignIn(from url: URL) async throws(SignInError) -> CuritySession? {
        try await installation.resumeSignIn(from: url)
    }
}

extension Curity {
    /// The registration that was stored, if there is one; nothing is sent.
    ///
    /// - Throws: `storage` when it cannot be read; it is left as it is.
    public func registration() async throws(SignInError) -> ClientRegistration? {
        try await installation.registration()
    }

    /// Registers the app, unless it is registered already.
    ///
    /// ``signIn(_:)`` does so by itself; an app calls this to do it beforehand. However many callers, one client is
    /// registered.
    ///
    /// - Throws: At stage `registration`: `unsupported` when the server has no `registration_endpoint`, `refused` with
    ///   its error, `mismatch(.redirectURI)` when it registered another redirect URI; nothing is stored then.
    @discardableResult
    public func register() async throws(SignInError) -> ClientRegistration { try await installation.register() }

    /// Renews the client's secret and the registration access token (RFC 7592 section 2.1).
    ///
    /// On this server reading a registration changes both, so it is not read for any other purpose. They are renewed by
    /// themselves when they end soon and somebody signs in. A session goes on with the new secret.
    ///
    /// - Throws: At stage `registration` what went wrong; at stage `storage` when the new credentials could not be
    ///   stored, and then the next call stores them first.
    @discardableResult
    public func renewRegistration() async throws(SignInError) -> ClientRegistration { try await installation.renew() }

    /// Replaces the client's metadata (RFC 7592 section 2.2), which renews its credentials, too.
    ///
    /// - Parameter change: Given everything that is registered; what it takes out is deleted at the server.
    /// - Throws: As ``renewRegistration()``.
    @discardableResult
    public func updateRegistration(
        _ change: @Sendable (inout ClientMetadata) -> Void
    ) async throws(SignInError) -> ClientRegistration {
        try await installation.update(change)
    }

    /// Makes this device a stranger to the server: signs out, deletes the client there, and forgets it here.
    ///
    /// - Returns: What the provider said to the sign-out; `nil` when nobody was signed in.
    /// - Throws: At stage `registration` when the client could not be deleted, which can be tried again.
    @discardableResult
    public func forgetDevice() async throws(SignInError) -> SignOutReport? { try await installation.forgetDevice() }
}

extension Curity: CustomStringConvertible, CustomReflectable {
    /// The issuer.
    public var description: String { "Curity(\(configuration.issuer))" }
    /// The issuer.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": configuration.issuer.description]) }
}
