import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Signing out, and revoking later")
struct SignOutTests {
    private static func keys(_ world: World) async throws -> [StoreKey] {
        // The learned facts about the issuer stay: they hold nothing of the session.
        try await (world.store.inner as? MemoryStore)?.keys().filter { !$0.description.hasPrefix("learned/") } ?? []
    }

    @Test("A local sign-out sends nothing and leaves nothing stored")
    func local() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let before = world.network.requests.count
        let report = try await session.signOut(.local)
        #expect(report == (try await world.client().signIn().signOut(.local)))
        #expect(report.revocationFailure == nil && !report.willRetryRevocation)
        #expect(!world.network.requests.dropFirst(before).contains { $0.path == "/revoke" })
        #expect(try await Self.keys(world).isEmpty)
    }

    @Test("A confirmed revocation leaves nothing stored")
    func revoked() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let report = try await session.signOut(.revoke)
        #expect(report.revocationFailure == nil && !report.willRetryRevocation)
        #expect(world.network.count(path: "/revoke") == 1)
        #expect(try await Self.keys(world).isEmpty)
    }

    @Test("A session without a refresh token revokes its access token")
    func accessTokenAlone() async throws {
        let world = try World(client: { $0.grantTypes = [.authorizationCode] })
        let session = try await world.client().signIn()
        let token = try await session.accessToken()
        let report = try await session.signOut(.revoke)
        #expect(report.revocationFailure == nil && !report.willRetryRevocation)
        let request = world.network.requests.last { $0.path == "/revoke" }?.request
        #expect(request?.form[.token] == token.reveal())
        #expect(request?.form["token_type_hint"] == "access_token")
        #expect(try await Self.keys(world).isEmpty)
        // It lives for minutes: a failure is reported, and not kept for later.
        let second = try await world.client().signIn()
        world.network.lose(to: "/revoke", .beforeProcessing, with: .unreachable)
        let failed = try await second.signOut(.revoke)
        #expect(failed.revocationFailure == SignInError(.revocation, .transport(.unreachable)))
        #expect(!failed.willRetryRevocation)
        #expect(try await Self.keys(world).isEmpty)
    }

    @Test(
        "A public client's access token whose revocation gets 401 is not retried"
    )
    func publicAccessToken() async throws {
        let world = try World(client: { $0.grantTypes = [.authorizationCode] })
        let refusing = AnsweringTransport(status: 401, over: world.network, path: "/revoke")
        let session = try await world.client(transport: refusing).signIn()
        let report = try await session.signOut(.revoke)
        guard case .unsupported(let reason) = report.revocationFailure?.reason else {
            Issue.record("\(report)")
            return
        }
        #expect(reason.contains("401") && !report.willRetryRevocation && report.revocation == .notOffered)
        let offline = try World()
        let other = try await offline.client(
            transport: AnsweringTransport(status: 401, over: offline.network, path: "/revoke")
        ).signIn()
        #expect(
            try await other.signOut(.revoke).revocation == .failed,
            "A refresh token that stays valid is a failure."
        )
    }

    @Test("A revocation without an answer is made later, also by another launch, and then forgotten")
    func later() async throws {
        let world = try World()
        let client = try world.client()
        let token = try #require(try await client.signIn().tokens.refreshToken)
        let session = try #require(try await client.restoreSession())
        world.network.lose(to: "/revoke", .beforeProcessing, with: .unreachable)
        let report = try await session.signOut(.revoke)
        #expect(report.revocationFailure == SignInError(.revocation, .transport(.unreachable)))
        #expect(report.willRetryRevocation)
        #expect(try await world.client().restoreSession() == nil)

        world.network.lose(to: "/revoke", .beforeProcessing, with: .timedOut)
        let second = await (try world.client()).retryRevocations()
        #expect(second.remaining == 1 && second.finished == 0)
        #expect(second.failure == SignInError(.revocation, .transport(.timedOut)))
        let third = await (try world.client()).retryRevocations()
        #expect(third.remaining == 0 && third.finished == 1 && third.failure == nil)
        #expect(try await Self.keys(world).isEmpty)
        #expect(world.network.requests.last { $0.path == "/revoke" }?.request.form[.token] == token.reveal())
        let last = await (try world.client()).retryRevocations()
        #expect(last.finished == 0 && last.remaining == 0 && last.failure == nil)
    }

    @Test("The next sign-in revokes a postponed token while the user is at the page, before the code is redeemed")
    func nextSignIn() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.network.lose(to: "/revoke", .beforeProcessing, with: .unreachable)
        _ = try await session.signOut(.revoke)
        let person = world.person()
        let slow = ScriptedUserAgent { (url, redirectURI) async throws(SignInError) in
            while world.network.count(path: "/revoke") < 2 { await Task.yield() }
            return try await person.attempt(awaiting: redirectURI).open(url, accepting: .any)
        }
        let next = try await world.client(userAgent: slow).signIn()
        let paths = world.network.requests.map(\.path)
        #expect(try #require(paths.lastIndex(of: "/revoke")) < #require(paths.lastIndex(of: "/token")))
        #expect(try await world.client().retryRevocations().remaining == 0)
        try await next.refresh()
        #expect(next.end == nil && world.network.count(path: "/revoke") == 2)
    }

    @Test("A revocation under way when the redirect arrives has ended before the code is redeemed")
    func underWay() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.network.lose(to: "/revoke", .beforeProcessing, with: .unreachable)
        _ = try await session.signOut(.revoke)
        let gate = GatedTransport(over: world.network, path: "/revoke")
        let person = world.person()
        let quick = ScriptedUserAgent { (url, redirectURI) async throws(SignInError) in
            let redirect = try await person.attempt(awaiting: redirectURI).open(url, accepting: .any)
            await gate.arrival()
            Task { gate.open() }
            return redirect
        }
        _ = try await world.client(userAgent: quick, transport: gate).signIn()
        let paths = world.network.requests.map(\.path)
        #expect(try #require(paths.lastIndex(of: "/revoke")) < #require(paths.lastIndex(of: "/token")))
    }

    @Test("A token whose revocation failed again waits until the session of the next sign-in has ended")
    func failedAgain() async throws {
        let world = try World()
        let client = try world.client(
            transport: AnsweringTransport(status: 503, over: world.network, path: "/revoke")
        )
        _ = try await client.signIn().signOut(.revoke)
        let next = try await client.signIn()
        let online = try world.client()
        #expect(await online.retryRevocations().remaining == 1)
        #expect(world.network.count(path: "/revoke") == 0)
        try await next.signOut(.local)
        #expect(await online.retryRevocations().finished == 1)
        #expect(try await Self.keys(world).isEmpty)
    }

    @Test("A postponed revocation waits as long as a session is stored that may be of the same user")
    func storedSession() async throws {
        let world = try World()
        let client = try world.client()
        let session = try await client.signIn()
        let key = StoreKey.session(issuer: client.issuer, clientID: "app")
        let value = try #require(try await world.store.read(key))
        world.network.lose(to: "/revoke", .beforeProcessing, with: .unreachable)
        _ = try await session.signOut(.revoke)
        try await world.store.write(value, for: key)
        let retry = await client.retryRevocations()
        #expect(retry.remaining == 1 && retry.finished == 0 && retry.failure == nil)
        #expect(world.network.count(path: "/revoke") == 1)
        try await world.store.remove(key)
        #expect(await client.retryRevocations().finished == 1)
    }

    @Test(
        "A sign-in of another user revokes the refresh token of the session that it replaces, one of the same user does not"
    )
    func anotherUser() async throws {
        let world = try World(provider: { $0.users.append(World.bob) })
        _ = try await world.client().signIn()
        let token = try #require(try await world.client().signIn().tokens.refreshToken)
        #expect(world.network.count(path: "/revoke") == 0)
        let bob = try await world.client(userAgent: world.person("bob")).signIn()
        while world.network.count(path: "/revoke") < 1 { await Task.yield() }
        #expect(world.network.requests.last { $0.path == "/revoke" }?.request.form[.token] == token.reveal())
        try await bob.refresh()
        #expect(bob.end == nil)
    }

    @Test("A session whose stored value is corrupted can be signed out, and the value is removed")
    func unreadableValue() async throws {
        let world = try World()
        let client = try world.client()
        let session = try await client.signIn()
        try await world.store.write([1, 2, 3], for: .session(issuer: client.issuer, clientID: "app"))
        try await session.signOut(.local)
        #expect(session.end == .userAction)
        #expect(try await Self.keys(world).isEmpty)
    }

    @Test(
        "A sign-out is an error while the store cannot be read, and removes nothing",
        arguments: [
            StorageFailure.locked, .unavailable,
        ]
    )
    func lockedStore(failure: StorageFailure) async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.store.failAlways(.read, with: failure)
        await #expect(throws: SignInError(.storage, .storage(failure))) { try await session.signOut(.local) }
        #expect(session.end == nil)
        world.store.recover()
        #expect(try await Self.keys(world).count == 1)
        try await session.signOut(.local)
        #expect(try await Self.keys(world).isEmpty)
    }

    @Test("A revocation that the server rejects for good is not retried")
    func impossible() async throws {
        let world = try World(provider: { _ in })
        let session = try await world.client(
            transport: AnsweringTransport(status: 400, over: world.network, path: "/revoke")
        ).signIn()
        let report = try await session.signOut(.revoke)
        #expect(report.revocationFailure == SignInError(.revocation, .server(status: 400)))
        #expect(!report.willRetryRevocation)
        #expect(try await Self.keys(world).isEmpty)
    }

    @Test("A revocation that cannot be stored for a retry is still sent, and the report says so")
    func cannotKeep() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.store.failAlways(.write)
        #expect(try await session.signOut(.revoke).revocationFailure == nil)
        world.store.recover()
        let second = try await world.client().signIn()
        world.store.failAlways(.write)
        world.network.lose(to: "/revoke", .beforeProcessing, with: .unreachable)
        let report = try await second.signOut(.revoke)
        #expect(report.revocationFailure != nil && !report.willRetryRevocation)
    }

    @Test("A revocation is given up after twenty attempts or thirty days")
    func givenUp() async throws {
        let world = try World()
        let client = try world.client(
            transport: AnsweringTransport(status: 503, over: world.network, path: "/revoke")
        )
        _ = try await client.signIn().signOut(.revoke)
        for number in 1...20 {
            #expect(await client.retryRevocations().remaining == (number < 20 ? 1 : 0))
        }
        _ = try await client.signIn().signOut(.revoke)
        world.clock.advance(by: .seconds(31 * 86_400))
        #expect(await client.retryRevocations().remaining == 0)
        #expect(try await Self.keys(world).isEmpty)
    }

    @Test("The latest sixteen pending revocations are kept")
    func bounded() async throws {
        let world = try World()
        let client = try world.client(
            transport: AnsweringTransport(status: 503, over: world.network, path: "/revoke")
        )
        for _ in 0..<18 { _ = try await client.signIn().signOut(.revoke) }
        #expect(await client.retryRevocations().remaining == 16)
    }

    @Test("A corrupted record of pending revocations, or a newer version, is an error and stays in place")
    func corrupted() async throws {
        let world = try World()
        let client = try world.client()
        let key = StoreKey.revocations(issuer: client.issuer, clientID: "app")
        for bytes in [Array(#"{"version":2,"revocations":[]}"#.utf8), Array("x".utf8)] {
            try await world.store.write(bytes, for: key)
            #expect(await client.retryRevocations().failure == SignInError(.storage, .storage(.corrupted)))
            #expect(try await world.store.read(key) == bytes)
        }
    }
}
