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
///             postLogoutRedirectUri: "io.curity.client:/logoutcallback"))
///     let session = try await curity.signIn()
///     let token = try await session.accessToken()
///
/// Every installation of the app has a client of its own, registered when it is first needed, with a secret that never
/// leaves the store. Copies of one value share it; make one for each issuer and store.
public struct Curity: Sendable {
    /// The server, and the registration of the app.
    public let configuration: CurityConfiguration
    private let installation: CurityInstallation
    private let redirects: ForwardedRedirects

    /// Makes a front door; nothing is read and nothing is sent.
    ///
    /// - Parameters:
    ///   - configuration: The issuer, the client's registration and the redirect URIs.
    ///   - userAgent: The user agent that presents the sign-in page, the same for every call: a registration by sign-in
    ///     and the sign-in that follows share the browser's session. Default: the platform's, as
    ///     ``CurityConfiguration/prefersEphemeralBrowser`` says.
    ///   - redirects: The receiver of the URLs that ``handle(_:)`` forwards.
    ///   - transport: The HTTP transport used for every request.
    ///   - store: The store of the registration and the session. It should not leave the device, nor be backed up to
    ///     another one: the client belongs to this installation. Default: the platform's, as
    ///     `SignInClient.defaultStore`.
    ///   - clock: The device's clocks. Default: the system's.
    ///   - random: A new source of secure random numbers for each request. Default: the operating system's.
    ///   - events: Called for each step; it must not block.
    public init(
        _ configuration: CurityConfiguration,
        userAgent: (any UserAgent)? = nil,
        redirects: ForwardedRedirects = ForwardedRedirects(),
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore = SignInClient.defaultStore,
        clock: DeviceClock = .system,
        random: @escaping @Sendable () -> any RandomNumberGenerator = { SecureRandom() },
        events: @escaping @Sendable (SignInEvent) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.redirects = redirects
        installation = CurityInstallation(
            configuration,
            CurityInstallation.Parts(
                userAgent: (userAgent
                    ?? PlatformUserAgent(
                        browserSession: CurityConfiguration.prefersEphemeralBrowser ? .ephemeral : .shared
                    )).expecting(redirects),
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
    /// - Returns: The session, already stored.
    /// - Throws: The error and its stage; an earlier session and registration are still stored. `alreadyInProgress`
    ///   while another sign-in of this value waits for the user.
    public func signIn(_ request: AuthorizationRequest? = nil) async throws(SignInError) -> CuritySession {
        try await installation.signIn(request ?? self.request)
    }

    /// Returns the stored session, if there is one; nothing is sent.
    ///
    /// - Throws: `storage` when the session cannot be read; it is left in place.
    public func restoreSession() async throws(SignInError) -> CuritySession? { try await installation.restoreSession() }

    /// Forwards a URL that opened the app: call it from `onOpenURL`, and for each universal link.
    ///
    /// - Returns: Whether the URL is the response to the sign-in or sign-out in progress; any other URL is left alone.
    @discardableResult
    public func handle(_ url: URL) -> Bool { redirects.handle(url) }

    /// Continues as the client that another SDK registered, and with the session that it stored: neither a registration
    /// nor a sign-in is needed.
    ///
    ///     let registration = try ClientRegistration(appAuthArchive: registrationItem, issuer: configuration.issuer)
    ///     let session = try await curity.adopt(registration, session: ImportedSession(appAuthArchive: stateItem))
    ///
    /// The registration is stored first, so that no other client is registered. The session is continued with one
    /// refresh, as `SignInClient.adopt(_:)` does. Remove the other SDK's items after this returns. What is stored here
    /// already stays, so an app may call this at every start.
    ///
    /// - Parameters:
    ///   - registration: The client, of this configuration's issuer.
    ///   - imported: Its session; `nil` when there is none to continue.
    /// - Returns: The session, or the one that was stored before; `nil` for none.
    /// - Throws: At stage `registration`: `mismatch(.issuer)` for another issuer's client, `mismatch(.client)` when
    ///   another client is stored and a session is given, `configuration` for a client that cannot be used here;
    ///   otherwise as `SignInClient.adopt(_:)`, and the registration is stored then.
    @discardableResult
    public func adopt(
        _ registration: ClientRegistration,
        session imported: ImportedSession? = nil
    ) async throws(SignInError) -> CuritySession? {
        try await installation.adopt(registration, imported)
    }

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
    /// - Returns: The registration as the server has it now.
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
