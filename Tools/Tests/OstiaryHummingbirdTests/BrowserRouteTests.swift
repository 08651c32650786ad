import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryHummingbird
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

/// The development provider in this process, a web app's router, and a browser with its cookies.
@Suite("The sign-in of a web app in Hummingbird", .timeLimit(.minutes(5)))
struct BrowserRouteTests {
    private static let issuer = "https://id.example.com"
    private static let base = "https://app.example.com/web"
    private static let own: HTTPFields = [.origin: "https://app.example.com"]
    private static let spa: HTTPFields = [.origin: "https://spa.example.com"]
    private static let page: HTTPFields = [.accept: "text/html", .fetchMode: "navigate", .fetchDestination: "document"]

    private struct TestSource: RequestContextSource {
        let logger = Logger(label: "test")
    }

    private struct Context: BrowserSessionContext {
        typealias Source = TestSource
        var coreContext: CoreRequestContextStorage
        var browserSession: ServerSession?
        init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
    }

    private let clock = TestClock()
    private let network: InProcessProvider
    private let web: BrowserSignIn
    private let jar = Jar()

    init() throws {
        var random = SystemRandomNumberGenerator()
        let clock = clock
        let provider = Provider(
            configuration: ProviderConfiguration(
                issuer: try Issuer(Self.issuer),
                clients: [
                    RegisteredClient(
                        id: "web",
                        name: "The web app",
                        authenticationMethod: .clientSecretBasic(SecretDigest(of: Secret("a secret"))),
                        redirectURIs: [try RedirectURI(Self.base + "/callback")],
                        requiresConsent: false
                    )
                ],
                users: [
                    ProviderUser(
                        name: "alice",
                        passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
                        subject: "subject-of-alice",
                        claims: [:]
                    )
                ]
            ),
            clock: clock.device,
            random: SystemRandomNumberGenerator()
        )
        network = InProcessProvider(provider: provider)
        let store = MemoryServerStore()
        let sessions = ServerSessions(
            client: try Client(
                id: "web",
                redirectURI: try RedirectURI(Self.base + "/callback"),
                authentication: .clientSecretBasic(Secret("a secret"))
            ),
            keys: try KeySource(issuer: try Issuer(Self.issuer), transport: network, clock: clock.device),
            store: store,
            sealing: SealingKeys(try .random()),
            dpop: try ProofChecking(origins: [try ExternalOrigin("https://app.example.com")], replays: store),
            transport: network,
            clock: clock.device
        )
        web = try BrowserSignIn(
            sessions: sessions,
            at: try ExternalOrigin(Self.base),
            request: AuthorizationRequest(scopes: [.openID], pushing: .whenRequired),
            origins: [try Origin("https://spa.example.com")],
            cookies: try BrowserCookies(sameSite: .lax),
            limit: RateLimit(2, per: .seconds(60)),
            store: store
        )
    }

    private var router: Router<Context> {
        let router = Router(context: Context.self)
        router.get("open") { _, context in try context.requireBrowserSession().subject }
        router.add(web, at: "/web", sender: { request, _ in request.headers[.sender] })
        let orders = router.group("orders").add(middleware: BrowserSessionMiddleware(web))
        orders.get { _, context in try context.requireBrowserSession().subject }
        orders.post { _, context in try context.requireBrowserSession().subject }
        orders.get("cached") { _, _ in
            Response(status: .ok, headers: [.cacheControl: "private, max-age=60", .vary: "Accept"])
        }
        orders.get("missing") { _, _ -> String in throw HTTPError(.notFound) }
        router.group("pages").add(middleware: BrowserSessionMiddleware(web, refusing: .redirect))
            .get { _, context in try context.requireBrowserSession().subject }
        return router
    }

