public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Signs readers in at a Zephr site.
///
///     let zephr = Zephr(try ZephrConfiguration(
///         site: ZephrSite("https://news.example.com"), redirectURI: "https://app.example.com/oauthredirect"))
///     let outcome = try await zephr.signIn(with: .google)
///
/// The site is the client of the social provider; the app gets the site's session, which is a secret and nothing else:
/// there is nothing in it to check. So whatever a redirect brings is confirmed with the site before it is believed.
public struct Zephr: Sendable {
    /// The site, and how a sign-in behaves.
    public let configuration: ZephrConfiguration
    /// The account that this value stores a session for, when an app has several.
    public let account: String?

    let api: ZephrAPI
    let store: any SecretStore
    private let userAgent: any UserAgent
    private let redirects: ForwardedRedirects
    private let gate = SignInGate()

    /// Makes a front door for a site.
    ///
    /// - Parameters:
    ///   - configuration: The site, and the behavior of a sign-in.
    ///   - account: Separates the sessions of several accounts.
    ///   - userAgent: The user agent that presents the provider's page; never a web view, which providers reject.
    ///     Default: the platform's.
    ///   - redirects: The receiver of the URLs that ``handle(_:)`` forwards: the same as the user agent's, if it
    ///     accepts them.
    ///   - transport: The HTTP transport used for every request.
    ///   - store: The store of the session. Default: the platform's, which is permanent.
    ///   - clock: The device's clocks.
    ///   - events: Called for each request; it must not block.
    public init(
        _ configuration: ZephrConfiguration,
        account: String? = nil,
        userAgent: (any UserAgent)? = nil,
        redirects: ForwardedRedirects = ForwardedRedirects(),
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore = SignInClient.defaultStore,
        clock: DeviceClock = .system,
        events: @escaping @Sendable (SignInEvent) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.account = account
        self.redirects = redirects
        self.store = store
        self.userAgent =
            userAgent
            ?? PlatformUserAgent(browserSession: configuration.browserSession == .ephemeral ? .ephemeral : .shared)
        api = ZephrAPI(
            site: configuration.site,
            transport: transport,
            context: ExchangeContext(
                clock: ServerClock(clock),
                random: { SecureRandom() },
                events: { events(.exchange($0)) }
            )
        )
    }

    /// Signs the user in with a social provider, and confirms the user with the site.
    ///
    /// The redirect does not identify its sign-in. It is therefore accepted only while this sign-in is in the browser,
    /// one at a time, within ``ZephrConfiguration/browserDeadline``. Display ``ZephrSession/account()`` to the user, or
    /// name the expected user.
    ///
    /// - Parameters:
    ///   - provider: The social provider.
    ///   - emailAddress: The user whom the app expects; a session of another user is ended and rejected.
    /// - Returns: A session, already stored, or a registration that lacks attributes.
    /// - Throws: The reason the sign-in failed; nothing is then stored, and an earlier session is kept.
    public func signIn(
        with provider: ZephrProvider,
        expecting emailAddress: String? = nil
    ) async throws(ZephrError) -> ZephrSignInOutcome {
        try await gate.run(orThrow: ZephrError(.alreadyInProgress)) {
            () async throws(ZephrError) -> ZephrSignInOutcome in
            try await outcome(of: provider, expecting: emailAddress)
        }
    }

    private func outcome(
        of provider: ZephrProvider,
        expecting emailAddress: String?
    ) async throws(ZephrError) -> ZephrSignInOutcome {
        let (redirect, redirectURI) = try await redirect(of: provider, by: userAgent)
        switch try ZephrCallback(redirect, to: redirectURI) {
        case .session(let id):
            return .session(try await confirm(SessionCookie(id), expecting: emailAddress))
        case .registration(let stateKey, let identifier):
            return .registrationRequired(
                PartialRegistration(
                    of: self,
                    stateKey: stateKey,
                    emailAddress: identifier,
                    expecting: emailAddress
                )
            )
        case .failure(let code):
            throw ZephrError(.refused(code))
        }
    }

    /// Returns the URL of a social provider's page, for an app that presents the page itself.
    ///
    /// Such an app must also check the redirect; ``signIn(with:expecting:)`` does both.
    ///
    /// - Returns: An https URL on a host of the provider or of the site; it has been neither opened nor followed.
    public func startURL(of provider: ZephrProvider) async throws(ZephrError) -> URL {
        try await api.startURL(of: provider, clientType: configuration.clientType)
    }

    /// Passes a URL that opened the app to the sign-in that waits for it.
    ///
    /// Call it only where the browser does not deliver the redirect itself: without a waiting sign-in, no URL is
    /// accepted.
    ///
    /// - Returns: Whether a sign-in accepted the URL. Any other URL, including one with none of the three outcomes, is
    ///   ignored and does not affect the sign-in.
    public func handle(_ url: URL) -> Bool { redirects.handle(url) }

