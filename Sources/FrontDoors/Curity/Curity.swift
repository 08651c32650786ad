public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Signs users in at a Curity Identity Server where the app registers itself.
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
    /// The server, and the registration of the app.
    public let configuration: CurityConfiguration
    private let installation: CurityInstallation

    /// Makes a front door; nothing is read and nothing is sent.
    ///
    /// - Parameters:
    ///   - userAgent: The user agent that presents the sign-in page, the same for every call: a registration by sign-in
    ///     and the sign-in that follows share the browser's session. Default: the platform's,
    ///     as ``CurityConfiguration/prefersEphemeralBrowser`` says.
    ///   - transport: The HTTP transport used for every request.
    ///   - store: The store of the registration and the session. It should not leave the device, nor be backed up to
    ///     another one: the client belongs to this installation.
    ///   - clock: The device's clocks. Default: the system's.
    ///   - random: A new source of secure random numbers for each request. Default: the operating system's.
    ///   - events: Called for each step; it must not block.
    public init(
        _ configuration: CurityConfiguration,
        userAgent: (any UserAgent)? = nil,
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
                userAgent: userAgent
                    ?? PlatformUserAgent(
                        browserSession: CurityConfiguration.prefersEphemeralBrowser ? .ephemeral : .shared
                    ),
                transport: transport,
                store: store,
                clock: clock,
                random: random,
                events: events
            )
        )
    }

    /// A sign-in with the configured scopes, for an app to change.
    ///
    /// The app can set the authentication method, the maximum age of the authentication, languages, a hint about the
    /// user, and parameters of the server's own.
    public var request: AuthorizationRequest { AuthorizationRequest(scopes: configuration.scopes) }

    /// Signs the user in, and first registers the app if it is not registered yet.
    ///
    /// When the server no longer knows the client, one new client is registered, if the configuration allows it, and
    /// the user signs in again.
    ///
    /// - Parameter request: The authorization request. Default: ``request``.
    /// - Throws: The error and its stage; an earlier session and registration are still stored. `alreadyInProgress`
    ///   while another sign-in of this value waits for the user.
    public func signIn(_ request: AuthorizationRequest? = nil) async throws(SignInError) -> CuritySession {
        try await installation.signIn(request ?? self.request)
    }

    /// Returns the stored session, if there is one; nothing is sent.
    ///
    /// - Throws: `storage` when the session cannot be read; it is left in place.
    public func restoreSession() async throws(SignInError) -> CuritySession? { try await installation.restoreSession() }

    /// Ends a sign-in that began before the app was restarted, with the URL that the app is opened with now.
    ///
    /// - Returns: The session, already stored; `nil` when no sign-in waits for this URL, or when it has waited longer
    ///   than the configuration's policy has it.
    /// - Throws: As ``signIn(_:)``.
    public func resumeSignIn(from url: URL) async throws(SignInError) -> CuritySession? {
        try await installation.resumeSignIn(from: url)
    }
}

extension Curity {
    /// Returns the stored registration, if there is one; nothing is sent.
    ///
    /// - Throws: `storage` when the registration cannot be read; it is left in place.
    public func registration() async throws(SignInError) -> ClientRegistration? {
        try await installation.registration()
    }

    /// Registers the app, unless it is registered already.
    ///
    /// ``signIn(_:)`` registers the app when needed; call this to register beforehand. Concurrent calls register one
    /// client.
    ///
    /// - Throws: At stage `registration`: `unsupported` when the server has no `registration_endpoint`, `refused` with
    ///   its error, `mismatch(.redirectURI)` when it registered another redirect URI; nothing is then stored.
    @discardableResult
    public func register() async throws(SignInError) -> ClientRegistration { try await installation.register() }

    /// Renews the client's secret and the registration access token (RFC 7592 section 2.1).
    ///
    /// On this server, reading a registration changes both, so it is not read for any other purpose. A sign-in renews
    /// them automatically when they are about to expire. A session continues with the new secret.
    ///
    /// - Throws: The error at stage `registration`; `storage` when the new credentials could not be stored, and then
    ///   the next call stores them first.
    @discardableResult
    public func renewRegistration() async throws(SignInError) -> ClientRegistration { try await installation.renew() }

    /// Replaces the client's metadata (RFC 7592 section 2.2), which also renews its credentials.
    ///
    /// - Parameter change: Receives the whole registered metadata; a member that it removes is deleted at the server.
    /// - Throws: As ``renewRegistration()``.
    @discardableResult
    public func updateRegistration(
        _ change: @Sendable (inout ClientMetadata) -> Void
    ) async throws(SignInError) -> ClientRegistration {
        try await installation.update(change)
    }

    /// Signs out, deletes the client at the server, and removes the registration from this device.
    ///
    /// - Returns: The provider's response to the sign-out; `nil` when no user was signed in.
    /// - Throws: An error at stage `registration` when the client could not be deleted; the call can be repeated.
    @discardableResult
    public func forgetDevice() async throws(SignInError) -> SignOutReport? { try await installation.forgetDevice() }
}

extension Curity: CustomStringConvertible, CustomReflectable {
    /// The issuer.
    public var description: String { "Curity(\(configuration.issuer))" }
    /// The issuer.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": configuration.issuer.description]) }
}
