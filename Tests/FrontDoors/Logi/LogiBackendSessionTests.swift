import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryLogi
import OstiaryLogiServer
import OstiaryServer
import OstiaryTesting
import Testing

/// The network between an app and the partner's backend.
private final class PartnerWire: HTTPTransport {
    private let partner: LogiPartner
    private let seen = Lock<[EndpointRequest]>([])

    init(_ partner: LogiPartner) { self.partner = partner }

    var requests: [EndpointRequest] { seen.withLock { $0 } }
    var paths: [String] { requests.map { $0.url.path() } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard request.url.absoluteString.hasPrefix(LogiPartner.origin) else { throw .unreachable }
        seen.withLock { $0.append(request) }
        let asked = ServerRequest(
            method: request.method,
            target: request.url.path(),
            fields: request.allFields,
            body: request.body ?? [],
            sender: "192.0.2.1"
        )
        let response = await answer(asked)
        return EndpointResponse(status: response.status, fields: response.fields, body: response.body)
    }

    private func answer(_ request: ServerRequest) async -> ServerResponse {
        let backend = partner.backend
        switch request.target {
        case "/auth/start": return await backend.signIn.start.respond(to: request)
        case "/auth/finish": return await backend.signIn.finish.respond(to: request)
        default: break
        }
        do throws(SessionRefusal) {
            let session = try await backend.sessions.session(of: request)
            if request.method == .delete {
                do throws(StorageFailure) { try await backend.sessions.end(session) } catch {
                    return ServerResponse(status: .serviceUnavailable, fields: [:])
                }
            }
            return ServerResponse(status: .noContent, fields: [:])
        } catch {
            return error.response
        }
    }
}

@Suite("The app's half of a sign-in by the app's backend", .timeLimit(.minutes(5)))
struct LogiBackendSessionTests {
    private let partner: LogiPartner
    private let wire: PartnerWire
    private let store = MemoryStore()

    init() throws {
        partner = try LogiPartner(
            try LogiWorld(),
            nonces: ServerNonces(secrets: [Secret(String(repeating: "n", count: 32))], purpose: "test")
        )
        wire = PartnerWire(partner)
    }

    private func client(store: (any SecretStore)? = nil) throws -> BackendClient {
        try BackendClient(
            LogiPartner.origin + "/auth",
            transport: wire,
            store: store ?? self.store,
            clock: partner.world.clock.device
        )
    }

