import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// An authorization server and OpenID Provider for development, as a function from request to response.
///
/// It opens no socket and reads no clock of its own, so that a test can run a whole sign-in in memory; a server
/// connects it to a port. It follows RFC 9700 unless the configuration's ``ProviderRules`` or a client's own serve more;
/// faults come only from a named ``Scenario``.
public final class Provider: Sendable {
    /// The configuration of the provider.
    public let configuration: ProviderConfiguration
    /// The fault that it plays; ``Scenario/none`` for none.
    public let scenario: Scenario
    /// The manners of the configuration, as the scenario changes them.
    public let manners: ProviderManners

    package let storage: any ProviderStorage
    package let random: RandomSource
    let renderer: any PageRenderer
    let keyRing: KeyRing
    let routes: Routes
    let cookies: CookieNames
    /// The relying party of passkeys; `nil` where there are none.
    let relyingParty: RelyingParty?
    let throttle: Lock<LoginThrottle>
    let nonces: ProofNonces
    let challenges: ProofNonces
    let nonceGeneration = Lock(0)
    /// The key sets of clients that the provider fetches.
    let clientKeySets: ClientKeySets
    /// The logout tokens under way, by client.
    let deliveries = Lock<[String: Set<String>]>([:])
    /// The users who can sign in.
    let directory: UserDirectory
    /// The scenarios that requests play by their number.
    let schedule: Lock<ScenarioSchedule>
    /// The settings that the administration changes.
    let settings: RunTimeSettings
    /// The order of the administration's changes.
    let changes: ChangeOrder
    /// The last exchanges, where there is an administration or an inspector.
    let journal: RequestJournal
    /// The reasons of pushed requests that were refused.
    let refusedPushes: RefusedPushes
    /// The fetches of request objects.
    let requestFetches: RequestFetches
    /// Whether a scenario has changed the algorithm of ID tokens.
    let hasChangedAlgorithm = Lock(false)
    let userCodeThrottle: Lock<LoginThrottle>
    let oneTimePasswordThrottle: Lock<LoginThrottle>
    private let clock: DeviceClock
    private let report: @Sendable (ProviderEvent) -> Void
    /// The providers that play scenarios for single requests, by name.
    private let players = Lock<[String: Provider]>([:])
    private let lastCleaning: Lock<Date>

    /// Makes a provider.
    ///
    /// - Parameters:
    ///   - configuration: Its issuer, clients and users.
    ///   - storage: The storage of its records. Default: in memory, until the process ends.
    ///   - clock: The time.
    ///   - random: A cryptographically secure generator: codes, tokens and sessions come from it.
    ///   - renderer: The renderer that ``body(of:)`` uses for pages.
    ///   - scenario: A fault to play, for the tests of clients.
    ///   - events: Called once for each refusal, and for each step that the strict rules refuse and the configuration's
    ///     serve. Default: no reports.
    public init(
        configuration: ProviderConfiguration,
        storage: any ProviderStorage = MemoryProviderStorage(),
        clock: DeviceClock,
        random: any RandomNumberGenerator & Sendable,
        renderer: any PageRenderer = PlainPageRenderer(),
        scenario: Scenario = .none,
        events: @escaping @Sendable (ProviderEvent) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.storage = storage
        self.random = RandomSource(random)
        self.renderer = renderer
        self.scenario = scenario
        var manners = configuration.manners
        scenario.manners(&manners)
        self.manners = manners
        report = events
        directory = UserDirectory(configuration.users)
        schedule = Lock(ScenarioSchedule(configuration.scenarioTurns))
        settings = RunTimeSettings(configuration)
        changes = ChangeOrder()
        journal = RequestJournal(
            capacity: configuration.inspector == .present ? Self.inspectorCapacity : RequestJournal.listed
        )
        refusedPushes = RefusedPushes()
        self.clock = clock
        clientKeySets = ClientKeySets()
        requestFetches = RequestFetches()
        keyRing = KeyRing(algorithms: configuration.algorithms, given: configuration.signingKeys, storage: storage)
        relyingParty = configuration.relyingParty
        routes = Routes(configuration, without: manners.absentEndpoints)
        cookies = CookieNames(configuration.issuer)
        throttle = Lock(LoginThrottle())
        nonces = ProofNonces(secret: self.random.secret(), lifetime: configuration.dpop.nonceLifetime.inSeconds)
        challenges = ProofNonces(
            secret: self.random.secret(),
            lifetime: configuration.attestation.challengeLifetime.inSeconds
        )
        userCodeThrottle = Lock(LoginThrottle())
        oneTimePasswordThrottle = Lock(LoginThrottle())
        lastCleaning = Lock(clock.now())
    }

