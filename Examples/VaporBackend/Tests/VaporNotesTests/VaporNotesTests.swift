import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Ostiary
import OstiaryAutomation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryServer
import OstiaryTesting
import OstiaryVapor
import Synchronization
import Testing
import Vapor
import VaporNotes

@Suite("A backend on Vapor", .timeLimit(.minutes(5)))
struct VaporNotesTests {
    private static let origin = "https://notes.example.com"
    private static let issuer = "https://id.example.com"
    private static let callback = "com.example.notes:/callback"
    /// Follows no redirect.
    private static let http = HTTPClient(
        eventLoopGroupProvider: .singleton,
        configuration: .init(redirectConfiguration: .disallow)
    )

    private let clock = TestClock()
    private let provider: InProcessProvider
    private let network: CountingTransport

    init() throws {
        let clock = clock
        provider = InProcessProvider(
            provider: Provider(
                configuration: try Self.configuration(),
                clock: clock.device,
                random: SystemRandomNumberGenerator()
            )
        )
        network = CountingTransport(provider)
    }

    private static func configuration() throws -> ProviderConfiguration {
        var random = SystemRandomNumberGenerator()
        let scopes: [OstiaryOAuth.Scope] = [.openID, .profile, .offlineAccess, "notes", "notes.erase"]
        return ProviderConfiguration(
            issuer: try Issuer(issuer),
            clients: [
                RegisteredClient(
                    id: "notes-web",
                    name: "Notes",
                    authenticationMethod: .clientSecretBasic(SecretDigest(of: Secret("notes-secret"))),
                    redirectURIs: [try RedirectURI(origin + "/web/callback")],
                    allowedScopes: scopes,
                    requiresConsent: false
                ),
                RegisteredClient(
                    id: "notes-app",
                    name: "Notes",
                    redirectURIs: [try RedirectURI(callback)],
                    allowedScopes: scopes,
                    requiresConsent: false
                ),
            ],
            users: [
                ProviderUser(
                    name: "alice",
                    passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
                    subject: "alice-subject",
                    claims: [:]
                )
            ],
            additionalScopes: [
                ProviderScope("notes", sentence: "Read and write your notes"),
                ProviderScope("notes.erase", sentence: "Erase your notes"),
            ],
            signingAlgorithms: [.es256],
            accessTokenAudience: [origin]
        )
    }

    /// Runs the app; `body` gets its address.
    private func serve(_ body: (String) async throws -> Void) async throws {
        let backend = try NotesBackend(
            NotesSettings(
                origin: Self.origin,
                issuer: try Issuer(Self.issuer),
                clientID: "notes-web",
                clientSecret: Secret("notes-secret"),
                sealing: SealingKeys(try .random())
            ),
            store: MemoryServerStore(),
            transport: network,
            clock: clock.device
        )
        let app = try await Application.make(.testing)
        app.logger.logLevel = .critical
        do {
            try backend.mount(on: app)
            try await app.server.start(address: .hostname("127.0.0.1", port: 0))
            let port = try #require(app.http.server.shared.localAddress?.port)
            try await body("http://127.0.0.1:\(port)")
            await backend.settle()
            await app.server.shutdown()
            try await app.asyncShutdown()
        } catch {
            await app.server.shutdown()
            try? await app.asyncShutdown()
            throw error
        }
    }

    private func send(
        _ method: HTTPMethod,
        _ url: String,
        _ headers: HTTPHeaders = [:],
        body: String? = nil
    ) async throws -> (status: HTTPResponseStatus, headers: HTTPHeaders, text: String) {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers = headers
        request.body = body.map { .bytes(ByteBuffer(string: $0)) }
        let response = try await Self.http.execute(request, timeout: .seconds(30))
        return (response.status, response.headers, String(buffer: try await response.body.collect(upTo: 65_536)))
    }

    /// The user at the issuer's page.
    private var alice: HTTPUserAgent {
        let clock = clock
        return HTTPUserAgent(
            transport: provider,
            credentials: .init(name: "alice", password: Secret("wonderland")),
            clock: clock.device
        )
    }

    /// An access token of an app that alice signs in to.
    private func accessToken(_ scopes: [OstiaryOAuth.Scope]) async throws -> String {
        let client = SignInClient(
            issuer: try Issuer(Self.issuer),
            client: try Ostiary.Client(
                id: "notes-app",
                redirectURI: try RedirectURI(Self.callback)
            ),
            configuration: SignInClient.Configuration(
                userAgent: alice,
                transport: provider,
                store: MemoryStore(),
                clock: clock.device
            )
        )
        let session = try await client.signIn(AuthorizationRequest(scopes: [.openID] + scopes))
        return try await session.accessToken().reveal()
    }

