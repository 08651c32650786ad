import Foundation
import HTTPTypes
import InMemoryTracing
import NIOHTTP1
import OstiaryServer
import OstiaryTesting
import OstiaryVapor
import Testing
import Tracing
import Vapor

@Suite("Spans on Vapor", .timeLimit(.minutes(5)))
struct TracingTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"

    private let tracer = TraceContextTracer()
    private let world: VaporWorld

    init() throws { world = try VaporWorld(tracer: tracer) }

    private func serve(_ body: (VaporClient) async throws -> Void) async throws {
        let (web, sessions, tracer) = (world.web, world.sessions, tracer)
        try await world.serve(
            { app in
                app.middleware.use(RequestSpanMiddleware(tracer: tracer))
                app.add(web, at: "/web", sender: { $0.remoteAddress?.ipAddress })
                app.grouped(BrowserSessionMiddleware(web)).get("orders", ":id") { request in
                    _ = try await sessions.accessToken(of: request.auth.require(ServerSession.self))
                    return "served"
                }
                app.get("gone") { _ -> String in throw Abort(.gone) }
                app.get("broken") { _ -> String in throw CancellationError() }
            },
            body
        )
    }

    /// The only span of a name among those that ended since the last call of `popFinishedSpans()`.
    private func only(_ name: String, in spans: [FinishedInMemorySpan]) throws -> FinishedInMemorySpan {
        let found = spans.filter { $0.operationName == name }
        try #require(found.count == 1, "\(name) of \(spans.map(\.operationName))")
        return found[0]
    }

    private func traceParent(_ span: FinishedInMemorySpan) -> String { "00-\(span.traceID)-\(span.spanID)-01" }

    @Test(
        "The spans of a sign-in and of a refresh belong to the request that caused them, and the issuer gets their context"
    )
    func family() async throws {
        let world = world
        try await serve { client in
            let cookie = try await world.signIn(client)
            let signIn = tracer.spans.popFinishedSpans()
            let callback = try only("GET /web/callback", in: signIn)
            let redemption = try only("sign-in id.example.test", in: signIn)
            let stored = try only("store insert_session", in: signIn)
            for span in [redemption, stored] {
                #expect(span.parentSpanID == callback.spanID && span.traceID == callback.traceID)
            }
            #expect(world.tokenRequestTraceParent == traceParent(redemption))

            world.clock.advance(by: .seconds(900))
            let orders: HTTPHeaders = [
                "cookie": cookie, "sec-fetch-site": "same-origin", "traceparent": "00-\(Self.trace)-\(Self.span)-01",
            ]
            #expect(try await client.send(.GET, "/orders/number-7?name=hidden", orders).text == "served")
            let refresh = tracer.spans.popFinishedSpans()
            let request = try only("GET /orders/:id", in: refresh)
            #expect(request.traceID == Self.trace && request.parentSpanID == Self.span)
            let renewal = try only("refresh id.example.test", in: refresh)
            for span in [renewal, try only("store mark_lease", in: refresh)] {
                #expect(span.parentSpanID == request.spanID && span.traceID == Self.trace)
            }
            #expect(world.tokenRequestTraceParent == traceParent(renewal))

            let text = (signIn + refresh).map { "\($0.operationName) \($0.attributes)" }.joined(separator: " ")
            let handle = try #require(cookie.split(separator: "=").last)
            for secret in [String(handle), "a secret", "eyJ", "code=", "alice", "hidden", "number-7"] {
                #expect(!text.contains(secret), "\(secret)")
            }
        }
    }

    @Test("A route's error is in the span of its request with its status, and 500 has the status of an error")
    func failures() async throws {
        try await serve { client in
            for path in ["gone", "broken", "missing"] { _ = try await client.send(.GET, "/\(path)?code=secret") }
            let spans = tracer.spans.popFinishedSpans()
            #expect(spans.map(\.operationName) == ["GET /gone", "GET /broken", "GET unknown"])
            #expect(spans.map { $0.attribute("http.response.status_code") } == [410, 500, 404])
            #expect(spans.map { $0.status?.code == .error } == [false, true, false])
            #expect(spans.map { $0.attribute("error.type") } == [nil, "500", nil])
            #expect(!spans.contains { "\($0.attributes)".contains("secret") })
        }
    }

    @Test("A request whose client sends no usable context, or two, begins a trace of its own")
    func ownTrace() async throws {
        let parent = "00-\(Self.trace)-\(Self.span)-01"
        try await serve { client in
            for values in [[], ["00-0-0-01"], [parent, parent]] {
                let headers = HTTPHeaders(values.map { ("traceparent", $0) })
                #expect(try await client.send(.GET, "/gone", headers).status == .gone)
                let span = try only("GET /gone", in: tracer.spans.popFinishedSpans())
                #expect(span.parentSpanID == nil && span.traceID != Self.trace)
            }
        }
    }
}

extension FinishedInMemorySpan {
    fileprivate func attribute(_ name: String) -> SpanAttribute? { attributes.get(name) }
}

/// A tracer in memory whose context is passed on as `traceparent`. (W3C Trace Context, section 3.2)
struct TraceContextTracer: Tracer {
    let spans = InMemoryTracer(idGenerator: .init(nextTraceID: { hexadecimal(32) }, nextSpanID: { hexadecimal(16) }))

    private static func hexadecimal(_ count: Int) -> String {
        String(UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(count))
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> InMemorySpan {
        spans.startSpan(
            operationName,
            context: context(),
            ofKind: kind,
            at: instant(),
            function: function,
            file: fileID,
            line: line
        )
    }

    func forceFlush() { spans.forceFlush() }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let span = context.inMemorySpanContext else { return }
        injector.inject("00-\(span.traceID)-\(span.spanID)-01", forKey: "traceparent", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let parts = extractor.extract(key: "traceparent", from: carrier)?.split(separator: "-") else { return }
        context.inMemorySpanContext = InMemorySpanContext(
            traceID: String(parts[1]),
            spanID: String(parts[2]),
            parentSpanID: nil
        )
    }
}
