import Foundation
import OstiaryJOSE
import Testing

@testable import OstiaryOAuth

@Suite("The keys of one issuer", .timeLimit(.minutes(5)))
struct IssuerKeysTests {
    /// Holds each request until the test lets them go.
    private final class Gate: HTTPTransport {
        private let arrivals = AsyncStream<Void>.makeStream()
        private let gate = AsyncStream<Void>.makeStream()

        /// Waits until a request is being held.
        func arrival() async { for await _ in arrivals.stream { return } }
        /// Lets every request go.
        func open() { gate.continuation.finish() }

        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            arrivals.continuation.yield()
            for await _ in gate.stream {}
            throw .unreachable
        }
    }

    @Test("A cancelled caller does not wait for a fetch that began before its token came")
    func cancelled() async {
        let gate = Gate()
        let context = ExchangeContext()
        let metadata = IssuerMetadata(
            issuer: Fixtures.issuer,
            server: Fixtures.server,
            transport: gate,
            context: context,
            now: { Fixtures.now }
        )
        let keys = IssuerKeys(metadata: metadata, transport: gate, context: context, now: { Fixtures.now })
        let first = Task { try? await keys.warm() }
        await gate.arrival()
        let caller = Task { () async -> SignInError? in
            await failure { () async throws(SignInError) in _ = try await keys.keys(afterFetches: keys.fetches) }
        }
        caller.cancel()
        #expect(await caller.value == SignInError(.keys, .cancelled))
        gate.open()
        await first.value
    }
}
