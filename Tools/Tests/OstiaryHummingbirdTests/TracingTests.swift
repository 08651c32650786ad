import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemoryTracing
import OstiaryCompatibility
import OstiaryHummingbird
import OstiaryOAuth
import Testing
import Tracing

@Suite("Spans of the backend kit", .timeLimit(.minutes(5)))
struct TracingTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    private static let noTrace = "00-" + String(repeating: "0", count: 32) + "-b7ad6b7169203331-01"
    private static let noSpan = "00-0af7651916cd43dd8448eb211c80319c-" + String(repeating: "0", count: 16) + "-01"
    private static let forms: [(String, Bool)] = [
        (parent, true), (parent.uppercased(), false), (parent + "-more", false),
        ("01\(parent.dropFirst(2))-more", true),
        ("ff\(parent.dropFirst(2))", false), ("", false), (noTrace, false), (noSpan, false),
        ("01\(parent.dropFirst(2))-" + String(repeating: "a", count: 512), false),
    ]

    /// Keeps the requests, and responds to all of them in the same way.
    private final class Network: HTTPTransport {
        private let received = Lock<[EndpointRequest]>([])
        private let answer: Result<EndpointResponse, TransportFailure>
        init(_ answer: Result<EndpointResponse, TransportFailure>) { self.answer = answer }
        var requests: [EndpointRequest] { received.withLock { $0 } }
        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            received.withLock { $0.append(request) }
            return try answer.get()
        }
    }

    /// Replays and limits of a store that is unavailable.
    private struct Unavailable: ReplayStore, RateLimitStore {
        func insert(
            _ identifier: StoreDigest,
            owner: StoreDigest,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> ReplayAnswer { throw .unavailable }
        func contains(_ identifier: StoreDigest, now: Date) async throws(StorageFailure) -> Bool { throw .unavailable }
        func take(
            _ limit: RateLimit,
            for name: StoreDigest,
            now: Date
        ) async throws(StorageFailure) -> RateLimitAnswer { throw .unavailable }
    }

    private struct Fields: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    }

    private func request(_ text: String) throws -> EndpointRequest {
        EndpointRequest(url: try #require(URL(string: text)), method: .post)
    }

    @Test("A trace context is passed on unchanged, and only in the form of its specification", arguments: forms)
    func propagation(text: String, isParent: Bool) {
        let instrument = TraceContextPropagation()
        let received = ["traceparent": text, "tracestate": "a=b", "authorization": "secret"]
        var (context, sent) = (ServiceContext.topLevel, [String: String]())
        instrument.extract(received, into: &context, using: Fields())
        instrument.inject(context, into: &sent, using: Fields())
        #expect(sent == (isParent ? ["traceparent": text, "tracestate": "a=b"] : [:]))
    }

    @Test(
        "A request to an issuer is a span with its path and status, whose context the issuer gets, and without its query"
    )
    func issuer() async throws {
        let tracer = InMemoryTracer()
        let network = Network(.success(EndpointResponse(status: .badRequest)))
        let transport = TracedTransport(network, tracer: tracer)
        _ = try await transport.send(request("https://id.example.com/token?code=secret"))
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.operationName == "POST id.example.com/token" && span.kind == .client)
        #expect(span.status?.code == .error && span.attribute("error.type") == "400")
        #expect(!"\(span.attributes)".contains("secret"))
        let fields = try #require(network.requests.first?.fields)
        let name = try #require(HTTPField.Name(InMemoryTracer.spanIDKey))
        #expect(fields[name] == span.spanID)
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
        #expect(span.status == nil && span.attribute("error.type") == nil)
        // The path of an API may name a user, and the kit does not know its form.
        _ = try await TracedTransport(network, to: .apis, tracer: tracer).send(request)
        #expect(tracer.finishedSpans.last?.operationName == "POST id.example.com")
    }

    @Test("A request to an API is a span without its path, and one that fails has the failure")
    func api() async throws {
        let tracer = InMemoryTracer()
        let transport = TracedTransport(Network(.failure(.timedOut)), to: .apis, tracer: tracer)
        await #expect(throws: TransportFailure.timedOut) {
            _ = try await transport.send(request("https://api.example.com/users/alice"))
        }
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.operationName == "POST api.example.com" && span.status?.code == .error)
        #expect(span.attribute("error.type") == "timedOut" && !"\(span.attributes)".contains("alice"))
    }

    @Test("A call of the store is a span with its operation, and one that fails has the failure")
    func store() async throws {
        let tracer = InMemoryTracer()
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let name = StoreDigest("test", ["secret"])
        _ = try await MeasuredServerStore(MemoryServerStore(), tracer: tracer).contains(name, now: now)
        let failing = MeasuredServerStore(MemoryServerStore(), replaysAndLimits: Unavailable(), tracer: tracer)
        await #expect(throws: StorageFailure.unavailable) { try await failing.contains(name, now: now) }
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["store find_replay", "store find_replay"])
        #expect(spans.map { $0.status?.code } == [nil, .error] && spans.allSatisfy { $0.kind == .client })
        #expect(spans.map { $0.attribute("error.type") } == [nil, "unavailable"])
    }

    @Test("A request is a span with its mounted path and status, and one that a route fails has the status of an error")
    func served() async throws {
        struct Failure: Error {}
        let tracer = InMemoryTracer()
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: RequestSpanMiddleware(tracer: tracer))
        router.get("/users/{id}") { _, _ in "alice" }
        router.get("/broken") { _, _ -> Response in throw Failure() }
        router.get("/refused") { _, _ -> Response in throw HTTPError(.forbidden) }
        try await Application(router: router).test(.router) { client in
            for path in ["users/alice", "broken", "refused", "missing"] {
                _ = try? await client.execute(uri: "/\(path)?code=secret", method: .get)
            }
        }
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["GET /users/{id}", "GET /broken", "GET /refused", "GET unknown"])
        #expect(spans.map { $0.attribute("http.response.status_code") } == [200, 500, 403, 404])
        #expect(spans.map { $0.status?.code == .error } == [false, true, false, false])
        #expect(spans[1].attribute("error.type") == "500" && spans.allSatisfy { $0.kind == .server })
        #expect(!spans.contains { ["secret", "alice"].contains(where: "\($0.attributes)".contains) })
    }
}

extension FinishedInMemorySpan {
    fileprivate func attribute(_ name: String) -> SpanAttribute? { attributes.get(name) }
}
