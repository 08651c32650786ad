import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Scenarios by the number of a request")
struct ScenarioTurnTests {
    private func world(_ turns: String..., change: (inout ProviderConfiguration) -> Void = { _ in }) throws -> World {
        let turns = try turns.map { (text) throws(ScenarioTurn.Failure) in try ScenarioTurn(text) }
        return try World {
            $0.scenarioTurns = turns
            change(&$0)
        }
    }

    @Test("The second token request fails with 503 before its code is used, and the third one redeems it")
    func secondTokenRequest() async throws {
        let world = try world("token:2=status-503")
        let first = try await world.code()
        let second = try await world.code()
        #expect(await world.post("/token", .codeGrant(first)).status == .ok)
        let failed = await world.post("/token", .codeGrant(second))
        #expect(failed.status == .serviceUnavailable && failed.fields[.retryAfter] == "1")
        #expect(await world.post("/token", .codeGrant(second)).status == .ok)
    }

    @Test("A range of requests plays a scenario, and requests at other endpoints do not count")
    func range() async throws {
        let world = try world("jwks:2-3=status-500", ".well-known/openid-configuration:1=status-404")
        let path = "/.well-known/openid-configuration"
        #expect(await world.get(path).status == .notFound)
        #expect(await world.get(path).status == .ok)
        var statuses: [Int] = []
        for _ in 0..<4 { statuses.append(await world.get("/jwks").status.code) }
        #expect(statuses == [200, 500, 500, 200])
    }

    @Test("A named fault of the ID token is played at one token request alone")
    func namedFault() async throws {
        let world = try world("token:1=\(Scenario.invalidNonce.name)")
        var nonces: [String?] = []
        for _ in 0..<2 {
            let tokens = try await world.tokens()
            nonces.append(try await world.verifiedClaims(try #require(tokens.id))["nonce"]?.string)
        }
        #expect(nonces[0] != "the-nonce" && nonces[1] == "the-nonce")
    }

    @Test("A scenario that a request chooses goes before that of its number")
    func chosen() async throws {
        let world = try world("jwks:1=status-500") { $0.scenarioChoice = .byRequest }
        let field = HTTPField.Name("Ostiary-Scenario") ?? .origin
        #expect(await world.get("/jwks", fields: [field: "status-410"]).status == .gone)
        #expect(await world.get("/jwks").status == .ok)
    }

    @Test("A request with a method that the endpoint lacks does not count")
    func otherMethod() async throws {
        let world = try world("token:1=status-503")
        #expect(await world.get("/token").status == .methodNotAllowed)
        #expect(await world.post("/token", .codeGrant("x")).status == .serviceUnavailable)
    }

    @Test("A HEAD request does not count")
    func head() async throws {
        let world = try world("jwks:1=status-503")
        #expect(await world.send(.head, "/jwks").status == .ok)
        #expect(await world.get("/jwks").status == .serviceUnavailable)
    }

    @Test(
        "A text that is no turn of a scenario is refused with the part that is wrong",
        arguments: [
            ("token", ScenarioTurn.Failure.form), ("token:2", .form), ("tokens:2=status-503", .endpoint("tokens")),
            ("token:0=status-503", .requests), ("token:3-2=status-503", .requests), ("token:=status-503", .requests),
            ("token:1-2-3=status-503", .requests), ("token:2=status-200", .scenario("status-200")),
            ("token:2=status-+50", .scenario("status-+50")), ("token:2=unheard-of", .scenario("unheard-of")),
        ]
    )
    func wrongText(text: String, failure: ScenarioTurn.Failure) {
        #expect(throws: failure) { try ScenarioTurn(text) }
    }

    @Test(
        "A turn of a scenario is described as it is written",
        arguments: ["token:2=status-503", "jwks:1-3=unavailable"]
    )
    func description(text: String) throws {
        #expect(try ScenarioTurn(text).description == text)
    }
}
