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
    /// Which account this value keeps a session for, when an app keeps several.
    public let account: String?

    let api: ZephrAPI
    let store: any SecretStore
    private let userAgent: any UserAgent
    private let redirects: ForwardedRedirects
    private let gate = SignInGate()

    /// Makes one for a site.
    ///
    /// - Parameters:
    ///   - configuration: The site, and how a sign-in behaves.
    ///   - account: Tells the sessions of several accounts apart.
    ///   - userAgent: What shows the provider's page; never a web view, which providers refuse. Default: the platform's.
    ///   - redirects: Where ``handle(_:)`` brings URLs: the same as the user agent's, if that takes forwarded ones.
    ///   - transport: What carries requests.
    ///   - store: What keeps the session.
    ///   - clock: The device's clocks.
    ///   - events: Told of each request; it may not block.
    public init(
        _ configuration: ZephrConfiguration,
        account: String? = nil,
        userAgent: (any UserAgent)? = nil,
        redirects: ForwardedRedirects = ForwardedRedirects(),
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore = MemoryStore(),
        clock: DeviceClock = .system,
        events: @escaping @Sendable (FlowEvent) -> Void = { _ in }
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
                reporting: { events(.exchange($0)) }
            )
        )
    }

    /// Signs somebody in with a social provider, and confirms with the site who it is.
    ///
    /// Nothing in the redirect says which sign-in it belongs to, so it is taken only while this one is in the browser, one
    /// at a time, and for as long as ``ZephrConfiguration/browserDeadline`` says. Show ``ZephrSession/account()`` to the
    /// person, or say whom you expect.
    ///
    /// - Parameters:
    ///   - provider: The social provider.
    ///   - emailAddress: Whom the app expects; a session of somebody else is ended and refused.
    /// - Returns: A session, stored by then, or a registration that lacks attributes.
    /// - Throws: Why nobody is signed in; nothing is stored then, and a session from before still is.
    public func signIn(
        with provider: ZephrProvider,
        expecting emailAddress: String? = nil
    ) async throws(ZephrError) -> ZephrSignInOutcome {
        guard gate.enter() else { throw ZephrError(.alreadyInProgress) }
        defer { gate.leave() }
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

    /// Where a social provider's page is, for an app that shows it in its own way.
    ///
    /// Whoever does so checks the redirect; ``signIn(with:expecting:)`` does both.
    ///
    /// - Returns: An https URL on a host of the provider or of the site; it has been neither opened nor followed.
    public func startURL(of provider: ZephrProvider) async throws(ZephrError) -> URL {
        try await api.startURL(of: provider, clientType: configuration.clientType)
    }

    /// Takes a URL that the system opened the app with, and brings it to the sign-in that waits for it.
    ///
    /// Use it only where the browser does not bring the redirect itself: with no sign-in waiting, no URL is taken.
    ///
    /// - Returns: Whether a sign-in took it; any other URL, also one that is none of the three outcomes, is left alone,
    ///   and so is the sign-in.
    public func handle(_ url: URL) -> Bool { redirects.handle(url) }

    /// Starts a session of nobody in particular, which the site may count and later turn into somebody's.
    public func startAnonymousSession() async throws(ZephrError) -> ZephrSession {
        try await begin(try await api.startAnonymousSession())
    }

    /// The session that was stored, if there is one.
    ///
    /// Nothing is sent.
    ///
    /// - Throws: `storage` when it cannot be read; it is left as it is.
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

    /// Shows the provider's page and returns the redirect, with the place that it has to be at.
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
            case .configuration, .presentation: throw ZephrError(.presentationFailed)
            default: throw ZephrError(error)
            }
        }
    }

    /// Asks the site whose session it is before anybody uses it.
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
            // Nobody will ever use it.
            try? await api.logOut(cookie.id, from: nil)
            throw ZephrError(.storage(error))
        }
        return ZephrSession(cookie, of: self)
    }

    /// Where the session is kept.
    var storeKey: StoreKey {
        let parts = ["zephr", configuration.site.description, account ?? ""]
        return StoreKey(parts.map(FormURLEncoding.escape).joined(separator: "/"))
    }
}

/// What a social sign-in came to.
public enum ZephrSignInOutcome: Sendable {
    /// Somebody is signed in, and the site has confirmed it.
    case session(ZephrSession)
    /// The site needs more about a new person: complete the registration.
    case registrationRequired(PartialRegistration)
}
