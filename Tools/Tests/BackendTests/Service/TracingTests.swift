import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import InMemoryTracing
import Logging
import NIOCore
import NIOHTTP1
import OstiaryCompatibility
import OstiaryHummingbird
import OstiaryOAuth
import OstiarySQLite
import OstiaryServer
import OstiaryTesting
import Testing
import Tracing

@testable import Backend

@Suite("Traces of requests", .timeLimit(.minutes(5)))
struct TracingTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private static let noTrace = "00-" + String(repeating: "0", count: 32) + "-b7ad6b7169203331-01"
    private static let noSpan = "00-0af7651916cd43dd8448eb211c80319c-" + String(repeating: "0", count: 16) + "-01"
    private static let forms: [(String, Bool)] = [
        (parent, true), (parent.uppercased(), false), (parent + "-more", false),
        ("01\(parent.dropFirst(2))-more", true),
        ("ff\(parent.dropFirst(2))", false), ("", false), (noTrace, false), (noSpan, false),
    ]

    /// Keeps what it is asked, and answers with one status.
    private final class Network: HTTPTransport {
        private let asked = Lock<[EndpointRequest]>([])
        private let answer: Result<EndpointResponse, TransportFailure>
        init(_ answer: Result<EndpointResponse, TransportFailure>) { self.answer = answer }
        var requests: [EndpointRequest] { asked.withLock { $0 } }
        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            asked.withLock { $0.append(request) }
            return try answer.get()
        }
    }

    private func request(_ text: String) throws -> EndpointRequest {
        EndpointRequest(url: try #require(URL(string: text)), method: .post)
    }

    @Test("The trace of a request reaches the API behind a session, and one that is malformed does not")
    func passedOn() async throws {
        let world = try await SignInWorld()
        let session = try await world.signIn()
        let name = "traceparent"
        _ = try await world.ask(
            .GET,
            "/orders",
            session: session,
            fields: [(name, Self.parent), ("tracestate", "a=b")]
        )
        let first = try #require(world.api.requests.last)
        #expect(first.values(of: name) == [Self.parent] && first.values(of: "tracestate") == ["a=b"])
        _ = try await world.ask(
            .GET,
            "/orders",
            session: session,
            fields: [(name, "00-0-0-01"), ("tracestate", "a=b")]
        )
        let second = try #require(world.api.requests.last)
        #expect(second.values(of: name).isEmpty && second.values(of: "tracestate").isEmpty)
        await world.stop()
    }

    @Test(
        "A trace context is passed on in the form of the specification alone",
        arguments: forms
    )
    func form(text: String, isParent: Bool) { #expect(TraceContextPropagation.isParent(text) == isParent) }

    @Test(
        "A request to an issuer is a span with its path and status, whose context the issuer gets, and without its query"
    )
    func issuer() async throws {
        let tracer = InMemoryTracer()
        let network = Network(.success(EndpointResponse(status: .badRequest)))
        let transport = TracedTransport(network, tracer: tracer)
        _ = try await transport.send(request("https://id.example.com/token?code=secret"))
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.operationName == "POST id.example.com/token" && span.status?.code == .error)
        #expect(!"\(span.attributes)".contains("secret"))
        let fields = try #require(network.requests.first?.fields)
        #expect(fields.contains { $0.name.canonicalName.contains("trace") })
    }

    @Test(
        "A request to an issuer is a span with the name of its purpose and without a token",
        arguments: [
            (["grant_type": "refresh_token", "refresh_token": "secret"], "refresh id.example.com"),
            (["grant_type": "authorization_code", "code": "secret"], "sign-in id.example.com"),
            (["token": "secret", "token_type_hint": "access_token"], "introspection id.example.com"),
            (["token": "secret", "token_type_hint": "refresh_token"], "revocation id.example.com"),
            (["token": "secret"], "POST id.example.com/as"), (["grant_type": "password"], "POST id.example.com/as"),
        ] as [([String: String], String)]
    )
    func purpose(form: [String: String], name: String) async throws {
        let tracer = InMemoryTracer()
        var request = try request("https://id.example.com/as")
        for (name, value) in form { request.form[Parameters.Name(rawValue: name)] = value }
        let network = Network(.success(EndpointResponse()))
        _ = try await TracedTransport(network, tracer: tracer).send(request)
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.operationName == name && !"\(span.attributes)".contains("secret"))
        // The path of an API may name a user, and the service does not know its form.
        _ = try await TracedTransport(network, recordingPaths: false, tracer: tracer).send(request)
        #expect(tracer.finishedSpans.last?.operationName == "POST id.example.com")
    }

    @Test("A call of the store is a span with its operation, and one that fails has the failure")
    func store() async throws {
        let tracer = InMemoryTracer()
        let tracing = SpanSource(tracer).storeCall
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        _ = try await MeasuredServerStore(MemoryServerStore(), tracing: tracing)
            .contains(StoreDigest("test", ["secret"]), now: now)
        tracing("read_session")("unavailable")
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["store find_replay", "store read_session"])
        #expect(spans.first?.status == nil && spans.last?.status?.code == .error)
        #expect("\(spans.last.map(\.attributes) as Any)".contains("unavailable"))
    }

    @Test("A call of the store that fails is a span with the failure and the status of an error")
    func failingStore() async throws {
        let tracer = InMemoryTracer()
        let file = try TemporaryFile()
        let store = try SQLiteServerStore(path: file.path)
        store.close()
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        await #expect(throws: StorageFailure.unavailable) {
            try await MeasuredServerStore(store, tracing: SpanSource(tracer).storeCall)
                .contains(StoreDigest("test", ["secret"]), now: now)
        }
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.operationName == "store find_replay" && span.status?.code == .error)
        #expect("\(span.attributes)".contains("unavailable"))
    }

    @Test("A request whose route fails is a span with status 500 and the status of an error")
    func failingRoute() async throws {
        struct Failure: Error {}
        let tracer = InMemoryTracer()
        let router = Router(context: BackendContext.self)
        router.add(middleware: RequestSpanMiddleware(tracer: tracer))
        router.get("/broken") { _, _ -> Response in throw Failure() }
        router.get("/refused") { _, _ -> Response in throw HTTPError(.forbidden) }
        let ports = Ports()
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { ports.note($0, as: .world) },
            logger: ServiceFixture.quiet
        )
        let task = Task { try await application.run() }
        let port = try #require(await ports.all([.world])?[.world])
        for path in ["broken", "refused"] {
            let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/\(path)?code=secret")
            _ = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        }
        task.cancel()
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["GET /broken", "GET /refused"])
        #expect(spans.map { $0.status?.code == .error } == [true, false])
        #expect(!spans.contains { "\($0.attributes)".contains("secret") })
    }

    @Test("A request to an API is a span without its path, and one that fails has the failure")
    func api() async throws {
        let tracer = InMemoryTracer()
        let transport = TracedTransport(Network(.failure(.timedOut)), recordingPaths: false, tracer: tracer)
        await #expect(throws: TransportFailure.timedOut) {
            _ = try await transport.send(request("https://api.example.com/users/alice"))
        }
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.operationName == "POST api.example.com" && span.status?.code == .error)
        #expect(!"\(span.attributes)".contains("alice"))
    }
}
