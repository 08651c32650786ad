import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OstiaryHummingbird
import OstiaryJOSE
import Synchronization
import Testing

@Suite("The middleware for Hummingbird")
struct HummingbirdTests {
    private struct TestSource: RequestContextSource {
        let logger = Logger(label: "test")
    }

    private struct Context: AccessTokenContext {
        typealias Source = TestSource
        var coreContext: CoreRequestContextStorage
        var accessToken: VerifiedAccessToken?
        init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
    }

    private let transport = ScriptedTransport()

    /// Asks a router with one open and two protected routes; `reached` counts the calls of the protected ones.
    private func ask(
        _ path: String,
        _ fields: HTTPFields,
        reached: Counter = Counter(),
        decided: Counter = Counter()
    ) async throws -> Response {
        let keys = try KeySource(issuer: Fixtures.issuer, transport: transport, clock: Fixtures.clock)
        let resource = try ProtectedResource(
            policy: Fixtures.policy(),
            keys: keys,
            clock: DeviceClock(now: {
                // Each decision begins with the time.
                decided.increment()
                return Fixtures.now
            })
        )
        let router = Router(context: Context.self)
        router.get("open") { _, context in try context.requireAccessToken().subject }
        let orders = router.group("orders").add(middleware: AccessTokenMiddleware(resource))
        orders.get { _, context in
            reached.increment()
            return HTTPResponse.Status(code: try context.requireAccessToken().subject == "alice" ? 204 : 500)
        }
        orders.group("all").add(middleware: AccessTokenMiddleware(try resource.requiring(["orders:write"])))
            .get { _, _ in
                reached.increment()
                return HTTPResponse.Status.noContent
            }
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: path, headerFields: fields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        return try await router.buildResponder().respond(to: request, context: Context(source: TestSource()))
    }

    @Test("The log names a rejected token's typ, the expected one, and the profile that it fits")
    func log() async throws {
        let keys = try KeySource(issuer: Fixtures.issuer, transport: transport, clock: Fixtures.clock)
        let resource = try ProtectedResource(policy: Fixtures.policy(), keys: keys, clock: Fixtures.clock)
        func metadata(_ kind: JSONValue, type: String?) async -> [String: String] {
            let token = Fixtures.token(type: type) {
                $0["typ"] = kind
                $0["azp"] = "app"
                if kind == "ID" { $0["scope"] = nil }
            }
            guard case .refused(let refusal) = await resource.authorize(fields: Fixtures.bearer(token)) else {
                return [:]
            }
            return refusal.metadata.mapValues(\.description)
        }
        #expect(
            await metadata("Bearer", type: "JWT") == [
                "reason": "token_typ", "typ": "JWT", "expected": "at+jwt", "profile": "rfc9068", "fits": "keycloak",
            ]
        )
        #expect(await metadata("ID", type: nil)["fits"] == "none")
        #expect(await metadata("ID", type: nil)["typ"] == "none")
        let expired = Fixtures.bearer(Fixtures.token { $0["exp"] = 1 })
        guard case .refused(let refusal) = await resource.authorize(fields: expired) else {
            Issue.record("An expired token was granted.")
            return
        }
        #expect(refusal.metadata.mapValues(\.description) == ["reason": "token_exp"])
    }

    final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }
        func increment() { value.withLock { $0 += 1 } }
    }

    @Test("A valid token reaches the route in its context")
    func granted() async throws {
        let response = try await ask("/orders", Fixtures.bearer())
        #expect(response.status == .noContent)
    }

    @Test("A route in the basic context gets the verified token")
    func basicContext() async throws {
        let keys = try KeySource(issuer: Fixtures.issuer, transport: transport, clock: Fixtures.clock)
        let resource = try ProtectedResource(policy: Fixtures.policy(), keys: keys, clock: Fixtures.clock)
        let router = Router(context: BasicAccessTokenContext.self)
        router.group("orders").add(middleware: AccessTokenMiddleware(resource))
            .get { _, context in try context.requireAccessToken().subject }
        try await Application(router: router).test(.router) { client in
            let granted = try await client.execute(uri: "/orders", method: .get, headers: Fixtures.bearer())
            #expect(granted.status == .ok && String(buffer: granted.body) == "alice")
            let refused = try await client.execute(uri: "/orders", method: .get)
            #expect(refused.status == .unauthorized)
        }
    }

    @Test("A request that waits for keys is decided once")
    func once() async throws {
        let decided = Counter()
        #expect(try await ask("/orders", Fixtures.bearer(), decided: decided).status == .noContent)
        #expect(decided.count == 1)
    }

    @Test("A request without a token does not reach the route, and gets a challenge")
    func noToken() async throws {
        let reached = Counter()
        let response = try await ask("/orders", [:], reached: reached)
        #expect(response.status == .unauthorized && reached.count == 0)
        #expect(response.headers[.wwwAuthenticate] == #"Bearer scope="orders:read""#)
    }

    @Test("A request with a bad token, two fields or unavailable keys does not reach the route")
    func failsClosed() async throws {
        let reached = Counter()
        let expired = Fixtures.bearer(Fixtures.token { $0["exp"] = 1 })
        #expect(try await ask("/orders", expired, reached: reached).status == .unauthorized)
        var twice = Fixtures.bearer()
        twice.append(HTTPField(name: .authorization, value: "Bearer abc"))
        #expect(try await ask("/orders", twice, reached: reached).status == .badRequest)
        transport.fail(ScriptedTransport.jwks)
        #expect(try await ask("/orders", Fixtures.bearer(), reached: reached).status == .serviceUnavailable)
        #expect(reached.count == 0)
    }

    @Test("A nested route that requires more scopes responds 403")
    func nested() async throws {
        #expect(try await ask("/orders/all", Fixtures.bearer()).status == .forbidden)
        let both = Fixtures.bearer(Fixtures.token { $0["scope"] = "orders:read orders:write" })
        #expect(try await ask("/orders/all", both).status == .noContent)
    }

    @Test("A route without the middleware has no token, even when the request has one")
    func unprotected() async throws {
        #expect(try await ask("/open", Fixtures.bearer()).status == .internalServerError)
    }
}
