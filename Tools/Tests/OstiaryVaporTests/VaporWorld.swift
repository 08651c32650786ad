import AsyncHTTPClient
import Foundation
import HTTPTypes
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
import Testing
import Tracing
import Vapor

/// A provider, the parts of a backend that trusts it, and what its clients send.
final class VaporWorld: Sendable {
    static let origin = "https://api.example.com"
    static let base = "https://app.example.com/web"
    static let issuer = "https://id.example.test"
    static let pages = "https://pages.example.com"

    let clock = TestClock()
    let provider: InProcessProvider
    let keys: KeySource
    let server: ResourceServer
    let orders: ProtectedResource
    let sessions: ServerSessions
    let web: BrowserSignIn
    /// The key that a client proves.
    let key: SigningKey
    /// The issuer's key.
    let issuerKey: SigningKey

    /// - Parameter tracer: The tracer of the requests to the issuer and of the store. Default: that of the process, which records nothing.
    init(tracer: (any Tracer)? = nil) throws {
        let clock = clock
        let issuer = try Issuer(Self.issuer)
        key = try SigningKey.generate(.es256)
        let issuerKey = try SigningKey.generate(.es256, keyID: "issuer-key")
        self.issuerKey = issuerKey
        provider = InProcessProvider(
            provider: Provider(
                configuration: try Self.configuration(issuerKey),
                clock: clock.device,
                random: SystemRandomNumberGenerator()
            )
        )
        let transport = TracedTransport(provider, tracer: tracer)
        keys = try KeySource(issuer: issuer, transport: transport, clock: clock.device)
        let store = MeasuredServerStore(MemoryServerStore(), tracer: tracer)
        let proofs = try ProofChecking(
            origins: [ExternalOrigin(Self.origin)],
            replays: store,
            nonces: ServerNonces(secrets: [Secret(String(repeating: "s", count: 32))], purpose: "test")
        )
        server = ResourceServer(
            keys: [keys],
            dpop: proofs,
            metadata: try .init(Self.origin),
            clock: clock.device
        )
        orders = try server.resource(
            AccessTokenPolicy(issuer: issuer, audience: Self.origin, requiredScopes: ["orders"], binding: .any)
        )
        sessions = ServerSessions(
            client: try Client(
                id: "web",
                redirectURI: try RedirectURI(Self.base + "/callback"),
                authentication: .clientSecretBasic(Secret("a secret"))
            ),
            keys: keys,
            store: store,
            sealing: SealingKeys(try .random()),
            dpop: proofs,
            transport: transport,
            clock: clock.device
        )
        web = try BrowserSignIn(
            sessions: sessions,
            at: ExternalOrigin(Self.base),
            request: AuthorizationRequest(scopes: [.openID, .profile, .offlineAccess], pushing: .whenRequired),
            origins: [Origin(Self.pages)],
            cookies: BrowserCookies(sameSite: .lax),
            store: store
        )
    }

    private static func configuration(_ issuerKey: SigningKey) throws -> ProviderConfiguration {
        var random = SystemRandomNumberGenerator()
        return ProviderConfiguration(
            issuer: try Issuer(issuer),
            clients: [
                RegisteredClient(
                    id: "web",
                    name: "The web app",
                    authenticationMethod: .clientSecretBasic(SecretDigest(of: Secret("a secret"))),
                    redirectURIs: [try RedirectURI(base + "/callback")],
                    allowedScopes: [.openID, .profile, .offlineAccess],
                    requiresConsent: false
                )
            ],
            users: [
                ProviderUser(
                    name: "alice",
                    passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
                    subject: "alice-subject",
                    claims: ["name": "Alice"]
                )
            ],
            signingAlgorithms: [.es256],
            signingKeys: [issuerKey]
        )
    }

    // MARK: Tokens

    /// An access token that is valid except for the changes.
    func token(_ change: (inout JSONObject) -> Void = { _ in }) throws -> String {
        let time = Int(clock.now.timeIntervalSince1970)
        var claims: JSONObject = [
            "iss": .string(Self.issuer), "aud": .string(Self.origin), "sub": "alice-subject", "client_id": "app",
            "jti": .string(UUID().uuidString), "iat": .integer(time), "exp": .integer(time + 300), "scope": "orders",
        ]
        change(&claims)
        return try issuerKey.sign(claims: claims, type: "at+jwt")
    }

