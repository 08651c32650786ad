import HTTPTypes
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("The check of a guarded route")
struct GuardedRouteCheckTests {
    private func check(_ policy: AccessTokenPolicy) throws -> GuardedRouteCheck {
        let keys = try KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport(), clock: Fixtures.clock)
        let resource = try ProtectedResource(policy: policy, keys: keys, clock: Fixtures.clock)
        return GuardedRouteCheck(
            issuer: Fixtures.issuer,
            audience: Fixtures.audience,
            scopes: ["orders:read"],
            key: Fixtures.key,
            clock: Fixtures.clock
        ) { fields in
            switch await resource.authorize(fields: fields) {
            case .granted: GuardedRouteCheck.Answer(status: .ok, fields: [:])
            case .refused(let refusal): GuardedRouteCheck.Answer(status: refusal.status, fields: refusal.fields)
            }
        }
    }

    @Test("A guarded route of the library passes its contract check")
    func kept() async throws { try await check(Fixtures.policy()).run() }

    @Test("A route without a required scope fails its contract check with the promise's name")
    func broken() async throws {
        let check = try check(Fixtures.policy(scopes: []))
        do {
            try await check.run()
            Issue.record("Nothing was found.")
        } catch let error as BrokenPromise {
            #expect(error.promise == "A token without a scope that is needed is refused.")
        }
    }
}