    /// Makes a provider that plays another scenario over the same records and keys.
    private init(_ other: Provider, playing scenario: Scenario) {
        configuration = other.configuration
        storage = other.storage
        random = other.random
        renderer = other.renderer
        self.scenario = scenario
        var manners = other.configuration.manners
        scenario.manners(&manners)
        self.manners = manners
        report = other.report
        directory = other.directory
        // A player is asked for one request alone.
        schedule = Lock(ScenarioSchedule([]))
        settings = other.settings
        changes = other.changes
        journal = other.journal
        refusedPushes = other.refusedPushes
        clock = other.clock
        keyRing = other.keyRing
        clientKeySets = other.clientKeySets
        requestFetches = other.requestFetches
        relyingParty = other.relyingParty
        routes = Routes(configuration, without: manners.absentEndpoints)
        cookies = other.cookies
        throttle = Lock(LoginThrottle())
        nonces = other.nonces
        challenges = other.challenges
        userCodeThrottle = Lock(LoginThrottle())
        oneTimePasswordThrottle = Lock(LoginThrottle())
        lastCleaning = Lock(other.now)
    }

    /// The provider that plays a scenario over the same records and keys.
    func playing(_ scenario: Scenario) -> Provider {
        players.withLock { players in
            if let player = players[scenario.name] { return player }
            let player = Provider(self, playing: scenario)
            players[scenario.name] = player
            return player
        }
    }

    /// Makes or reads the signing keys, so that the first request does not wait and a storage failure appears at once.
    ///
    /// - Throws: ``ProviderStorageFailure``.
    public func prepare() async throws(ProviderStorageFailure) {
        _ = try await keyRing.keys()
    }

    /// Replaces every signing key.
    ///
    /// The old ones stay in the key set until the last token that they signed has expired. ID tokens with an old key are
    /// hints until the logins of their time have ended. Keys of the configuration sign again after a restart.
    ///
    /// - Returns: The identifiers of the new keys.
    /// - Throws: ``ProviderStorageFailure``; no key has changed then, here or in the storage.
    @discardableResult
    public func rotateSigningKeys() async throws(ProviderStorageFailure) -> [String] {
        try await rotateSigningKeys(to: nil)
    }

    /// Replaces every signing key by keys for these algorithms; `nil` for those that there are.
    @discardableResult
    func rotateSigningKeys(
        to algorithms: [SignatureAlgorithm]?
    ) async throws(ProviderStorageFailure) -> [String] {
        let lifetimes = settings.longestLifetimes
        let longest = max(lifetimes.idToken, lifetimes.accessToken, .seconds(Self.logoutTokenLifetime))
        let retirement = KeyRing.Retirement(
            published: now.addingTimeInterval(longest.inSeconds),
            recognized: now.addingTimeInterval(max(longest, lifetimes.loginSession).inSeconds)
        )
        let keys = try await keyRing.rotate(to: algorithms, keepingOld: retirement, now: now)
        return keys.signing.values.map(\.keyID).sorted()
    }

    /// Responds to a request.
    ///
    /// Every failure becomes an error response.
    public func respond(to request: ProviderRequest) async -> ProviderResponse {
        guard isRecording, !isOfAdministration(request) else {
            return await (player(of: request) ?? self).ownResponse(to: request)
        }
        var request = request
        request.reports = RequestReports()
        // Before the response: it may use up the page or the token that names the client.
        let clientID = (try? await chooser(of: request)) ?? nil
        let player = await player(of: request) ?? self
        let response = await player.ownResponse(to: request)
        await record(request, from: clientID, playing: player.scenario, response)
        return response
    }