    private func request(_ path: String = "/me") throws -> EndpointRequest {
        EndpointRequest(url: try #require(URL(string: LogiPartner.origin + path)))
    }

    @Test(
        "A sign-in by the backend in the provider's app ends with a handle, and each request proves the key with the nonce",
        .covers(.logi, rows: 17, 18, 19, 58)
    )
    func wholeWay() async throws {
        let logi = try partner.world.logi(opener: partner.world.nativeApp())
        let session = try await logi.signIn(by: try client())
        #expect(session.subject == "8c1f0a52-mina" && session.expiry != nil)
        #expect(partner.world.app.values.first?.host() == "open.1pass.dev")
        // The first request learns the nonce; those after it have it.
        #expect(wire.paths == ["/auth/start", "/auth/start", "/auth/finish"])
        #expect(try await session.data(for: try request()).status == .noContent)
        #expect(wire.paths.last == "/me" && partner.world.wire.requests(to: "/oauth/token").isEmpty)
        #expect("\(session)" == "BackendSession(https://partner.example.com/auth)")
    }

    @Test(
        "A sign-in by the backend in any user agent compares the state and hands in code and issuer",
        .covers(.logi, rows: 17, 18, 58)
    )
    func anyUserAgent() async throws {
        let session = try await client().signIn(
            redirectingTo: LogiWorld.redirectURI,
            userAgent: partner.world.browser
        )
        #expect(session.subject == "8c1f0a52-mina")
        let forged = ScriptedUserAgent { _, redirectURI in URL(string: "\(redirectURI)?code=a&state=another")! }
        let backend = try client()
        let error = await thrownError { () async throws(SignInError) in
            _ = try await backend.signIn(redirectingTo: LogiWorld.redirectURI, userAgent: forged)
        }
        #expect(error == SignInError(.redirect, .mismatch(.state)))
        #expect(try await backend.restoreSession()?.subject == session.subject)
    }

    @Test("The backend's session and the installation's key outlive a restart of the app", .covers(.logi, rows: 58))
    func restart() async throws {
        _ = try await client().signIn(redirectingTo: LogiWorld.redirectURI, userAgent: partner.world.browser)
        let restored = try #require(try await client().restoreSession())
        #expect(try await restored.data(for: try request()).status == .noContent)
        #expect(try await client(store: MemoryStore()).restoreSession() == nil)
    }

    @Test(
        "A second installation cannot finish a sign-in with the same code, and stores no session",
        .covers(.logi, rows: 58)
    )
    func otherInstallation() async throws {
        let logi = try partner.world.logi(opener: partner.world.nativeApp())
        let page = try await client().start()
        let callback = try await logi.authorize(try LogiStartURL(page.url, native: page.nativeURL))
        let other = try client(store: MemoryStore())
        let error = await thrownError { () async throws(SignInError) in
            _ = try await other.finish(code: callback.code, state: callback.state, issuer: callback.issuer)
        }
        #expect(error == SignInError(.token, .refused(OAuthError(code: .invalidGrant))))
        #expect(try await other.restoreSession() == nil)
        #expect(try await client().finish(code: callback.code, state: callback.state).subject == "8c1f0a52-mina")
    }

    @Test("A session that the backend has ended is removed here, and the user is to sign in", .covers(.logi, rows: 58))
    func ended() async throws {
        let backend = try client()
        let session = try await backend.signIn(
            redirectingTo: LogiWorld.redirectURI,
            userAgent: partner.world.browser
        )
        let other = try #require(try await client().restoreSession())
        #expect(try await other.signOut())
        #expect(try await backend.restoreSession() == nil)
        let asked = try request()
        let error = await thrownError { () async throws(SignInError) in _ = try await session.data(for: asked) }
        #expect(error == SignInError(.resource, .signInRequired))
    }

    @Test("A session's handle goes to the backend's origin only", .covers(.logi, rows: 58))
    func otherOrigin() async throws {
        let session = try await client().signIn(
            redirectingTo: LogiWorld.redirectURI,
            userAgent: partner.world.browser
        )
        let count = wire.requests.count
        let elsewhere = EndpointRequest(url: try #require(URL(string: "https://other.example.com/me")))
        let error = await thrownError { () async throws(SignInError) in _ = try await session.data(for: elsewhere) }
        #expect(error?.recovery == .fixConfiguration && wire.requests.count == count)
        for url in ["http://api.example.com/auth", "https://api.example.com/auth?x=1", "", "/auth"] {
            #expect(throws: SignInError.self) { try BackendClient(url) }
        }
    }

    @Test("An installation key is made once for concurrent calls, and anew after a reset")
    func installationKey() async throws {
        let key = InstallationKey(store: store)
        let thumbprints = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await key.key().thumbprint } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(thumbprints.count == 1)
        #expect(try await InstallationKey(store: store).key().thumbprint == thumbprints.first)
        #expect(try await InstallationKey(named: "other", store: store).key().thumbprint != thumbprints.first)
        try await key.reset()
        #expect(try await key.key().thumbprint != thumbprints.first)
        let broken = FaultyStore()
        try await broken.write(Array("{}".utf8), for: StoreKey("installation-key/backend"))
        let unreadable = InstallationKey(store: broken)
        let error = await thrownError { () async throws(SignInError) in _ = try await unreadable.key() }
        #expect(error == SignInError(.storage, .storage(.corrupted)))
    }
}