    @Test("A note is written and read with a token that has the scope, and erased with none that is not bound to a key")
    func notes() async throws {
        let token = try await accessToken(["notes", "notes.erase"])
        try await serve { url in
            let headers: HTTPHeaders = ["authorization": "Bearer \(token)"]
            #expect(try await send(.POST, url + "/notes", headers, body: "Buy milk").status == .noContent)
            #expect(try await send(.GET, url + "/notes", headers).text == #"["Buy milk"]"#)
            let refused = try await send(.DELETE, url + "/notes", headers)
            #expect(refused.status == .unauthorized)
            #expect(refused.headers["www-authenticate"].first?.hasPrefix("DPoP ") == true)
            #expect(try await send(.GET, url + "/notes").status == .unauthorized)
        }
    }

    @Test("A token without the scope gets 403 with the scope that is missing")
    func scope() async throws {
        let token = try await accessToken([.profile])
        try await serve { url in
            let response = try await send(.GET, url + "/notes", ["authorization": "Bearer \(token)"])
            #expect(response.status == .forbidden)
            #expect(response.headers["www-authenticate"].contains { $0.contains(#"scope="notes""#) })
        }
    }

    /// Signs alice in with a browser, from the URL of the sign-in on.
    ///
    /// - Returns: The headers of the response to the callback.
    private func signIn(_ login: String, at url: String) async throws -> HTTPHeaders {
        let login = try await send(.GET, login.replacing(Self.origin, with: url))
        let issuer = try #require(login.headers.first(name: "location").flatMap { URL(string: $0) })
        let back = try await alice.attempt(awaiting: RedirectURI(Self.origin + "/web/callback"))
            .open(issuer, accepting: .any)
        return try await send(
            .GET,
            back.absoluteString.replacing(Self.origin, with: url),
            ["cookie": Self.cookies(login.headers), "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"]
        ).headers
    }

    @Test("A browser that loads a page is sent to the sign-in, and comes back with a session")
    func browser() async throws {
        try await serve { url in
            let page = try await send(.GET, url + "/me", ["sec-fetch-mode": "navigate"])
            let place = try #require(page.headers.first(name: "location"))
            #expect(page.status == .found && place == Self.origin + "/web/login?return_to=%2Fme")
            let callback = try await signIn(place, at: url)
            #expect(callback.first(name: "location") == "/me")
            let me = try await send(.GET, url + "/me", ["cookie": Self.cookies(callback)])
            #expect(me.status == .ok && me.text == "alice-subject")
        }
    }

    @Test("A logout token of the issuer ends the session of a browser, and revokes its refresh token")
    func backChannelLogout() async throws {
        let token = try await provider.provider.logoutToken(for: "notes-web", subject: "alice-subject")
        try await serve { url in
            let cookies = Self.cookies(try await signIn(Self.origin + "/web/login", at: url))
            #expect(try await send(.GET, url + "/me", ["cookie": cookies]).status == .ok)
            let form: HTTPHeaders = ["content-type": "application/x-www-form-urlencoded"]
            let logout = try await send(.POST, url + "/web/backchannel-logout", form, body: "logout_token=\(token)")
            #expect(logout.status == .ok)
            let me = try await send(.GET, url + "/me", ["cookie": cookies, "sec-fetch-mode": "navigate"])
            #expect(me.status == .found)
        }
        #expect(network.count("/revoke") == 1)
    }

    @Test("The metadata names the issuer and the scopes")
    func metadata() async throws {
        try await serve { url in
            let response = try await send(.GET, url + "/.well-known/oauth-protected-resource")
            let document = try JSONObject(parsing: Array(response.text.utf8))
            #expect(document["authorization_servers"] == [.string(Self.issuer)])
            #expect(document["scopes_supported"] == ["notes", "notes.erase"])
            #expect(try await send(.GET, url + "/health").status == .ok)
        }
    }

    /// The cookies that a response sets, but for those that it removes.
    private static func cookies(_ headers: HTTPHeaders) -> String {
        headers["set-cookie"].filter { !$0.contains("Max-Age=0") }
            .compactMap { $0.split(separator: ";").first.map(String.init) }.joined(separator: "; ")
    }
}

/// Counts the backend's requests to the provider.
private final class CountingTransport: HTTPTransport {
    private let provider: InProcessProvider
    private let paths = Mutex<[String]>([])

    init(_ provider: InProcessProvider) { self.provider = provider }

    /// The number of requests to a path.
    func count(_ path: String) -> Int { paths.withLock { paths in paths.count { $0 == path } } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let path = request.url.path
        paths.withLock { $0.append(path) }
        return try await provider.send(request)
    }
}
