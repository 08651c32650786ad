import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("A client that is attested")
struct AttestedClientTests {
    private let attester: Attester
    private let world: World

    init() throws { (world, attester) = try Self.world() }

    private static func world(
        scenario: Scenario = .none,
        _ change: (inout AttestationPolicy) -> Void = { _ in }
    ) throws -> (World, Attester) {
        let clock = TestClock()
        let attester = Attester(clock: clock)
        let world = try World(
            scenario: scenario,
            client: { $0.authenticationMethod = .attestation(attesterKeys: attester.keys) },
            provider: { change(&$0.attestation) },
            clock: clock
        )
        return (world, attester)
    }

    private func instance(_ attester: Attester) throws -> ClientInstance {
        ClientInstance(key: try SigningKey.generate(.es256), attester: attester.attester)
    }

    private func client(_ world: World, _ instance: ClientInstance) throws -> SignInClient {
        try world.client(authentication: .attestation(instance))
    }

    @Test("An attested client signs in, refreshes and signs out with one attestation and a new proof each time")
    func journey() async throws {
        let session = try await client(world, instance(attester)).signIn()
        try await session.refresh()
        try await session.signOut()
        #expect(attester.asked == 1)
        #expect(world.network.count(path: "/challenge") == 1)
        let shown = world.network.requests.filter { ["/token", "/revoke"].contains($0.path) }
        #expect(shown.count == 3)
        #expect(Set(shown.map { $0.request.fields[.clientAttestation] }).count == 1)
        #expect(Set(shown.compactMap { $0.request.fields[.clientAttestationProof] }).count == 3)
        #expect(shown.allSatisfy { $0.request.form[.clientID] == "app" && $0.request.form[.clientSecret] == nil })
    }

    @Test("Every response brings the next challenge, and an old one is retried once")
    func challenges() async throws {
        let session = try await client(world, instance(attester)).signIn()
        world.clock.advance(by: .seconds(10_000))
        try await session.refresh()
        try await session.refresh()
        #expect(world.network.count(path: "/challenge") == 1)
        // The first one after the pause carried a challenge that was too old, and was made again once.
        #expect(world.network.count(path: "/token") == 4)
    }

    /// A request whose first authenticated exchange is that of the code.
    private static let unpushed = AuthorizationRequest(pushing: .never)