    /// Returns what has changed while the provider runs to its state at the start, but for the clock, the keys and the
    /// secret part of pairwise subjects: it forgets logins, tokens, consents, passkeys, requests and registered
    /// clients.
    ///
    /// Keys for other algorithms than the configuration's are replaced.
    ///
    /// - Throws: ``ProviderStorageFailure``; some records may be forgotten then.
    func reset() async throws(ProviderStorageFailure) {
        for kind in ProviderRecord.Kind.allCases where ![.signingKey, .subjectSalt].contains(kind) {
            for record in try await storage.records(kind) { try await storage.remove(.key(kind, record.key)) }
        }
        if settings.hasOtherKeys(than: configuration.algorithms) {
            try await rotateSigningKeys(to: configuration.algorithms)
        }
        directory.reset(to: configuration.users)
        settings.reset()
        schedule.withLock { [configuration] in $0 = ScenarioSchedule(configuration.scenarioTurns) }
        forgetMoments()
        journal.clear()
    }

    /// Forgets what only the process remembers about the requests so far.
    func forgetMoments() {
        throttle.withLock { $0 = LoginThrottle() }
        userCodeThrottle.withLock { $0 = LoginThrottle() }
        oneTimePasswordThrottle.withLock { $0 = LoginThrottle() }
        players.withLock { $0 = [:] }
        hasChangedAlgorithm.withLock { $0 = false }
        refusedPushes.clear()
        lastCleaning.withLock { [now] in $0 = now }
    }

    /// Responds under this provider's own scenario.
    private func ownResponse(to request: ProviderRequest) async -> ProviderResponse {
        var response: ProviderResponse
        do {
            try await forgetExpired()
            if !isOfAdministration(request), let interruption = scenario.interruption(request) {
                response = interruption
            } else {
                response = try await answer(to: request)
            }
        } catch let refusal as Refusal {
            let hint = hint(for: refusal, of: request)
            response = self.response(to: hint.map(refusal.hinting) ?? refusal)
            reportRefusal(refusal, hint: hint, of: request, response)
        } catch {
            response = failure(for: request)
        }
        await localize(&response, to: request)
        offerChallenge(&response, to: request)
        await allowOrigin(&response, to: request)
        configuration.dialect.write(&response, to: request, at: self)
        if manners.crossOrigin == .nothing { response.fields[.accessControlAllowOrigin] = nil }
        if !isOfAdministration(request) { scenario.response(request, &response) }
        if request.method == .head { response.content = .none }
        return response
    }

    /// The octets of a response's body; pages are rendered.
    public func body(of response: ProviderResponse) -> [UInt8] {
        switch response.content {
        case .none: []
        case .bytes(let bytes): bytes
        case .page(let page): Array(renderer.html(for: page).utf8)
        }
    }

    /// The time by its clock.
    package var now: Date {
        let lead = settings.clockLead
        return lead == .zero ? clock.now() : clock.now().addingTimeInterval(lead.inSeconds)
    }

    private func answer(to request: ProviderRequest) async throws -> ProviderResponse {
        if let answer = try await configuration.dialect.answer(to: request, at: self) { return answer }
        return try await usualAnswer(to: request)
    }

