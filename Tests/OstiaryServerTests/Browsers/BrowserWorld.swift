import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryServer
import OstiaryTesting
import Testing

/// A provider, a web app's backend, and browsers.
final class BrowserWorld: Sendable {
    static let base = "https://app.example.com/web"
    static let otherBase = "https://app.example.com/other"
    static let issuer = "https://id.example.test"

    let provider: InProcessProvider
    let network: BrowserNetwork
    let clock = TestClock(Fixtures.now)
    let store = SwitchedServerStore()
    let sealing: SealingKeys
    /// The URL below which the sign-in lies.
    let base: String
    let sessions: ServerSessions
    let web: BrowserSignIn
    /// Another web app of the service, as another client of the issuer.
    let other: BrowserSignIn
    let otherSessions: ServerSessions
    let events = EventLog()
    let keys: KeySource

    /// - Parameters:
    ///   - claims: The claims about alice.
    ///   - origins: Other origins whose pages use the session.
    ///   - sameSite: The reach of the session's cookie.
    ///   - manners: The provider's.
    ///   - base: The URL below which the sign-in lies.
    init(
        claims: JSONObject = ["email": "a@example.com", "email_verified": true, "name": "Alice"],
        origins: [String] = [],
        sameSite: BrowserCookies.SameSite = .lax,
        landing: String = "/",
        manners: ProviderManners = .strict,
        readsUserInfo: Bool = true,
        base: String = BrowserWorld.base
    ) throws {
        self.base = base
        var random = SystemRandomNumberGenerator()
        let (clock, events) = (clock, events)
        let configuration = ProviderConfiguration(
            issuer: try Issuer(Self.issuer),
            clients: [
                RegisteredClient(
                    id: "web",
                    name: "The web app",
                    authenticationMethod: .clientSecretBasic(SecretDigest(of: Secret("a secret"))),
                    redirectURIs: [try RedirectURI(base + "/callback")],
                    postLogoutRedirectURIs: [try RedirectURI("https://app.example.com/bye")],
                    allowedScopes: [.openID, .profile, .email, .offlineAccess, "groups"],
                    requiresConsent: false
                ),
                RegisteredClient(
                    id: "other",
                    name: "The other web app",
                    authenticationMethod: .clientSecretBasic(SecretDigest(of: Secret("a secret"))),
                    redirectURIs: [try RedirectURI(Self.otherBase + "/callback")],
                    allowedScopes: [.openID, .offlineAccess],
                    requiresConsent: false
                ),
            ],
            users: try ["alice", "bob"].map { name in
                ProviderUser(
                    name: name,
                    passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
                    subject: name + "-subject",
                    claims: name == "alice" ? claims : ["name": "Bob"]
                )
            },
            additionalScopes: [ProviderScope("groups", sentence: "See your groups", claims: ["groups"])],
            signingAlgorithms: [.es256],
            manners: manners
        )
        provider = InProcessProvider(
            provider: Provider(
                configuration: configuration,
                clock: clock.device,
                random: SystemRandomNumberGenerator()
            )
        )
        network = BrowserNetwork(provider)
        keys = try KeySource(issuer: try Issuer(Self.issuer), transport: network, clock: clock.device)
        sealing = SealingKeys(try .random())
        sessions = try Self.sessions(base, keys, store, sealing, network, clock.device, events)
        otherSessions = ServerSessions(
            client: try Client(
                id: "other",
                redirectURI: try RedirectURI(Self.otherBase + "/callback"),
                authentication: .clientSecretBasic(Secret("a secret"))
            ),
            keys: keys,
            store: store,
            sealing: SealingKeys(try .random()),
            dpop: try ProofChecking(origins: [try ExternalOrigin(Proofs.origin)], replays: store),
            transport: network,
            clock: clock.device,
            events: { events.note($0) }
        )
        other = try BrowserSignIn(
            sessions: otherSessions,
            at: try ExternalOrigin(Self.otherBase),
            request: AuthorizationRequest(scopes: [.openID, .offlineAccess], pushing: .whenRequired),
            cookies: try BrowserCookies(name: "other"),
            readsUserInfo: false,
            store: store
        )
        let revoked = RevokedTokens(longestLifetime: .seconds(3600), clock: clock.device)
        web = try BrowserSignIn(
            sessions: sessions,
            at: try ExternalOrigin(base),
            request: AuthorizationRequest(
                scopes: [.openID, .profile, .email, .offlineAccess, "groups"],
                pushing: .whenRequired
            ),
            origins: try origins.map { try Origin($0) },
            landing: landing,
            postLogoutRedirectURI: try RedirectURI("https://app.example.com/bye"),
            cookies: try BrowserCookies(sameSite: sameSite),
            readsUserInfo: readsUserInfo,
            alongside: [otherSessions],
            revocations: SharedRevocations(of: revoked, in: store, clock: clock.device),
            store: store
        )
    }
}

