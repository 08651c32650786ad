import AsyncHTTPClient
import BackendConnections
import Foundation
import NIOCore
import NIOHTTP1
import OstiaryTesting
import Testing

@testable import Backend

@Suite("Traces of the service", .timeLimit(.minutes(5)))
struct TraceExportTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"

    /// A collector that takes everything.
    private func collector() throws -> LoopbackServer {
        try LoopbackServer { _ in .response(200, ["Content-Type: application/x-protobuf"]) }
    }

    private func world(_ collector: LoopbackServer, _ book: LogBook) async throws -> SignInWorld {
        let member = "\"otlp_endpoint\": \"http://127.0.0.1:\(collector.port)\""
        return try await SignInWorld(
            logger: book.logger,
            changing: .init { $0.replacing("\"listen\":", with: "\(member), \"listen\":") }
        )
    }

    private func bytes(of hexadecimal: String) -> Data {
        var bytes = Data()
        var rest = hexadecimal[...]
        while !rest.isEmpty {
            bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    @Test(
        "The spans of a sign-in and of a forwarded request reach the collector in the request's trace, without a secret"
    )
    func exported() async throws {
        let (collector, book) = (try collector(), LogBook())
        let world = try await world(collector, book)
        let session = try await world.signIn()
        let parent = "00-\(Self.trace)-\(Self.span)-01"
        _ = try await world.ask(.GET, "/orders?name=hidden", session: session, fields: [("traceparent", parent)])
        let passed = try #require(world.api.requests.last?.values(of: "traceparent").first)
        // The API's parent is the service's span in the same trace.
        #expect(passed.hasPrefix("00-\(Self.trace)-") && passed != parent && passed.hasSuffix("-01"))
        await world.stop()
        let heads = collector.requests.map(\.head)
        #expect(!heads.isEmpty && heads.allSatisfy { $0.hasPrefix("POST /v1/traces ") })
        let body = Data(collector.requests.flatMap(\.body))
        #expect(body.range(of: bytes(of: Self.trace)) != nil && body.range(of: bytes(of: Self.span)) != nil)
        let text = String(decoding: body, as: UTF8.self)
        for name in [
            "POST /auth/start", "POST /auth/finish", "sign-in 127.0.0.1", "store insert_session", "GET /orders",
        ] {
            #expect(text.contains(name), "\(name)")
        }
        #expect(text.contains("ostiary-backend"))
        for secret in [session, SignInWorld.clientSecret, "alice", "hidden", "eyJ", "code="] {
            #expect(!text.contains(secret) && !book.text.contains(session), "\(secret)")
        }
        collector.stop()
    }

    @Test(
        "A trace that its sender does not sample is passed on as it came, and a malformed one is not, nor is it logged"
    )
    func unsampled() async throws {
        let (collector, book) = (try collector(), LogBook())
        let world = try await world(collector, book)
        let session = try await world.signIn()
        let parent = "00-\(Self.trace)-\(Self.span)-00"
        _ = try await world.ask(.GET, "/orders", session: session, fields: [("traceparent", parent)])
        #expect(world.api.requests.last?.values(of: "traceparent") == [parent])
        _ = try await world.ask(.GET, "/orders", session: session, fields: [("traceparent", "00-0-0-01")])
        let other = try #require(world.api.requests.last?.values(of: "traceparent").first)
        #expect(other.wholeMatch(of: /00-[0-9a-f]{32}-[0-9a-f]{16}-01/) != nil && !other.contains(Self.trace))
        await world.stop()
        #expect(Data(collector.requests.flatMap(\.body)).range(of: bytes(of: Self.trace)) == nil)
        #expect(!book.text.contains("extract") && !book.text.contains(session))
        collector.stop()
    }

    @Test("The trace of a request reaches the API behind a session, and one that is malformed does not")
    func passedOn() async throws {
        let world = try await SignInWorld()
        let session = try await world.signIn()
        let (name, parent) = ("traceparent", "00-\(Self.trace)-\(Self.span)-01")
        _ = try await world.ask(
            .GET,
            "/orders",
            session: session,
            fields: [(name, parent), ("tracestate", "a=b")]
        )
        let first = try #require(world.api.requests.last)
        #expect(first.values(of: name) == [parent] && first.values(of: "tracestate") == ["a=b"])
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

    @Test("Two tracestate fields are passed on as one list, and of two traceparent fields neither is")
    func repeated() async throws {
        let world = try await SignInWorld()
        let session = try await world.signIn()
        let parent = ("traceparent", "00-\(Self.trace)-\(Self.span)-01")
        let states = [("tracestate", "a=b"), ("tracestate", "c=d,e=f")]
        _ = try await world.ask(.GET, "/orders", session: session, fields: [parent] + states)
        #expect(try #require(world.api.requests.last).values(of: "tracestate") == ["a=b,c=d,e=f"])
        _ = try await world.ask(.GET, "/orders", session: session, fields: [parent, parent] + states)
        let second = try #require(world.api.requests.last)
        #expect(second.values(of: "traceparent").isEmpty && second.values(of: "tracestate").isEmpty)
        await world.stop()
    }

    @Test("A collector that is away costs no request, and is a line of the log")
    func away() async throws {
        let (collector, book) = (try collector(), LogBook())
        let world = try await world(collector, book)
        collector.stop()
        #expect(try await world.ask(.GET, "/health").status == 200)
        await world.stop()
        #expect(book.text.contains("Failed to export batch"))
    }

    @Test("The standard variable names a collector for the program, and without it or the member nothing is exported")
    func program() async throws {
        let collector = try collector()
        let address = "http://127.0.0.1:\(collector.port)"
        let cases: [([String: String], Bool)] = [([:], false), (["OTEL_EXPORTER_OTLP_ENDPOINT": address], true)]
        for (environment, isExported) in cases {
            let process = try await BackendProcess(environment: environment)
            let request = HTTPClientRequest(url: "http://127.0.0.1:\(process.port)/health")
            #expect(try await HTTPClient.shared.execute(request, timeout: .seconds(30)).status == .ok)
            process.terminate()
            #expect(await process.status() == 0)
            // To the end of its log: the pipe must not be closed while it is read.
            #expect(await !process.waits(for: "\u{0}"))
            #expect(collector.requests.isEmpty != isExported)
        }
        collector.stop()
    }

    @Test(
        "Tracing is off without a collector or with OTEL_SDK_DISABLED, and on with a member or variable",
        arguments: [
            ("", [:], false), ("", ["OTEL_EXPORTER_OTLP_ENDPOINT": ""], false),
            ("", ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://a:4318"], true),
            ("", ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://a/v1/traces"], true),
            (#""otlp_endpoint": "http://a:4318","#, [:], true),
            (#""otlp_endpoint": "http://a:4318","#, ["OTEL_SDK_DISABLED": "true"], false),
        ] as [(String, [String: String], Bool)]
    )
    func choice(members: String, environment: [String: String], isOn: Bool) throws {
        let configuration = try ServiceFixture.configuration(members)
        let tracing = try ServiceTracing.otlp(configuration, environment: environment, logger: ServiceFixture.quiet)
        #expect((tracing != nil) == isOn)
    }

    @Test(
        "An endpoint that is no URL of HTTP, or another protocol, is refused with the name of its member or variable",
        arguments: [
            (#""otlp_endpoint": "collector:4317","#, [:], "otlp_endpoint", "http://"),
            ("", ["OTEL_EXPORTER_OTLP_ENDPOINT": "collector"], "OTEL_EXPORTER_OTLP_ENDPOINT", "http://"),
            (
                #""otlp_endpoint": "http://a:4318","#, ["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"],
                "OTEL_EXPORTER_OTLP_PROTOCOL", "4318"
            ),
        ] as [(String, [String: String], String, String)]
    )
    func refused(members: String, environment: [String: String], member: String, sentence: String) {
        let error = #expect(throws: BackendConfigurationError.self) {
            _ = try ServiceTracing.otlp(
                ServiceFixture.configuration(members),
                environment: environment,
                logger: ServiceFixture.quiet
            )
        }
        #expect(error?.member == member && error?.sentence.contains(sentence) == true)
    }
}
