import Foundation
import HTTPTypes
import Ostiary
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("A session that is bound to a key")
struct BoundSessionTests {
    @Test(
        "A bound session keeps its key at user info, refresh and restart",
        arguments: [Scenario.none, .rotatingNonces]
    )
    func bound(scenario: Scenario) async throws {
        let world = try World(scenario: scenario, client: { $0.requiresDPoP = true })
        let session = try await world.client(senderConstraint: .dpop).signIn()
        #expect(session.tokenType == "DPoP")
        _ = try await session.userInfo()
        try await session.refresh()
        let restored = try #require(try await world.client(senderConstraint: .dpop).restoreSession())
        #expect(restored.tokenType == "DPoP")
        try await restored.refresh()
        _ = try await restored.userInfo()
        #expect(restored.identity?.subject == "alice-subject")
    }

    @Test("Two bound sessions have two keys")
    func keys() async throws {
        let world = try World()
        let client = try world.client(senderConstraint: .dpop)
        _ = try await client.signIn()
        _ = try await client.signIn()
        let announced = world.network.requests.filter { $0.path == "/par" }.compactMap { $0.request.form["dpop_jkt"] }
        #expect(Set(announced).count == 2)
    }

    @Test("A bearer token in response to a proof is rejected, at sign-in and at refresh")
    func downgrade() async throws {
        let world = try World(scenario: .bearerDowngrade)
        let client = try world.client(senderConstraint: .dpop)
        let error = await failure { () throws(SignInError) in _ = try await client.signIn() }
        #expect(error == SignInError(.token, .mismatch(.tokenType)))
        #expect(try await client.restoreSession() == nil)
        var later = Scenario(name: "bearer at refresh")
        later.tokenResponse = { response, occasion in
            if occasion == .refreshToken { response["token_type"] = "Bearer" }
        }
        let second = try World(scenario: later)
        let session = try await second.client(senderConstraint: .dpop).signIn()
        let refusal = await failure { () throws(SignInError) in try await session.refresh() }
        #expect(refusal == SignInError(.refresh, .mismatch(.tokenType)))
        #expect(session.end == nil)
        #expect(try await second.client(senderConstraint: .dpop).restoreSession() != nil)
    }

    @Test(
        "Endless nonce challenges fail after the second request",
        arguments: [(Scenario.endlessNonceChallenges, 2), (.hugeNonce, 1), (.challengeWithoutNonce, 1)]
    )
    func unsatisfied(scenario: Scenario, count: Int) async throws {
        let world = try World(scenario: scenario)
        let client = try world.client(senderConstraint: .dpop)
        let error = await failure { () throws(SignInError) in _ = try await client.signIn() }
        guard case .refused(let refusal) = error?.reason, refusal.code == .useDPoPNonce else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(world.network.count(path: "/token") == count)
    }

    @Test("A device whose clock is 14 minutes fast signs in, and the offset is reported once")
    func clock() async throws {
        let world = try World(client: { $0.requiresDPoP = true })
        let clock = world.clock
        let fast = DeviceClock(
            now: { clock.now.addingTimeInterval(840) },
            uptime: { clock.now.timeIntervalSince1970 }
        )
        let client = try world.client(senderConstraint: .dpop, device: fast)
        let session = try await client.signIn()
        #expect(session.identity?.subject == "alice-subject")
        #expect(world.network.count(path: "/token") == 1)
        #expect(client.clockOffset?.description == "The clock of this device is 14 minutes fast.")
        try await session.refresh()
        let told = world.events.events.filter { if case .clockIsWrong = $0 { true } else { false } }
        #expect(told.count == 1)
        // What was renewed counts from the server's time, too.
        let token = try await session.accessToken()
        world.clock.advance(by: .seconds(600))
        #expect(try await session.accessToken() == token)
        world.clock.advance(by: .seconds(290))
        #expect(try await session.accessToken() != token)
    }

    @Test("A device whose clock is a day slow takes no ID token for valid that has expired")
    func slowClock() async throws {
        let world = try World(scenario: .expired)
        let clock = world.clock
        let slow = DeviceClock(
            now: { clock.now.addingTimeInterval(-80_000) },
            uptime: { clock.now.timeIntervalSince1970 }
        )
        let client = try world.client(device: slow)
        let error = await failure { () throws(SignInError) in _ = try await client.signIn() }
        #expect(error == SignInError(.identity, .mismatch(.expiry)))
    }
}
