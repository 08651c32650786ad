import Foundation
import OstiaryCompatibility
import OstiaryOAuth
import OstiaryTesting
import Testing

@testable import OstiaryServer

@Suite("Senders who ask too often")
struct SenderLimitTests {
    /// Counts what it is asked.
    private final class Store: RateLimitStore {
        private let inner = MemoryServerStore()
        private let count = Lock(0)
        var asked: Int { count.withLock { $0 } }

        func take(_ limit: RateLimit, for name: StoreDigest, now: Date) async throws(StorageFailure) -> RateLimitAnswer
        {
            count.withLock { $0 += 1 }
            return try await inner.take(limit, for: name, now: now)
        }
    }

    @Test("A limited sender is refused again without the store until its time is over, and others are not")
    func remembered() async throws {
        let clock = TestClock()
        let sessions = ServerSessions(
            client: try Client(id: "a", redirectURI: RedirectURI("a.b:/c")),
            keys: try KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport()),
            store: MemoryServerStore(),
            sealing: SealingKeys(try .random()),
            dpop: try ProofChecking(origins: [ExternalOrigin(Fixtures.audience)], replays: LocalReplayStore()),
            transport: ScriptedTransport(),
            clock: clock.device
        )
        let store = Store()
        let (one, other) = (StoreDigest("sender", ["one"]), StoreDigest("sender", ["other"]))
        let limit = RateLimit(1, per: .seconds(60))
        #expect(try await sessions.wait(limit, for: one, in: store) == nil)
        for _ in 0..<1000 { #expect(try await sessions.wait(limit, for: one, in: store) != nil) }
        #expect(store.asked == 2)
        #expect(try await sessions.wait(limit, for: other, in: store) == nil)
        clock.advance(by: .seconds(61))
        #expect(try await sessions.wait(limit, for: one, in: store) == nil)
        #expect(store.asked == 4)
    }
}
