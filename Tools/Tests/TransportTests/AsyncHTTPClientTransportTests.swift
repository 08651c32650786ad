import AsyncHTTPClient
import OstiaryAsyncHTTPClient
import OstiaryTesting
import Testing

@Suite("The transport on AsyncHTTPClient")
struct AsyncHTTPClientTransportTests {
    @Test(
        "The AsyncHTTPClient transport keeps every promise of a transport",
        arguments: HTTPTransportCheck.Promise.allCases
    )
    func promise(_ promise: HTTPTransportCheck.Promise) async throws {
        try await HTTPTransportCheck { AsyncHTTPClientTransport() }.run(promise)
    }

    @Test("The client's own tracing is off, so that a transport that traces sends the only traceparent")
    func tracing() {
        _ = AsyncHTTPClientTransport { configuration in #expect(configuration.tracing.tracer == nil) }
    }
}
