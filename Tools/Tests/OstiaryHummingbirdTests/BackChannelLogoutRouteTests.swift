import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import OstiaryHummingbird
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

/// The development provider says that people have signed out; the route is in a router, or behind a socket of this machine.
@Suite("The place for logout tokens in Hummingbird", .timeLimit(.minutes(5)))
struct BackChannelLogoutRouteTests {
    private static let issuer = "https://id.example.com"

    private let clock = TestClock()
    private let store = MemoryServerStore()
    private let provider: Provider

    init() throws {
        let clock = clock
        provider = Provider(
            configuration: ProviderConfiguration(issuer: try Issuer(Self.issuer), clients: [], users: []),
            clock: clock.device,
            random: SystemRandomNumberGenerator()
        )
    }

    private func application() throws -> some ApplicationProtocol {
        let clock = clock
        let keys = try KeySource(
            issuer: Issuer(Self.issuer),
            transport: InProcessProvider(provider: provider),
            clock: clock.device
        )
        let verifier = LogoutTokenVerifier(keys: keys, clientID: "app", replays: store, clock: clock.device)
        let router = Router()
        router.add(BackChannelLogout(verifier: verifier, sessions: store), at: "/signed-out")
        return Application(router: router)
    }

    private func begin(_ name: String, subject: String, sessionID: String?, issuer: String = issuer) async throws {
        _ = try await store.insert(
            ServerSessionRecord(
                id: StoreDigest("test", [name]),
                issuer: issuer,
                subject: subject,
                sessionID: sessionID,
                keyThumbprint: nil,
                created: clock.now,
                absoluteExpiry: clock.now.addingTimeInterval(1000),
                idleExpiry: clock.now.addingTimeInterval(1000),
                sealed: []
            )
        )
    }

    /// Returns those of some sessions that there are.
    private func living(_ names: String...) async throws -> [String] {
        var living: [String] = []
        for name in names where try await store.session(StoreDigest("test", [name]), now: clock.now) != nil {
            living.append(name)
        }
        return living
    }

    private func post(_ body: String, _ setup: TestingSetup) async throws -> TestResponse {
        try await application().test(setup) { client in
            try await client.execute(
                uri: "/signed-out",
                method: .post,
                headers: [.contentType: "application/x-www-form-urlencoded"],
                body: ByteBuffer(string: body)
            )
        }
    }

    @Test("A logout token with sid ends that session, in the router and live", arguments: [TestingSetup.router, .live])
    func session(_ setup: TestingSetup) async throws {
        try await begin("meant", subject: "alice", sessionID: "s-1")
        try await begin("other", subject: "alice", sessionID: "s-2")
        try await begin("namesake", subject: "alice", sessionID: "s-1", issuer: "https://other.example.com")
        let token = try await provider.logoutToken(for: "app", subject: "alice", sessionID: "s-1")
        let response = try await post("logout_token=\(token)", setup)
        #expect(response.status == .ok && response.headers[.cacheControl] == "no-store")
        #expect(try await living("meant", "other", "namesake") == ["other", "namesake"])
    }

    @Test("A logout token without sid ends every session of its user alone", arguments: [TestingSetup.router, .live])
    func subject(_ setup: TestingSetup) async throws {
        try await begin("one", subject: "alice", sessionID: "s-1")
        try await begin("two", subject: "alice", sessionID: nil)
        try await begin("bob", subject: "bob", sessionID: "s-3")
        let token = try await provider.logoutToken(for: "app", subject: "alice")
        #expect(try await post("logout_token=\(token)", setup).status == .ok)
        #expect(try await living("one", "two", "bob") == ["bob"])
    }

    @Test(
        "A replayed logout token ends no later session",
        arguments: [TestingSetup.router, .live]
    )
    func replay(_ setup: TestingSetup) async throws {
        let token = try await provider.logoutToken(for: "app", sessionID: "s-1")
        #expect(try await post("logout_token=\(token)", setup).status == .ok)
        try await begin("later", subject: "alice", sessionID: "s-1")
        let again = try await post("logout_token=\(token)", setup)
        #expect(again.status == .badRequest)
        #expect(String(buffer: again.body).contains("invalid_request"))
        #expect(try await living("later") == ["later"])
    }

    @Test("A logout token for another client, an expired one, and one of a retired key end no session")
    func refused() async throws {
        try await begin("meant", subject: "alice", sessionID: "s-1")
        let other = try await provider.logoutToken(for: "other-app", subject: "alice")
        #expect(try await post("logout_token=\(other)", .router).status == .badRequest)
        let old = try await provider.logoutToken(for: "app", subject: "alice")
        clock.advance(by: .seconds(151))
        #expect(try await post("logout_token=\(old)", .router).status == .badRequest)
        let nobody = try await provider.logoutToken(for: "app")
        #expect(try await post("logout_token=\(nobody)", .router).status == .badRequest)
        #expect(try await living("meant") == ["meant"])
    }

    @Test(
        "A logout request with another method or an oversized body is rejected",
        arguments: [TestingSetup.router, .live]
    )
    func faults(_ setup: TestingSetup) async throws {
        let (get, large) = try await application().test(setup) { client in
            let get = try await client.execute(uri: "/signed-out", method: .get)
            let large = try await client.execute(
                uri: "/signed-out",
                method: .post,
                headers: [.contentType: "application/x-www-form-urlencoded"],
                body: ByteBuffer(string: "logout_token=" + String(repeating: "a", count: 32_768))
            )
            return (get, large)
        }
        #expect(get.status == .methodNotAllowed && get.headers[.allow] == "POST")
        #expect(large.status == .contentTooLarge)
    }
}
