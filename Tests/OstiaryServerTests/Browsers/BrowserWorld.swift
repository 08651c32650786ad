import Foundation
import HTTPTypes
import Ostiary
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
    static let issuer = "https://id.example.test"

    let provider: InProcessProvider
    let network: BrowserNetwork
    let clock = TestClock(Fixtures.now)
    let store = MemoryServerStore()
    let sessions: ServerSessions
    let web: BrowserSignIn
    let events = EventLog()
    let keys: KeySource

    /// - Parameters:
    ///   - claims: The claims about alice.
    ///   - origins: Other origins whose pages use the session.
    ///   - sameSite: The reach of the session's cookie.
    ///   - manners: The provider's.
    init(
        claims: JSONObject = ["email": "a@example.com", "email_verified": true, "name": "Alice"],
        origins: [String] = [],
        sameSite: BrowserCookies.SameSite = .lax,
        landing: String = "/",
        manners: ProviderManners = .strict,
        readsUserInfo: Bool = true
    ) throws {
        var random = SystemRandomNumberGenerator()
        let (clock, events) = (clock, events)
        let configuration = ProviderConfiguration(
            issuer: try Issuer(Self.issuer),
            clients: [
                RegisteredClient(
                    id: "web",
                    name: "The web app",
                    authenticationMethod: .clientSecretBasic(SecretDigest(of: Secret("a secret"))),
                    redirectURIs: [try RedirectURI(Self.base + "/callback")],
                    postLogoutRedirectURIs: [try RedirectURI("https://app.example.com/bye")],
                    allowedScopes: [.openID, .profile, .email, .offlineAccess, "groups"],
                    requiresConsent: false
                )
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
                now: { clock.now },
                random: SystemRandomNumberGenerator()
            )
        )
        network = BrowserNetwork(provider)
        keys = try KeySource(issuer: try Issuer(Self.issuer), transport: network, now: { clock.now })
        sessions = ServerSessions(
            client: try Client(
                id: "web",
                redirectURI: try RedirectURI(Self.base + "/callback"),
                authentication: .clientSecretBasic(Secret("a secret"))
            ),
            keys: keys,
            store: store,
            sealing: SealingKeys(try .random()),
            proofs: try ProofChecking(origins: [try ExternalOrigin(Proofs.origin)], replays: store),
            transport: network,
            clock: clock.device,
            reporting: { events.note($0) }
        )
        web = try BrowserSignIn(
            sessions: sessions,
            at: try ExternalOrigin(Self.base),
            request: AuthorizationRequest(
                scopes: [.openID, .profile, .email, .offlineAccess, "groups"],
                pushing: .whenRequired
            ),
            origins: try origins.map { try Origin($0) },
            landing: landing,
            postLogoutRedirectURI: try RedirectURI("https://app.example.com/bye"),
            cookies: try BrowserCookies(sameSite: sameSite),
            readsUserInfo: readsUserInfo,
            store: store
        )
    }
}

/// The events that sessions reported.
final class EventLog: Sendable {
    private let events = Lock<[ServerSessions.Event]>([])
    var all: [ServerSessions.Event] { events.withLock { $0 } }
    func note(_ event: ServerSessions.Event) { events.withLock { $0.append(event) } }
}

/// Carries the backend's requests to the provider, and counts them.
final class BrowserNetwork: HTTPTransport {
    private let provider: InProcessProvider
    private let paths = Lock<[String]>([])
    private let failing = Lock<(path: String, failure: TransportFailure)?>(nil)

    init(_ provider: InProcessProvider) { self.provider = provider }

    func count(_ path: String) -> Int { paths.withLock { $0.count { $0 == path } } }

    /// Fails requests to a path from now on; `nil` for none.
    func fail(_ path: String?, _ failure: TransportFailure = .unreachable) {
        failing.withLock { $0 = path.map { ($0, failure) } }
    }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        paths.withLock { $0.append(request.url.path) }
        if let failing = failing.withLock({ $0 }), failing.path == request.url.path { throw failing.failure }
        return try await provider.send(request)
    }
}

/// A browser: its cookies, and the pages of a provider.
final class TestBrowser: Sendable {
    private let world: BrowserWorld
    private let jar = Lock<[String: String]>([:])
    private let agent: HTTPUserAgent

    init(_ world: BrowserWorld, name: String = "alice") {
        self.world = world
        agent = HTTPUserAgent(
            transport: world.provider,
            credentials: .init(name: name, password: Secret("wonderland")),
            now: { world.clock.now }
        )
    }

    var cookies: [String: String] { jar.withLock { $0 } }
    var session: String? { cookies["__Host-ostiary"] }

    /// Plants a cookie, as an attacker with another way into the browser does; `nil` removes it.
    func plant(_ name: String, _ value: String?) { jar.withLock { $0[name] = value } }

    /// Sends a request with the cookies, and keeps those of the response.
    func send(
        _ endpoint: some ServerEndpoint,
        _ method: HTTPRequest.Method = .get,
        _ target: String = "/",
        _ fields: HTTPFields = [:]
    ) async -> ServerResponse {
        var fields = fields
        let text = cookies.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "; ")
        if !text.isEmpty, fields[.cookie] == nil { fields[.cookie] = text }
        let response = await endpoint.respond(
            to: ServerRequest(method: method, target: target, fields: fields, sender: "192.0.2.1")
        )
        for cookie in response.fields[values: .setCookie] {
            let parts = cookie.components(separatedBy: "; ")
            let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            jar.withLock { $0[String(pair[0])] = parts.contains("Max-Age=0") ? nil : String(pair[1]) }
        }
        return response
    }

    /// Starts a sign-in and returns the issuer's page.
    func login(_ query: String = "", _ fields: HTTPFields = [:]) async throws -> URL {
        let response = await send(world.web.login, .get, "/web/login" + query, fields)
        #expect(response.status == .seeOther)
        return try #require(response.fields[.location].flatMap { URL(string: $0) })
    }

    /// Signs in at the issuer's page, and returns where the issuer redirects to.
    func visit(_ page: URL) async throws -> String {
        let attempt = try await agent.attempt(awaiting: RedirectURI(BrowserWorld.base + "/callback"))
        let url = try await attempt.open(page, accepting: .any)
        return url.absoluteString.replacingOccurrences(of: "https://app.example.com", with: "")
    }

    /// Brings the issuer's response.
    func callback(_ target: String) async -> ServerResponse { await send(world.web.callback, .get, target) }

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

extension HTTPField.Name {
    static let fetchSite = Self("Sec-Fetch-Site")!
    static let fetchMode = Self("Sec-Fetch-Mode")!
    static let forwardedURI = Self("X-Forwarded-Uri")!
    static let forwardedMethod = Self("X-Forwarded-Method")!
}