    private func ask(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: HTTPFields = [:],
        in router: Router<Context>? = nil
    ) async throws -> (response: Response, text: String) {
        var fields = fields
        let cookies = jar.cookies.withLock { $0.map { "\($0)=\($1)" }.sorted().joined(separator: "; ") }
        if !cookies.isEmpty { fields[.cookie] = cookies }
        let head = HTTPRequest(method: method, scheme: nil, authority: nil, path: path, headerFields: fields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let response = try await (router ?? self.router).buildResponder()
            .respond(to: request, context: Context(source: TestSource()))
        for cookie in response.headers[values: .setCookie] {
            let parts = cookie.components(separatedBy: "; ")
            let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            jar.cookies.withLock { $0[String(pair[0])] = parts.contains("Max-Age=0") ? nil : String(pair[1]) }
        }
        let writer = Written()
        try await response.body.write(writer)
        return (response, writer.text)
    }

    private func signIn() async throws {
        let clock = clock
        let login = try await ask(.get, "/web/login?return_to=/orders", Self.page)
        #expect(login.response.status == .seeOther)
        let page = try #require(login.response.headers[.location].flatMap { URL(string: $0) })
        let agent = HTTPUserAgent(
            transport: network,
            credentials: .init(name: "alice", password: Secret("wonderland")),
            clock: clock.device
        )
        let redirect = try await agent.attempt(awaiting: RedirectURI(Self.base + "/callback"))
            .open(page, accepting: .any)
        let target = redirect.absoluteString.replacingOccurrences(of: "https://app.example.com", with: "")
        let callback = try await ask(.get, target, Self.page)
        #expect(callback.response.status == .seeOther && callback.response.headers[.location] == "/orders")
    }

    // MARK: The endpoints

    @Test("A browser signs in at the mounted endpoints, reads its session, and signs out")
    func endpoints() async throws {
        #expect(try await ask(.get, "/web/session").response.status == .unauthorized)
        try await signIn()
        #expect(try await ask(.get, "/web/session").text.contains("subject-of-alice"))
        #expect(try await ask(.get, "/web/sessions").text.contains("\"current\":true"))
        #expect(try await ask(.post, "/web/logout", Self.own).response.status == .ok)
        #expect(try await ask(.get, "/web/session").response.status == .unauthorized)
    }

    @Test("A sign-out everywhere is a DELETE of the mounted list")
    func everywhere() async throws {
        try await signIn()
        #expect(try await ask(.delete, "/web/sessions", Self.own).response.status == .noContent)
        #expect(try await ask(.get, "/orders").response.status == .unauthorized)
    }

    @Test(
        "A mounted endpoint refuses another method, and names its own",
        arguments: [
            (HTTPRequest.Method.post, "/web/login", "GET"), (.post, "/web/callback", "GET"),
            (.post, "/web/session", "GET, OPTIONS"), (.put, "/web/sessions", "GET, DELETE, OPTIONS"),
            (.delete, "/web/logout", "POST, GET, OPTIONS"),
        ]
    )
    func methods(_ method: HTTPRequest.Method, _ path: String, _ allowed: String) async throws {
        let (response, _) = try await ask(method, path, Self.own)
        #expect(response.status == .methodNotAllowed && response.headers[.allow] == allowed)
    }

    @Test("A mounted endpoint answers the preflight of a named origin", arguments: ["session", "sessions", "logout"])
    func endpointPreflight(_ place: String) async throws {
        let (response, _) = try await ask(.options, "/web/" + place, Self.preflight)
        #expect(response.status == .noContent)
        #expect(response.headers[.accessControlAllowOrigin] == "https://spa.example.com")
    }

    @Test("Sign-ins of a sender do not use up another sender's limit")
    func senders() async throws {
        for _ in 0..<2 { #expect(try await ask(.get, "/web/login", [.sender: "a"]).response.status == .seeOther) }
        let limited = try await ask(.get, "/web/login", [.sender: "a"]).response
        #expect(limited.status == .tooManyRequests && limited.headers[.retryAfter] != nil)
        #expect(try await ask(.get, "/web/login", [.sender: "b"]).response.status == .seeOther)
    }

    // MARK: The middleware

    @Test("A guarded route is reached with a session alone, which its context has")
    func guarded() async throws {
        let refused = try await ask(.get, "/orders")
        #expect(refused.response.status == .unauthorized && refused.text.contains("sign_in_required"))
        try await signIn()
        let (response, text) = try await ask(.get, "/orders")
        #expect(response.status == .ok && text == "subject-of-alice")
    }

    @Test("A response of a guarded route is private to its cookie, and keeps the cache rule of the route")
    func caching() async throws {
        try await signIn()
        let plain = try await ask(.get, "/orders").response
        #expect(
            plain.headers[.cacheControl] == "private, no-cache" && plain.headers[values: .vary] == ["Origin", "Cookie"]
        )
        let cached = try await ask(.get, "/orders/cached").response
        #expect(cached.headers[.cacheControl] == "private, max-age=60")
        #expect(cached.headers[values: .vary] == ["Accept", "Origin", "Cookie"])
    }

    @Test("A route without the middleware that requires a session is a fault of the service, and lets no one in")
    func unguarded() async throws {
        try await signIn()
        #expect(try await ask(.get, "/open").response.status == .internalServerError)
    }

    @Test("A request that a page of another origin causes is 403 at a guarded route, though it has the cookie")
    func foreignPage() async throws {
        try await signIn()
        let evil: HTTPFields = [.origin: "https://evil.example"]
        #expect(try await ask(.post, "/orders", evil).response.status == .forbidden)
        #expect(try await ask(.get, "/orders", evil).response.status == .forbidden)
        #expect(try await ask(.post, "/orders").response.status == .forbidden)
        #expect(try await ask(.post, "/orders", Self.own).response.status == .ok)
    }

    @Test("A user without a session is led to the sign-in from a page, and back; a script gets 401")
    func redirects() async throws {
        let page = try await ask(.get, "/pages?a=b", Self.page).response
        #expect(page.status == .found)
        #expect(page.headers[.location] == Self.base + "/login?return_to=%2Fpages%3Fa%3Db")
        #expect(try await ask(.get, "/pages", [.fetchMode: "cors"]).response.status == .unauthorized)
        #expect(try await ask(.get, "/orders", Self.page).response.status == .unauthorized)
        try await signIn()
        #expect(try await ask(.get, "/pages", Self.page).text == "subject-of-alice")
    }

    @Test("A page of a named origin reads a guarded route's response and its error, and asks before it writes")
    func sharing() async throws {
        let whole = Router(context: Context.self)
        whole.add(middleware: BrowserSessionMiddleware(web))
        whole.get("orders") { _, context in try context.requireBrowserSession().subject }
        let preflight = try await ask(.options, "/orders", Self.preflight, in: whole).response
        #expect(preflight.status == .noContent)
        #expect(preflight.headers[.accessControlAllowMethods] == "GET, POST, PUT, PATCH, DELETE")
        let refused = try await ask(.get, "/orders", Self.spa).response
        #expect(refused.status == .unauthorized)
        #expect(refused.headers[.accessControlAllowOrigin] == "https://spa.example.com")
        try await signIn()
        let read = try await ask(.get, "/orders", Self.spa).response
        #expect(read.status == .ok && read.headers[.accessControlAllowOrigin] == "https://spa.example.com")
        #expect(read.headers[.accessControlAllowCredentials] == "true")
        let missing = try await ask(.get, "/orders/missing", Self.spa).response
        #expect(missing.status == .notFound)
        #expect(missing.headers[.accessControlAllowOrigin] == "https://spa.example.com")
        let own = try await ask(.get, "/orders", Self.own).response
        #expect(own.headers[.accessControlAllowOrigin] == nil)
    }

    private static let preflight: HTTPFields = [
        .origin: "https://spa.example.com", .accessControlRequestMethod: "POST",
    ]
}

/// A browser's cookies.
private final class Jar: Sendable {
    let cookies = Lock<[String: String]>([:])
}

/// Collects a body.
private final class Written: ResponseBodyWriter {
    private(set) var text = ""
    func write(_ buffer: ByteBuffer) async throws { text += String(buffer: buffer) }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension HTTPField.Name {
    fileprivate static let fetchMode = named("Sec-Fetch-Mode")
    fileprivate static let fetchDestination = named("Sec-Fetch-Dest")
    fileprivate static let sender = named("Sender")

    private static func named(_ name: String) -> Self {
        guard let field = Self(name) else { preconditionFailure("\(name) is not a field name") }
        return field
    }
}
