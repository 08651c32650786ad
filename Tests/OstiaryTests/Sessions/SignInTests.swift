import Foundation
import Ostiary
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Signing in")
struct SignInTests {
    @Test("A sign-in returns a verified session and stores it")
    func signIn() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        #expect(session.identity?.subject == "alice-subject")
        #expect(session.isRefreshable)
        #expect(session.scopes.contains(.openID))
        #expect(try await session.accessToken().reveal().isEmpty == false)
        #expect(world.network.count(path: "/token") == 1)
        let restored = try #require(try await world.client().restoreSession())
        #expect(restored.identity == session.identity)
        #expect(try await restored.accessToken() == (try await session.accessToken()))
    }

    @Test("After the redirect a sign-in sends one request")
    func oneRequest() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        let events = world.events.events
        let redirect = try #require(events.firstIndex(of: .redirectAccepted))
        let after = events[redirect...].filter { if case .exchange = $0 { true } else { false } }
        // The keys and the second document may still be on their way while the user is in the browser; what the
        // session waits for after the redirect is the token request.
        let stages = after.map { event -> SignInError.Stage? in
            if case .exchange(let report) = event { report.stage } else { nil }
        }
        #expect(stages.filter { $0 == .token }.count == 1)
        #expect(stages.filter { $0 != .token && $0 != .keys && $0 != .discovery }.isEmpty)
        #expect(world.network.count(path: "/jwks") == 1)
    }

    @Test("A second sign-in reuses metadata and keys")
    func cached() async throws {
        let world = try World()
        let client = try world.client()
        _ = try await client.signIn()
        _ = try await client.signIn()
        #expect(world.network.count(path: "/.well-known/openid-configuration") == 1)
        #expect(world.network.count(path: "/jwks") == 1)
    }

    @Test("A signing key published since the last fetch is fetched once, and accepted")
    func rotatedKey() async throws {
        let world = try World()
        let client = try world.client()
        _ = try await client.signIn()
        try await world.provider.rotateSigningKeys()
        _ = try await client.signIn()
        #expect(world.network.count(path: "/jwks") == 2)
    }

    @Test("A key set replaced just before signing is fetched once more, and accepted")
    func rotationBeforeSigning() async throws {
        let world = try World(scenario: .keyRotation)
        let session = try await world.client().signIn()
        #expect(session.identity?.subject == "alice-subject")
    }

    @Test("A failed sign-in keeps the stored session")
    func olderSessionStays() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        #expect(
            await failure { () throws(SignInError) in _ = try await (try! world.client(password: "wrong")).signIn() }
                != nil
        )
        let restored = try await world.client().restoreSession()
        #expect(restored?.identity == session.identity)
    }

    @Test(
        "Every fault of the server is rejected at its stage, and nothing is stored",
        arguments: SignInFault.all
    )
    func refused(_ fault: SignInFault) async throws {
        let world = try World(scenario: fault.scenario)
        let client = try world.client()
        try await fault.check { _ = try await client.signIn() }
        #expect(try await client.restoreSession() == nil)
        #expect(world.network.count(path: "/userinfo") == 0)
        if fault.precedesToken { #expect(world.network.count(path: "/token") == 0) }
    }

    @Test(
        "Unusual but valid responses of servers are accepted",
        arguments: [
            Scenario.missingScope, .missingLifetime, .textualLifetime, .tokenTypeCase, .unknownMembers,
            .fractionalDates, .missingAccessTokenHash,
            .absentKeyID, .unknownKeyType, .noRotation,
        ]
    )
    func accepted(_ scenario: Scenario) async throws {
        let world = try World(scenario: scenario)
        let session = try await world.client().signIn()
        try await session.refresh()
        #expect(session.identity?.subject == "alice-subject")
        #expect(session.isRefreshable)
    }

    @Test("A code is redeemed once more after a broken connection, and the sign-in succeeds")
    func interruptedOnce() async throws {
        let world = try World()
        world.network.lose(to: "/token", .beforeProcessing)
        let session = try await world.client().signIn()
        #expect(session.identity?.subject == "alice-subject")
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test("A code whose token response was lost ends with the server's error for its second use")
    func interruptedAfterProcessing() async throws {
        let world = try World()
        world.network.lose(to: "/token", .afterProcessing)
        let client = try world.client()
        let error = await failure { () throws(SignInError) in _ = try await client.signIn() }
        guard case .refused(let refusal)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.stage == .token && refusal.code == .invalidGrant)
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test(
        "A code is redeemed once more only after a broken connection, and never a third time",
        arguments: [
            (TransportFailure.interrupted, 2), (.timedOut, 1), (.unreachable, 1), (.tls, 1), (.tooLarge, 1),
        ]
    )
    func otherLosses(_ loss: TransportFailure, _ requests: Int) async throws {
        let world = try World()
        for call in 1...2 { world.network.lose(call: call, to: "/token", .beforeProcessing, with: loss) }
        let client = try world.client()
        #expect(
            await failure { () throws(SignInError) in _ = try await client.signIn() }
                == SignInError(.token, .transport(loss))
        )
        #expect(world.network.count(path: "/token") == requests)
    }

    @Test(
        "Tokens of a sign-in that fails a check are revoked",
        arguments: [Scenario.invalidNonce, .invalidSignature, .missingIDToken, .unknownKeyID]
    )
    func revokedAfterCheck(_ scenario: Scenario) async throws {
        let world = try World(scenario: scenario)
        let client = try world.client()
        #expect(await failure { () throws(SignInError) in _ = try await client.signIn() }?.stage == .identity)
        let revoked = world.network.requests.filter { $0.path == "/revoke" }
        #expect(revoked.map { $0.request.form["token_type_hint"] } == ["refresh_token"])
    }

    @Test("Tokens of a sign-in whose keys cannot be fetched are revoked")
    func revokedWithoutKeys() async throws {
        let world = try World()
        let client = try world.client(
            transport: AnsweringTransport(status: 503, over: world.network, path: "/jwks")
        )
        #expect(
            await failure { () throws(SignInError) in _ = try await client.signIn() }
                == SignInError(.keys, .server(status: 503))
        )
        #expect(world.network.count(path: "/revoke") == 1)
    }

    @Test("A server without an allowed ID token algorithm is refused before a page opens, with both lists")
    func noCommonAlgorithm() async throws {
        let world = try World()
        let client = try world.client(validation: Client.ValidationPolicy(idTokenAlgorithms: [.rs256, .ps256]))
        let error = await failure { () throws(SignInError) in _ = try await client.signIn() }
        #expect(
            error
                == SignInError(
                    .authorization,
                    .unsupported(
                        "an ID token signature that this client allows: id_token_signing_alg_values_supported has ES256, "
                            + "the client allows PS256 RS256 (Client.ValidationPolicy.idTokenAlgorithms)"
                    )
                )
        )
        #expect(!world.events.events.contains { if case .openedPage = $0 { true } else { false } })
        _ = try await client.signIn(AuthorizationRequest(scopes: [.offlineAccess]))
    }

    @Test("A server without a token endpoint is refused before a page opens, and still allows a code handoff")
    func noTokenEndpoint() async throws {
        let world = try World()
        let issuer = try Issuer(World.issuer)
        let client = SignInClient(
            issuer: issuer,
            client: try world.client().client,
            configuration: SignInClient.Configuration(
                server: AuthorizationServer(
                    issuer: issuer,
                    authorizationEndpoint: URL(string: World.issuer + "/authorize")
                ),
                userAgent: world.person(),
                transport: world.network
            )
        )
        #expect(
            await failure { () throws(SignInError) in _ = try await client.signIn() }
                == SignInError(.authorization, .unsupported("a token_endpoint"))
        )
        #expect(
            await failure { () throws(SignInError) in
                _ = try await client.signInOnOtherDevice { _ in Issue.record("A code was shown") }
            } == SignInError(.device, .unsupported("a token_endpoint"))
        )
        #expect(world.network.count(path: "/authorize") == 0)
        _ = try await client.codeHandoff()
    }

    @Test("A client whose metadata is another issuer's is refused before a page opens")
    func otherIssuersMetadata() async throws {
        let world = try World()
        let client = SignInClient(
            issuer: try Issuer(World.issuer),
            client: try world.client().client,
            configuration: SignInClient.Configuration(
                server: AuthorizationServer(
                    issuer: try Issuer("https://other.example.com"),
                    authorizationEndpoint: URL(string: World.issuer + "/authorize"),
                    tokenEndpoint: URL(string: World.issuer + "/token")
                ),
                userAgent: world.person(),
                transport: world.network,
                store: world.store
            )
        )
        let found = await failure { () throws(SignInError) in _ = try await client.signIn() }
        guard case .configuration(let sentence) = found?.reason else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(found?.stage == .discovery && sentence.contains("https://other.example.com"))
        #expect(world.network.count(path: "/authorize") == 0)
    }

    @Test("A cancelled sign-in does not wait for the metadata")
    func cancelledDuringDiscovery() async throws {
        let world = try World()
        let gate = GatedTransport(over: world.network, path: "/.well-known/openid-configuration")
        let client = try world.client(transport: gate)
        let task = Task { await failure { () throws(SignInError) in _ = try await client.signIn() } }
        await gate.arrival()
        task.cancel()
        #expect(await task.value == SignInError(.discovery, .cancelled))
        gate.open()
        // A fetch that another caller awaits goes on.
        _ = try await client.signIn()
        #expect(world.network.count(path: "/.well-known/openid-configuration") == 1)
    }

    @Test("A cancelled sign-in does not wait for the keys")
    func cancelledDuringKeys() async throws {
        let world = try World()
        let gate = GatedTransport(over: world.network, path: "/jwks")
        let client = try world.client(transport: gate)
        let task = Task { await failure { () throws(SignInError) in _ = try await client.signIn() } }
        await gate.arrival()
        task.cancel()
        #expect(await task.value == SignInError(.authorization, .cancelled))
        #expect(world.network.count(path: "/token") == 0)
        gate.open()
    }

    @Test("An unreachable issuer fails at the discovery stage")
    func unreachable() async throws {
        let world = try World()
        let client = SignInClient(
            issuer: try Issuer("https://other.example.test"),
            client: try world.client().client,
            configuration: SignInClient.Configuration(
                userAgent: world.person(),
                transport: world.network,
                store: MemoryStore()
            )
        )
        #expect(
            await failure { () throws(SignInError) in _ = try await client.signIn() }
                == SignInError(.discovery, .transport(.unreachable))
        )
    }

    @Test("A sign-in over the browser deadline fails as timedOut, and the page is closed")
    func deadline() async throws {
        let world = try World()
        let never = ScriptedUserAgent { (_: URL, _: RedirectURI) async throws(SignInError) -> URL in
            do { try await Task.sleep(for: .seconds(3600)) } catch { throw SignInError(.authorization, .cancelled) }
            throw SignInError(.authorization, .timedOut)
        }
        let client = try world.client(userAgent: never, policy: SessionPolicy(browserDeadline: .milliseconds(20)))
        #expect(
            await failure { () throws(SignInError) in _ = try await client.signIn() }
                == SignInError(.authorization, .timedOut)
        )
    }

    @Test("A cancelled task ends the sign-in as cancelled")
    func cancelled() async throws {
        let world = try World()
        let (opened, open) = AsyncStream<Void>.makeStream()
        let waiting = ScriptedUserAgent { (_: URL, _: RedirectURI) async throws(SignInError) -> URL in
            open.yield()
            do { try await Task.sleep(for: .seconds(3600)) } catch { throw SignInError(.authorization, .cancelled) }
            throw SignInError(.authorization, .timedOut)
        }
        let client = try world.client(userAgent: waiting)
        let task = Task { await failure { () throws(SignInError) in _ = try await client.signIn() } }
        for await _ in opened { break }
        task.cancel()
        #expect(await task.value == SignInError(.authorization, .cancelled))
    }

    @Test("An unwritable store fails the sign-in, and its tokens are revoked")
    func unwritableStore() async throws {
        let world = try World()
        world.store.failAlways(.write, with: .unavailable)
        let client = try world.client()
        #expect(
            await failure { () throws(SignInError) in _ = try await client.signIn() }
                == SignInError(.storage, .storage(.unavailable))
        )
        #expect(world.network.count(path: "/revoke") == 1)
    }

    @Test("A corrupted session value fails as corrupted, and is left in place")
    func corruptedStore() async throws {
        let world = try World()
        let client = try world.client()
        let key = StoreKey.session(issuer: client.issuer, clientID: "app")
        for bytes in [
            Array("not json".utf8), Array(#"{"version":2}"#.utf8), Array(#"{"version":1,"tokens":{}}"#.utf8), [],
        ] {
            try await world.store.write(bytes, for: key)
            #expect(
                await failure { () throws(SignInError) in _ = try await client.restoreSession() }
                    == SignInError(.storage, .storage(.corrupted))
            )
            #expect(try await world.store.read(key) == bytes)
        }
    }

    @Test("Sessions of two accounts at one issuer are kept apart")
    func accounts() async throws {
        let issuer = try Issuer(World.issuer)
        let keys: Set<StoreKey> = [
            .session(issuer: issuer, clientID: "app"), .session(issuer: issuer, clientID: "app", account: "a"),
            .session(issuer: issuer, clientID: "app/a"), .session(issuer: issuer, clientID: "app", account: "a/"),
            .session(issuer: try Issuer(World.issuer + "/"), clientID: "app"),
        ]
        #expect(keys.count == 5)
    }

    @Test("An invalid issuer, client id or redirect URI is refused when the client is made")
    func threeLines() {
        #expect(throws: SignInError.self) {
            try SignInClient(
                issuer: "id.example.com",
                clientID: "app",
                redirectURI: "com.example.app:/callback",
                configuration: SignInClient.Configuration(userAgent: ManualUserAgent.terminal)
            )
        }
        #expect(throws: SignInError.self) {
            try SignInClient(
                issuer: "https://id.example.com",
                clientID: "",
                redirectURI: "com.example.app:/callback",
                configuration: SignInClient.Configuration(userAgent: ManualUserAgent.terminal)
            )
        }
        #expect(throws: SignInError.self) {
            try SignInClient(
                issuer: "https://id.example.com",
                clientID: "app",
                redirectURI: "my_app:/callback",
                configuration: SignInClient.Configuration(userAgent: ManualUserAgent.terminal)
            )
        }
    }

    @Test("A client made of three strings uses the account, store and events of its configuration")
    func configuredThreeLines() async throws {
        let world = try World()
        let events = world.events
        let client = try SignInClient(
            issuer: World.issuer,
            clientID: "app",
            redirectURI: "com.example.app:/callback",
            configuration: SignInClient.Configuration(
                account: "work",
                userAgent: world.person(),
                transport: world.network,
                store: world.store,
                clock: world.clock.device,
                events: { events.add($0) }
            )
        )
        _ = try await client.signIn()
        let key = StoreKey.session(issuer: try Issuer(World.issuer), clientID: "app", account: "work")
        #expect(client.account == "work")
        #expect(try await world.store.read(key) != nil)
        #expect(events.events.contains(.signedIn))
    }

    @Test("No sign-in event contains a token, a code or the user")
    func events() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        try await session.refresh()
        let token = try? await session.accessToken().reveal()
        try await session.signOut()
        let told = world.events.events.map { "\($0)" }.joined()
        #expect(!told.contains("?"))
        #expect(!told.contains(try #require(token)))
        #expect(!told.contains("alice"))
    }
}
