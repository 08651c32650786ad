import Foundation
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("The replay store in memory")
struct LocalReplayStoreTests {
    private let store = LocalReplayStore()
    private let owner = StoreDigest("owner", ["one"])

    private func name(_ text: String) -> StoreDigest { StoreDigest("proof", [text]) }

    @Test("A replay entry with an infinite expiry is remembered, and one that expired long ago is not")
    func unreasonable() {
        for (number, seconds) in [1e300, .infinity].enumerated() {
            let expiry = Date(timeIntervalSince1970: seconds)
            let name = name("late \(number)")
            #expect(store.insertNow(name, owner: owner, until: expiry, now: Fixtures.now) == .inserted)
            #expect(store.insertNow(name, owner: owner, until: expiry, now: Fixtures.now) == .replayed)
        }
        for (number, seconds) in [-1e300, -.infinity, .nan].enumerated() {
            let expiry = Date(timeIntervalSince1970: seconds)
            _ = store.insertNow(name("early \(number)"), owner: owner, until: expiry, now: Fixtures.now)
        }
        // The next one looks through all that has expired, however long ago.
        let soon = Fixtures.now.addingTimeInterval(60)
        #expect(store.insertNow(name("next"), owner: owner, until: soon, now: Fixtures.now) == .inserted)
        #expect(store.count == 3)
        let later = Fixtures.now.addingTimeInterval(61)
        #expect(store.insertNow(name("last"), owner: owner, until: later, now: later) == .inserted)
        #expect(store.count == 3)
    }

    @Test("A logout token without a finite expiry is accepted once")
    func endless() async throws {
        let transport = ScriptedTransport()
        let verifier = LogoutTokenVerifier(
            keys: try KeySource(issuer: Fixtures.issuer, transport: transport, clock: Fixtures.clock),
            clientID: "app",
            replays: store,
            clock: Fixtures.clock
        )
        let token = Secret(
            try Fixtures.key.sign(
                claims: [
                    "iss": .string(Fixtures.issuerText), "aud": "app", "iat": .integer(Fixtures.time),
                    "exp": .number(1e300), "jti": "one", "sub": "alice",
                    "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
                ],
                type: "logout+jwt"
            )
        )
        #expect(try await verifier.verify(token).subject == "alice")
        await #expect(throws: LogoutTokenFailure.refused(.replayed)) { try await verifier.verify(token) }
    }
}