extension BrowserWorld {
    fileprivate static func sessions(
        _ base: String,
        _ keys: KeySource,
        _ store: SwitchedServerStore,
        _ sealing: SealingKeys,
        _ network: BrowserNetwork,
        _ clock: DeviceClock,
        _ events: EventLog
    ) throws -> ServerSessions {
        ServerSessions(
            client: try Client(
                id: "web",
                redirectURI: try RedirectURI(base + "/callback"),
                authentication: .clientSecretBasic(Secret("a secret"))
            ),
            keys: keys,
            store: store,
            sealing: sealing,
            dpop: try ProofChecking(origins: [try ExternalOrigin(Proofs.origin)], replays: store),
            transport: network,
            clock: clock,
            events: { events.note($0) }
        )
    }

    /// The sessions as another process of the service has them, or the service after a restart.
    func restarted(
        sealing: SealingKeys? = nil,
        clock device: DeviceClock? = nil,
        events: EventLog
    ) throws -> ServerSessions {
        try Self.sessions(base, keys, store, sealing ?? self.sealing, network, device ?? clock.device, events)
    }
}

/// The events that sessions reported.
final class EventLog: Sendable {
    private let events = Lock<[ServerSessions.Event]>([])
    /// Every event but the beginnings of sessions.
    var all: [ServerSessions.Event] { events.withLock { $0.filter { $0 != .began } } }
    var begun: Int { events.withLock { $0.count { $0 == .began } } }
    func note(_ event: ServerSessions.Event) { events.withLock { $0.append(event) } }
}

/// Carries the backend's requests to the provider, and counts them.
final class BrowserNetwork: HTTPTransport {
    private let provider: InProcessProvider
    private let sent = Lock<[(path: String, body: String, answer: String)]>([])
    private let failing = Lock<(path: String, failure: TransportFailure)?>(nil)
    private let gate = Lock<(path: String, waiting: [CheckedContinuation<Void, Never>])?>(nil)
    private let changed = Lock<(path: String, change: @Sendable (inout JSONObject) -> Void)?>(nil)
    private let scripted = Lock<(path: String, response: EndpointResponse)?>(nil)

    init(_ provider: InProcessProvider) { self.provider = provider }

    func count(_ path: String) -> Int { sent.withLock { $0.count { $0.path == path } } }

    /// The bodies of the requests to a path.
    func bodies(_ path: String) -> [String] { sent.withLock { $0.filter { $0.path == path }.map(\.body) } }

    /// The responses of a path.
    func answers(_ path: String) -> [JSONObject] {
        sent.withLock { $0.filter { $0.path == path }.map { (try? JSONObject(parsing: Array($0.answer.utf8))) ?? [:] } }
    }

    /// Answers requests to a path with one response from now on; `nil` for none.
    func script(_ path: String?, _ response: EndpointResponse = EndpointResponse()) {
        scripted.withLock { $0 = path.map { ($0, response) } }
    }

    /// Changes the JSON of a path's responses from now on.
    func change(_ path: String, _ change: @escaping @Sendable (inout JSONObject) -> Void) {
        changed.withLock { $0 = (path, change) }
    }

    /// Fails requests to a path from now on; `nil` for none.
    func fail(_ path: String?, _ failure: TransportFailure = .unreachable) {
        failing.withLock { $0 = path.map { ($0, failure) } }
    }

    /// Holds requests to a path up until ``release()``.
    func hold(_ path: String) { gate.withLock { $0 = (path, []) } }

    func release() {
        let waiting = gate.withLock { gate in
            defer { gate = nil }
            return gate?.waiting ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    private func pass(_ path: String) async {
        await withCheckedContinuation { continuation in
            let isHeld = gate.withLock { gate -> Bool in
                guard gate?.path == path else { return false }
                gate?.waiting.append(continuation)
                return true
            }
            if !isHeld { continuation.resume() }
        }
    }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let path = request.url.path
        let index = sent.withLock { sent in
            sent.append((path, FormURLEncoding.encode(request.form), ""))
            return sent.count - 1
        }
        await pass(path)
        if let failing = failing.withLock({ $0 }), failing.path == path { throw failing.failure }
        let response: EndpointResponse
        if let scripted = scripted.withLock({ $0 }), scripted.path == path {
            response = scripted.response
        } else {
            var answer = try await provider.send(request)
            if let changed = changed.withLock({ $0 }), changed.path == path,
                var object = try? JSONObject(parsing: answer.body)
            {
                changed.change(&object)
                answer.body = object.encoded()
            }
            response = answer
        }
        sent.withLock { $0[index].answer = String(decoding: response.body, as: UTF8.self) }
        return response
    }
}

/// A browser: its cookies, and the pages of a provider.
final class TestBrowser: Sendable {
    private let world: BrowserWorld
    private let web: BrowserSignIn
    private let base: String
    private let jar = Lock<[String: String]>([:])
    /// The names of the cookies that are not sent with requests that another site causes.
    private let strict = Lock<Set<String>>([])
    private let agent: HTTPUserAgent