    /// Returns the strict provider's response, at the dialect's paths.
    package func usualAnswer(to request: ProviderRequest) async throws -> ProviderResponse {
        if configuration.frontPage == .present, routes.isRoot(request.path), [.get, .head].contains(request.method) {
            return frontPage()
        }
        if let answer = try await administer(request) { return answer }
        guard let route = routes.route(at: request.path) else {
            throw Refusal.page(PageText.noSuchPage.english, .notFound)
        }
        guard route.methods.contains(request.method) else {
            if let answer = try await preflight(request, at: route) { return answer }
            return ProviderResponse(
                status: .methodNotAllowed,
                fields: [.allow: route.methods.map(\.rawValue).joined(separator: ", "), .cacheControl: "no-store"]
            )
        }
        guard request.body.count <= ProviderRequest.maximumBodyBytes else {
            throw tooLarge("The body is too large.", .contentTooLarge, route)
        }
        guard (request.query?.utf8.count ?? 0) <= ProviderRequest.maximumQueryBytes else {
            throw tooLarge("The query is too long.", .uriTooLong, route)
        }
        return switch route {
        case .openIDConfiguration, .authorizationServer: metadata()
        case .webFinger: webFinger(request)
        case .keySet: try await keySet()
        case .authorization: try await authorize(request)
        case .login: try await logIn(request)
        case .accounts: try await chooseAccount(request)
        case .oneTimePassword: try await enterOneTimePassword(request)
        case .consent: try await consent(request)
        case .pushedAuthorization: try await pushAuthorization(request)
        case .token: try await token(request)
        case .userInfo: try await userInfo(request)
        case .revocation: try await revoke(request)
        case .introspection: try await introspect(request)
        case .deviceAuthorization: try await authorizeDevice(request)
        case .device: try await device(request)
        case .deviceLogin: try await logInForDevice(request)
        case .deviceAccounts: try await chooseAccountForDevice(request)
        case .deviceOneTimePassword: try await enterOneTimePasswordForDevice(request)
        case .deviceConsent: try await consentToDevice(request)
        case .registration: try await register(request)
        case .registeredClient: try await manageClient(request)
        case .attestationChallenge: attestationChallenge()
        case .endSession: try await endSession(request)
        case .signOut: try await signOut(request)
        case .account: try await account(request)
        }
    }

    private func tooLarge(_ sentence: String, _ status: HTTPResponse.Status, _ route: Route) -> Refusal {
        route.isForPeople
            ? .page(sentence, status) : .json(OAuthError(code: .invalidRequest, description: sentence), status)
    }

    private func response(to refusal: Refusal) -> ProviderResponse {
        switch refusal {
        case .page(let sentence, let status):
            return .page(.error(ErrorPage(frame: frame, sentence: sentence)), status: status)
        case .redirect(let error, let address):
            return errorRedirect(error, address)
        case .json(let error, let status, let challenge):
            var object: JSONObject = ["error": .string(error.code.rawValue)]
            object["error_description"] = error.description.map { .string($0) }
            writeErrorBody(&object)
            var response = ProviderResponse.json(object, status: status)
            response.fields[.wwwAuthenticate] = challenge
            return response
        case .challenge(let challenge, let status):
            return ProviderResponse(
                status: status,
                fields: [.wwwAuthenticate: challenge, .cacheControl: "no-store", .pragma: "no-cache"]
            )
        case .with(let fields, let refusal):
            var response = self.response(to: refusal)
            response.fields.append(contentsOf: fields)
            return response
        case .noted(let note, let refusal):
            var response = self.response(to: refusal)
            guard case .page(.error(var page)) = response.content else { return response }
            page.reason = note.reason ?? page.reason
            page.mend = note.mend ?? page.mend
            response.content = .page(.error(page))
            return response
        }
    }

    /// Reports something for the log.
    ///
    /// - Parameters:
    ///   - event: The report.
    ///   - request: The request that it is about; `nil` for none.
    func send(_ event: ProviderEvent, of request: ProviderRequest? = nil) {
        request?.reports?.append(event)
        report(event)
    }

    /// Returns an error response that reveals nothing about the internal failure.
    private func failure(for request: ProviderRequest) -> ProviderResponse {
        let sentence = PageText.providerFailed.english
        guard routes.route(at: request.path)?.isForPeople == true else {
            return .json(
                ["error": "server_error", "error_description": .string(sentence)],
                status: .internalServerError
            )
        }
        return .page(.error(ErrorPage(frame: frame, sentence: sentence)), status: .internalServerError)
    }

    var frame: PageFrame {
        PageFrame(providerName: configuration.name, developmentMark: PageText.developmentMark.english)
    }

    private func forgetExpired() async throws {
        let now = now
        let isDue = lastCleaning.withLock { last in
            guard now.timeIntervalSince(last) >= 60 else { return false }
            last = now
            return true
        }
        if isDue { try await storage.remove(.expired(at: now)) }
    }
}