    /// Starts an anonymous session, which the site may count and later assign to a user.
    public func startAnonymousSession() async throws(ZephrError) -> ZephrSession {
        try await begin(try await api.startAnonymousSession())
    }

    /// Returns the stored session, if there is one.
    ///
    /// Nothing is sent.
    ///
    /// - Throws: `storage` when the session cannot be read; it is left in place.
    public func restoreSession() async throws(ZephrError) -> ZephrSession? {
        let bytes: [UInt8]?
        do throws(StorageFailure) {
            bytes = try await store.read(storeKey)
        } catch {
            throw ZephrError(.storage(error))
        }
        guard let bytes else { return nil }
        return ZephrSession(try StoredZephrSession(bytes, of: configuration.site).cookie, of: self)
    }

    /// Continues a session whose id the app kept itself, as the vendor's guide has it ("Save the sessionId").
    ///
    /// - Parameters:
    ///   - sessionID: The `session_id` of a redirect, or the id that a registration returned.
    ///   - emailAddress: The user whom the app expects; a session of another user is ended and rejected.
    /// - Returns: The session, confirmed with the site and stored; the stored one, unconfirmed, where there is one.
    /// - Throws: `sessionNotConfirmed` when the site does not know the session; nothing is then stored.
    public func adopt(
        sessionID: Secret,
        expecting emailAddress: String? = nil
    ) async throws(ZephrError) -> ZephrSession {
        if let session = try await restoreSession() { return session }
        guard SessionCookie.isValue(sessionID.reveal()) else {
            throw ZephrError(.configuration("A session id is one word of printable characters."))
        }
        return try await confirm(SessionCookie(sessionID), expecting: emailAddress)
    }

    /// Presents the provider's page and returns the redirect, with the URI that it must have.
    private func redirect(
        of provider: ZephrProvider,
        by userAgent: any UserAgent
    ) async throws(ZephrError) -> (URL, RedirectURI) {
        let attempt: UserAgentAttempt
        do throws(SignInError) {
            attempt = try await userAgent.attempt(awaiting: configuration.redirectURI)
        } catch {
            throw ZephrError(error)
        }
        let page: URL
        do throws(ZephrError) {
            page = try await startURL(of: provider)
        } catch {
            await attempt.abandon()
            throw error
        }
        do throws(SignInError) {
            let redirectURI = attempt.redirectURI
            // The redirect has no state to know a foreign URL by: a URL that no site makes at least ends nothing.
            let outcome = RedirectPredicate { (try? ZephrCallback($0, to: redirectURI)) != nil }
            let redirect = try await attempt.open(page, accepting: outcome, within: configuration.browserDeadline)
            return (redirect, redirectURI)
        } catch {
            switch error.reason {
            case .configuration: throw ZephrError(.presentationFailed)
            default: throw ZephrError(error)
            }
        }
    }

    /// Confirms the user of a session with the site before the session is used.
    func confirm(_ cookie: SessionCookie, expecting emailAddress: String?) async throws(ZephrError) -> ZephrSession {
        let account: ZephrAccount
        do throws(ZephrError) {
            account = try await api.account(cookie.id)
        } catch {
            guard error.reason == .sessionExpired || error.reason == .notFound else { throw error }
            throw ZephrError(.sessionNotConfirmed)
        }
        if let emailAddress, !account.isKnown(by: emailAddress) {
            try? await api.logOut(cookie.id, from: nil)
            throw ZephrError(.otherAccount)
        }
        return try await begin(cookie)
    }

    /// Stores a session, which replaces the one before.
    func begin(_ cookie: SessionCookie) async throws(ZephrError) -> ZephrSession {
        do throws(StorageFailure) {
            try await store.write(StoredZephrSession(cookie, of: configuration.site).bytes, for: storeKey)
        } catch {
            // No caller has received the session.
            try? await api.logOut(cookie.id, from: nil)
            throw ZephrError(.storage(error))
        }
        return ZephrSession(cookie, of: self)
    }

    /// The store key of the session.
    var storeKey: StoreKey {
        let parts = ["zephr", configuration.site.description, account ?? ""]
        return StoreKey(parts.map(FormURLEncoding.escape).joined(separator: "/"))
    }
}

/// The outcome of a social sign-in.
public enum ZephrSignInOutcome: Sendable {
    /// A user is signed in, and the site has confirmed the session.
    case session(ZephrSession)
    /// The site requires attributes of a new user: complete the registration.
    case registrationRequired(PartialRegistration)
}