    /// A token that is bound to ``key``.
    func boundToken() throws -> String {
        let thumbprint = key.publicKey.thumbprint()
        return try token { $0["cnf"] = ["jkt": .string(thumbprint)] }
    }

    /// A proof by ``key`` for a GET.
    func proof(_ path: String, token: String, nonce: String?) throws -> String {
        let header: JSONObject = ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(key.publicKey.jsonObject)]
        var claims: JSONObject = [
            "jti": .string(UUID().uuidString), "htm": "GET", "htu": .string(Self.origin + path),
            "iat": .integer(Int(clock.now.timeIntervalSince1970)),
            "ath": .string(Base64URL.encode(HashAlgorithm.sha256.hash(Array(token.utf8)))),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        let input = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded())
        return input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)))
    }

    // MARK: The app

    /// Signs alice in as a browser does, and returns the session's cookie.
    func signIn(_ client: VaporClient) async throws -> String {
        let login = try await client.send(.GET, "/web/login?return_to=/me")
        #expect(login.status == .seeOther)
        let page = try #require(login.headers.first(name: "location").flatMap { URL(string: $0) })
        let agent = HTTPUserAgent(
            transport: provider,
            credentials: .init(name: "alice", password: Secret("wonderland")),
            clock: clock.device
        )
        let back = try await agent.attempt(awaiting: RedirectURI(Self.base + "/callback"))
            .open(page, accepting: .any)
        let target = back.absoluteString.replacing("https://app.example.com", with: "")
        let cookie = try #require(login.headers["set-cookie"].first?.split(separator: ";").first.map(String.init))
        let callback = try await client.send(
            .GET,
            target,
            ["cookie": cookie, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"]
        )
        #expect(callback.status == .seeOther && callback.headers.first(name: "location") == "/me")
        let cookies = callback.headers["set-cookie"].compactMap { $0.split(separator: ";").first.map(String.init) }
        return try #require(cookies.first { $0.hasPrefix("__Host-ostiary=") })
    }

    /// The `traceparent` of the last token request that the provider received.
    var tokenRequestTraceParent: String? {
        let request = provider.requests.last { $0.path == "/token" }?.request
        return HTTPField.Name("traceparent").flatMap { request?.fields[$0] }
    }

    /// Runs an app in this process and a client of it, at a socket of this machine.
    func serve(
        _ configure: (Application) throws -> Void,
        _ body: (VaporClient) async throws -> Void
    ) async throws {
        let app = try await Application.make(.testing)
        app.logger.logLevel = .critical
        do {
            try configure(app)
            try await app.server.start(address: .hostname("127.0.0.1", port: 0))
            guard let port = app.http.server.shared.localAddress?.port else { throw Abort(.internalServerError) }
            try await body(VaporClient(port: port))
            await app.server.shutdown()
            try await app.asyncShutdown()
        } catch {
            await app.server.shutdown()
            try? await app.asyncShutdown()
            throw error
        }
    }
}

/// A client of an app.
struct VaporClient: Sendable {
    /// Follows no redirect.
    private static let http = HTTPClient(
        eventLoopGroupProvider: .singleton,
        configuration: .init(redirectConfiguration: .disallow)
    )

    let port: Int

    struct Response: Sendable {
        let status: HTTPResponseStatus
        let headers: HTTPHeaders
        let text: String

        var challenges: [String] { headers["www-authenticate"] }
        var object: JSONObject { (try? JSONObject(parsing: Array(text.utf8))) ?? [:] }
    }

    func send(
        _ method: HTTPMethod = .GET,
        _ path: String,
        _ headers: HTTPHeaders = [:],
        body: HTTPClientRequest.Body? = nil
    ) async throws -> Response {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = method
        request.headers = headers
        request.body = body
        let response = try await Self.http.execute(request, timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 1_048_576)
        return Response(status: response.status, headers: response.headers, text: String(buffer: bytes))
    }
}

extension HTTPHeaders {
    static func bearer(_ token: String) -> HTTPHeaders { ["authorization": "Bearer \(token)"] }
}