    /// - Parameters:
    ///   - world: The world it is in.
    ///   - name: The user's.
    ///   - isAtOther: Whether it signs in to the other web app.
    init(_ world: BrowserWorld, name: String = "alice", isAtOther: Bool = false) {
        self.world = world
        web = isAtOther ? world.other : world.web
        base = isAtOther ? BrowserWorld.otherBase : world.base
        agent = HTTPUserAgent(
            transport: world.provider,
            credentials: .init(name: name, password: Secret("wonderland")),
            clock: world.clock.device
        )
    }

    var cookies: [String: String] { jar.withLock { $0 } }
    var session: String? { cookies["__Host-ostiary"] }

    /// Plants a cookie, as an attacker with another way into the browser does; `nil` removes it.
    func plant(_ name: String, _ value: String?) { jar.withLock { $0[name] = value } }

    /// Sends a request with the cookies, and keeps those of the response.
    ///
    /// A request that another site causes (`Sec-Fetch-Site: cross-site`) has no strict cookies.
    func send(
        _ endpoint: some ServerEndpoint,
        _ method: HTTPRequest.Method = .get,
        _ target: String = "/",
        _ fields: HTTPFields = [:]
    ) async -> ServerResponse {
        var fields = fields
        let withheld = fields[.fetchSite] == "cross-site" ? strict.withLock { $0 } : []
        let text = cookies.filter { !withheld.contains($0.key) }.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
            .joined(separator: "; ")
        if !text.isEmpty, fields[.cookie] == nil { fields[.cookie] = text }
        let response = await endpoint.respond(
            to: ServerRequest(method: method, target: target, fields: fields, sender: "192.0.2.1")
        )
        for cookie in response.fields[values: .setCookie] {
            let parts = cookie.components(separatedBy: "; ")
            let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(pair[0])
            jar.withLock { $0[name] = parts.contains("Max-Age=0") ? nil : String(pair[1]) }
            strict.withLock { strict in
                strict.remove(name)
                if parts.contains("SameSite=Strict") { strict.insert(name) }
            }
        }
        return response
    }

    /// Starts a sign-in and returns the issuer's page.
    func login(_ query: String = "", _ fields: HTTPFields = [:]) async throws -> URL {
        let response = await send(web.login, .get, "/web/login" + query, fields)
        #expect(response.status == .seeOther)
        return try #require(response.fields[.location].flatMap { URL(string: $0) })
    }

    /// Signs in at the issuer's page, and returns where the issuer redirects to.
    func visit(_ page: URL) async throws -> String {
        let attempt = try await agent.attempt(awaiting: RedirectURI(base + "/callback"))
        let url = try await attempt.open(page, accepting: .any)
        return url.absoluteString.replacingOccurrences(of: "https://app.example.com", with: "")
    }

    /// Brings the issuer's response, to which the issuer's page redirects.
    func callback(_ target: String) async -> ServerResponse {
        await send(web.callback, .get, target, .link)
    }

    /// Signs in, and returns the response to the callback.
    @discardableResult
    func signIn(_ query: String = "") async throws -> ServerResponse {
        await callback(try await visit(try await login(query)))
    }
}

extension ServerResponse {
    var object: JSONObject { (try? JSONObject(parsing: body)) ?? [:] }
    var location: String? { fields[.location] }
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension HTTPFields {
    /// The fields of a browser's request for a page that another site's link or redirect leads to.
    static let link: HTTPFields = [.fetchSite: "cross-site", .fetchMode: "navigate", .fetchDestination: "document"]
}

extension HTTPField.Name {
    static let fetchSite = Self("Sec-Fetch-Site")!
    static let fetchMode = Self("Sec-Fetch-Mode")!
    static let fetchDestination = Self("Sec-Fetch-Dest")!
    static let forwardedURI = Self("X-Forwarded-Uri")!
    static let forwardedMethod = Self("X-Forwarded-Method")!
}