    @Test("Without a challenge endpoint the request is repeated with the rejection's challenge")
    func challengeOfARefusal() async throws {
        var scenario = Scenario(name: "no challenge endpoint")
        scenario.metadata = { $0["challenge_endpoint"] = nil }
        let (world, attester) = try Self.world(scenario: scenario)
        _ = try await client(world, instance(attester)).signIn(Self.unpushed)
        #expect(world.network.count(path: "/challenge") == 0)
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test("An attestation is renewed before it expires")
    func renewal() async throws {
        let session = try await client(world, instance(attester)).signIn()
        world.clock.advance(by: .seconds(3_500))
        try await session.refresh()
        #expect(attester.asked == 1)
        world.clock.advance(by: .seconds(71))
        try await session.refresh()
        #expect(attester.asked == 2)
    }

    @Test("use_fresh_attestation renews the attestation once")
    func freshAttestation() async throws {
        let (world, attester) = try Self.world { $0.maximumAttestationAge = .seconds(60) }
        let session = try await client(world, instance(attester)).signIn()
        world.clock.advance(by: .seconds(61))
        try await session.refresh()
        #expect(attester.asked == 2)
        // An attester that gives old ones for new makes no endless loop.
        attester.with { $0.change = { $0["iat"] = 1 } }
        world.clock.advance(by: .seconds(61))
        let before = world.network.count(path: "/token")
        let error = await failure { () throws(SignInError) in try await session.refresh() }
        guard case .refused(let refusal) = error?.reason, refusal.code == .useFreshAttestation else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(world.network.count(path: "/token") == before + 2)
        #expect(session.end == nil)
    }

    @Test("A refresh token is rejected for another instance of the same app")
    func otherInstance() async throws {
        let client = try client(world, instance(attester))
        _ = try await client.signIn()
        let stolen = try #require(try await self.client(world, instance(attester)).restoreSession())
        let error = await failure { () throws(SignInError) in try await stolen.refresh() }
        guard case .refused(let refusal) = error?.reason, refusal.code == .invalidGrant else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("While the attester is unreachable the remaining attestation is used until it expires")
    func unreachableAttester() async throws {
        let unreachable = SignInError(.token, .transport(.unreachable))
        attester.with { $0.failure = unreachable }
        let client = try client(world, instance(attester))
        let error = await failure { () throws(SignInError) in _ = try await client.signIn(Self.unpushed) }
        #expect(error == unreachable)
        attester.with { $0.failure = nil }
        let session = try await client.signIn(Self.unpushed)
        attester.with { $0.failure = unreachable }
        world.clock.advance(by: .seconds(3_580))
        try await session.refresh()
        #expect(attester.asked == 3)
        try await session.refresh()
        #expect(attester.asked == 3)
        world.clock.advance(by: .seconds(25))
        let failed = await failure { () throws(SignInError) in try await session.refresh() }
        #expect(failed == SignInError(.refresh, .transport(.unreachable)))
        #expect(failed?.recovery == .retry && session.end == nil)
    }

    @Test(
        "An attester's refusal at a refresh ends no session, whatever its code",
        .failure("The attester fails at a refresh"),
        arguments: [
            .refused(OAuthError(code: .invalidGrant)), .refused(OAuthError(code: .serverError)), .server(status: 500),
            .transport(.timedOut), .mismatch(.audience),
        ] as [SignInError.Reason]
    )
    func attesterRefuses(_ reason: SignInError.Reason) async throws {
        let session = try await client(world, instance(attester)).signIn(Self.unpushed)
        world.clock.advance(by: .seconds(3_601))
        attester.with { $0.failure = SignInError(.token, reason) }
        let error = await failure { () throws(SignInError) in try await session.refresh() }
        #expect(error?.stage == .refresh && error?.endsSession == false && session.end == nil)
        #expect(attester.asked == 2 && world.network.count(path: "/token") == 1)
        attester.with { $0.failure = nil }
        try await session.refresh()
    }

    @Test("Concurrent requests fetch one attestation")
    func singleFlight() async throws {
        let instance = try instance(attester)
        let client = try client(world, instance)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask { _ = try? await client.introspect(Secret("unknown")) }
            }
        }
        #expect(attester.asked == 1)
    }

    @Test(
        "An attestation with a wrong typ, sub, cnf or exp is refused before it is sent",
        arguments: ["typ", "sub", "cnf", "exp"]
    )
    func unusable(part: String) async throws {
        let other = try SigningKey.generate(.es256).publicKey
        attester.with { state in
            switch part {
            case "typ": state.type = "JWT"
            case "sub": state.change = { $0["sub"] = "another" }
            case "cnf": state.change = { $0["cnf"] = ["jwk": .object(other.jsonObject)] }
            default: state.change = { $0["exp"] = 1 }
            }
        }
        let client = try client(world, instance(attester))
        let error = await failure { () throws(SignInError) in _ = try await client.signIn(Self.unpushed) }
        #expect(error == SignInError(.token, .malformed("the client attestation: \(part)")))
        #expect(world.network.count(path: "/token") == 0)
    }

    @Test("Printing a client shows nothing of its attestation")
    func redaction() async throws {
        let instance = try instance(attester)
        _ = try await client(world, instance).signIn()
        let attestation = try #require(
            world.network.requests.last { $0.path == "/token" }?.request.fields[.clientAttestation]
        )
        var text = ""
        dump(try client(world, instance).client, to: &text)
        #expect(!text.contains(attestation))
    }
}
