import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("A refresh whose answer may not be used")
struct RefreshKeptTests {
    /// A way in which an answer to a refresh is wrong, without being about another session.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let error: SignInError
        var claim: @Sendable (inout TokenDraft) -> Void = { _ in }
        var member: @Sendable (inout JSONObject) -> Void = { _ in }

        var testDescription: String { name }

        static func idToken(
            _ name: String,
            _ check: SignInError.Check,
            _ change: @escaping @Sendable (inout TokenDraft) -> Void
        ) -> Fault {
            Fault(name: name, error: SignInError(.identity, .mismatch(check)), claim: change)
        }
    }

    private static let faults: [Fault] = [
        .idToken("aud", .audience) { $0.claims["aud"] = "other" },
        .idToken("a second aud", .audience) { $0.claims["aud"] = ["app", "api"] },
        .idToken("azp", .authorizedParty) { $0.claims["azp"] = "app" },
        .idToken("nonce", .nonce) { $0.claims["nonce"] = "other" },
        .idToken("auth_time", .authenticationTime) { $0.claims["auth_time"] = 1 },
        .idToken("at_hash", .accessTokenHash) { $0.claims["at_hash"] = "other" },
        .idToken("exp", .expiry) { $0.claims["exp"] = nil },
        .idToken("iat", .issuedAt) { $0.claims["iat"] = nil },
        .idToken("signature", .signature) { $0.signature = .damaged },
        .idToken("alg", .algorithm) { $0.header["alg"] = "none" },
        Fault(
            name: "token_type",
            error: SignInError(.refresh, .mismatch(.tokenType)),
            member: { $0["token_type"] = "mac" }
        ),
        Fault(
            name: "access_token",
            error: SignInError(.refresh, .malformed("the token response's access_token")),
            member: { $0["access_token"] = nil }
        ),
        Fault(
            name: "id_token",
            error: SignInError(.identity, .malformed("the token is not a JSON Web Token")),
            member: { $0["id_token"] = "x" }
        ),
    ]

    /// A provider whose refreshes fail by a fault until it is put right.
    private static func world(_ fault: Fault) throws -> (World, Switch) {
        let fails = Switch()
        let scenario = Scenario(name: fault.name) { scenario in
            scenario.idToken = { if fails.isOn { fault.claim(&$0) } }
            scenario.tokenResponse = { response, _ in if fails.isOn { fault.member(&response) } }
        }
        return (try World(scenario: scenario), fails)
    }

    @Test(
        "The refresh token of a response that fails a check is kept, and no token is handed out until one passes",
        .failure("The response to a refresh fails a check"),
        arguments: faults
    )
    func kept(_ fault: Fault) async throws {
        let (world, fails) = try Self.world(fault)
        let session = try await world.client().signIn()
        let tokens = session.tokens
        fails.set(true)
        for _ in 0..<2 {
            world.clock.advance(by: .seconds(60))
            #expect(await failure { () throws(SignInError) in try await session.refresh() } == fault.error)
        }
        #expect(session.tokens == tokens && session.end == nil)
        #expect(session.state == .stale(fault.error))
        // So does another process, with keys that it has yet to fetch.
        let next = try #require(try await world.client().restoreSession())
        #expect(await failure { () throws(SignInError) in try await next.refresh() } == fault.error)
        fails.set(false)
        try await session.refresh()
        try await next.refresh()
        #expect(session.end == nil && next.end == nil && session.state == .active)
    }

    @Test(
        "A server that moves auth_time, repeats the nonce, or changes a key or an algorithm renews sessions",
        .failure("The server changes its keys, its algorithm or auth_time"),
        arguments: [
            Scenario.refreshLaterAuthenticationTime, .refreshRepeatedNonce, .refreshKeyUnderOldKeyID,
            .refreshKeyReplaced, .refreshOtherAlgorithm,
        ],
        [true, false]
    )
    func manners(_ scenario: Scenario, _ isRestarted: Bool) async throws {
        let world = try World(scenario: scenario, provider: { $0.signingAlgorithms = [.es256, .edDSA] })
        var session = try await world.client().signIn()
        for _ in 0..<2 {
            world.clock.advance(by: .seconds(900))
            if isRestarted { session = try #require(try await world.client().restoreSession()) }
            _ = try await session.accessToken()
        }
        #expect(session.end == nil && world.network.count(path: "/token") == 3)
    }

    @Test("A signature that no key has made causes one fetch of the keys, and none within the next half minute")
    func oneFetch() async throws {
        let (world, fails) = try Self.world(try #require(Self.faults.first { $0.name == "signature" }))
        let session = try await world.client().signIn()
        let fetches = world.network.count(path: "/jwks")
        fails.set(true)
        for _ in 0..<3 { _ = await failure { () throws(SignInError) in try await session.refresh() } }
        #expect(world.network.count(path: "/jwks") == fetches + 1)
    }

    @Test("At a sign-in a key that was replaced under its kid is found, and no key is tried that kid does not name")
    func signIn() async throws {
        var replaced = Scenario(name: "replaced before signing", from: .refreshKeyReplaced)
        replaced.keysAtRefresh = .kept
        replaced.rotatesKeysBeforeSigning = true
        let world = try World(scenario: replaced)
        let client = try world.client()
        // The keys are cached, and the one that kid names is another one when the code is redeemed.
        _ = try await client.signIn()
        world.clock.advance(by: .seconds(60))
        #expect(try await client.signIn().identity?.subject == "alice-subject")
        let other = try World(scenario: .unknownKeyID)
        let strict = try other.client()
        #expect(
            await failure { () throws(SignInError) in _ = try await strict.signIn() }
                == SignInError(.identity, .mismatch(.key))
        )
    }

    @Test("Responses that fail a check again and again slow the refreshes down, until one passes")
    func slowedDown() async throws {
        let (world, fails) = try Self.world(try #require(Self.faults.first { $0.name == "aud" }))
        let session = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        fails.set(true)
        let refused = SignInError(.identity, .mismatch(.audience))
        for _ in 0..<20 {
            let error = await failure { () throws(SignInError) in _ = try await session.accessToken() }
            #expect(error?.reason == refused.reason)
        }
        #expect(world.network.count(path: "/token") == 3)
        fails.set(false)
        world.clock.advance(by: .seconds(60))
        _ = try await session.accessToken()
        #expect(world.network.count(path: "/token") == 4)
    }

    // MARK: Sign-ins beside a stored session

    @Test(
        "A second sign-in that fails a check revokes nothing while a session is stored, and its token after the sign-out"
    )
    func failedSecondSignIn() async throws {
        let fails = Switch()
        let scenario = Scenario(name: "another nonce") { scenario in
            scenario.idToken = { if fails.isOn { $0.claims["nonce"] = "other" } }
        }
        let world = try World(scenario: scenario)
        let client = try world.client()
        let session = try await client.signIn()
        fails.set(true)
        #expect(
            await failure { () throws(SignInError) in _ = try await client.signIn() }
                == SignInError(.identity, .mismatch(.nonce))
        )
        fails.set(false)
        #expect(world.network.count(path: "/revoke") == 0)
        #expect(await client.retryRevocations().remaining == 1)
        try await session.refresh()
        #expect(session.end == nil && world.network.count(path: "/revoke") == 0)
        try await session.signOut()
        #expect(await client.retryRevocations().finished == 1)
        #expect(world.network.count(path: "/revoke") == 2)
    }

    @Test("A failed second sign-in revokes nothing when the stored session cannot be read for now")
    func unreadableBesideSignIn() async throws {
        let fails = Switch()
        let scenario = Scenario(name: "another nonce") { scenario in
            scenario.idToken = { if fails.isOn { $0.claims["nonce"] = "other" } }
        }
        let world = try World(scenario: scenario)
        _ = try await world.client().signIn()
        fails.set(true)
        world.store.failAlways(.read)
        let client = try world.client()
        _ = await failure { () throws(SignInError) in _ = try await client.signIn() }
        #expect(world.network.count(path: "/revoke") == 0)
    }

    @Test("Tokens that come after a sign-out and a new sign-in of the same user are not revoked beside the new session")
    func lateTokens() async throws {
        let world = try World()
        let gate = GatedTransport(over: world.network, path: "/token", holdingResponse: true)
        _ = try await world.client().signIn()
        let session = try #require(
            try await world.client(transport: gate, store: world.storeOfAnotherProcess).restoreSession()
        )
        let refresh = Task { try await session.refresh() }
        await gate.arrival()
        try await session.signOut(.local)
        let client = try world.client()
        let next = try await client.signIn()
        gate.open()
        _ = await refresh.result
        while await client.retryRevocations().remaining == 0 { await Task.yield() }
        #expect(world.network.count(path: "/revoke") == 0)
        try await next.refresh()
        #expect(next.end == nil)
    }

    // MARK: Proof by user info

    /// A session whose stored refresh token is of an answer that failed a check, at a server that sends no ID token then.
    private static func unproven(
        _ change: (inout Scenario) -> Void = { _ in }
    ) async throws -> (World, Session, TokenSet) {
        let (fails, omits) = (Switch(), Switch())
        var scenario = Scenario(name: "no ID token after a failed check")
        scenario.idToken = { if fails.isOn { $0.claims["aud"] = "other" } }
        scenario.tokenResponse = { response, _ in if omits.isOn { response["id_token"] = nil } }
        change(&scenario)
        let world = try World(scenario: scenario)
        let session = try await world.client().signIn()
        let tokens = session.tokens
        fails.set(true)
        _ = await failure { () throws(SignInError) in try await session.refresh() }
        fails.set(false)
        omits.set(true)
        return (world, session, tokens)
    }

    @Test("Without a refreshed ID token, user info proves the session's user before a token is handed out")
    func proven() async throws {
        let (world, session, tokens) = try await Self.unproven()
        try await session.refresh()
        #expect(world.network.count(path: "/userinfo") == 1)
        #expect(session.tokens.accessToken != tokens.accessToken && session.identity == tokens.identity)
        // From then on it is proven.
        try await session.refresh()
        #expect(world.network.count(path: "/userinfo") == 1 && session.end == nil)
    }

    @Test("While user info names another user, nothing is handed out")
    func disproven() async throws {
        let other = Switch()
        let (world, session, tokens) = try await Self.unproven { scenario in
            scenario.userInfo = { if other.isOn { $0["sub"] = "bob-subject" } }
        }
        other.set(true)
        #expect(
            await failure { () throws(SignInError) in try await session.refresh() }
                == SignInError(.userInfo, .mismatch(.subject))
        )
        #expect(session.tokens == tokens && session.end == nil)
        other.set(false)
        try await session.refresh()
        #expect(session.end == nil && world.network.count(path: "/userinfo") == 2)
    }

    @Test("Without an ID token and without user info, nothing is handed out and nothing is lost")
    func unprovable() async throws {
        let (world, session, tokens) = try await Self.unproven { scenario in
            scenario.metadata = { $0["userinfo_endpoint"] = nil }
        }
        #expect(
            await failure { () throws(SignInError) in try await session.refresh() }
                == SignInError(.identity, .mismatch(.idToken))
        )
        #expect(session.tokens == tokens && session.end == nil && world.network.count(path: "/userinfo") == 0)
    }

    // MARK: Size

    @Test("A token response of 200 KiB is read; one beyond 256 KiB is not requested again")
    func large() async throws {
        let size = Lock(0)
        let world = try World(
            scenario: Scenario(name: "large") { scenario in
                scenario.tokenResponse = { response, _ in
                    response["roles"] = .string(String(repeating: "r", count: size.withLock { $0 }))
                }
            }
        )
        let session = try await world.client().signIn()
        size.withLock { $0 = 200_000 }
        try await session.refresh()
        size.withLock { $0 = 300_000 }
        #expect(
            await failure { () throws(SignInError) in try await session.refresh() }
                == SignInError(.refresh, .transport(.tooLarge))
        )
        #expect(world.network.count(path: "/token") == 3 && session.end == nil)
    }
}

/// Something that a test turns on and off.
final class Switch: Sendable {
    private let state = Lock(false)
    var isOn: Bool { state.withLock { $0 } }
    func set(_ isOn: Bool) { state.withLock { $0 = isOn } }
}
