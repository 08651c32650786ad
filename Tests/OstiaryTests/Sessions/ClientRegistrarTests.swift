import Foundation
import HTTPTypes
import Ostiary
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("A client that registers itself")
struct ClientRegistrarTests {
    private static let metadata = ClientMetadata(
        name: "Self-made",
        redirectURIs: [try! RedirectURI("com.example.app:/callback")],
        scopes: [.openID, .profile, .offlineAccess],
        authenticationMethod: "client_secret_basic"
    )

    private func world(_ scenario: Scenario = .none, _ policy: RegistrationPolicy = .open) throws -> World {
        try World(scenario: scenario, provider: { $0.registration = policy })
    }

    private func registrar(_ world: World, _ store: any SecretStore) throws -> ClientRegistrar {
        ClientRegistrar(
            issuer: try Issuer(World.issuer),
            transport: world.network,
            store: store,
            context: ExchangeContext(device: world.clock.device)
        )
    }

    @Test("A registered client signs in, and is restored after a restart")
    func whole() async throws {
        let world = try world()
        let store = MemoryStore()
        let registration = try await registrar(world, store).register(Self.metadata)
        let restored = try #require(try await registrar(world, store).restore())
        #expect(restored == registration && registration.clientSecret != nil)
        let client = try restored.client(redirectURI: try RedirectURI("com.example.app:/callback"))
        let session = try await SignInClient(
            issuer: try Issuer(World.issuer),
            client: client,
            configuration: SignInClient.Configuration(
                userAgent: world.person(),
                transport: world.network,
                store: MemoryStore(),
                clock: world.clock.device
            )
        ).signIn()
        #expect(session.identity?.subject == "alice-subject")
    }

    @Test("A registration from elsewhere is stored once, and one that is stored already stays")
    func adopted() async throws {
        let world = try world()
        let elsewhere = try await registrar(world, MemoryStore()).register(Self.metadata)
        let store = MemoryStore()
        #expect(try await registrar(world, store).adopt(elsewhere) == elsewhere)
        #expect(try await registrar(world, store).restore() == elsewhere)
        let other = try await registrar(world, MemoryStore()).register(Self.metadata)
        #expect(try await registrar(world, store).adopt(other) == elsewhere)
        // What was adopted is managed like any other.
        _ = try await registrar(world, store).read()
    }

    @Test("A registration of another issuer is not adopted, and a failed write is repeated by the next call")
    func notAdopted() async throws {
        let world = try world()
        let elsewhere = try await registrar(world, MemoryStore()).register(Self.metadata)
        let foreign = try ClientRegistration(
            response: ["client_id": "c"],
            issuer: try Issuer("https://other.example.test")
        )
        let store = FaultyStore(MemoryStore())
        let registrar = try registrar(world, store)
        let error = await failure { () throws(SignInError) in _ = try await registrar.adopt(foreign) }
        #expect(error == SignInError(.registration, .mismatch(.issuer)))
        store.fail(.write, with: .unavailable)
        let unstored = await failure { () throws(SignInError) in _ = try await registrar.adopt(elsewhere) }
        #expect(unstored == SignInError(.storage, .storage(.unavailable)))
        #expect(try await registrar.restore() == nil)
        #expect(try await registrar.adopt(elsewhere) == elsewhere)
    }

    @Test("A registration has the time at which its identifier was issued, also after a restart")
    func issued() async throws {
        let world = try world()
        let store = MemoryStore()
        let registration = try await registrar(world, store).register(Self.metadata)
        let issued = try #require(registration.issued)
        #expect(issued.timeIntervalSince1970 == world.clock.now.timeIntervalSince1970.rounded(.down))
        world.clock.advance(by: .seconds(60))
        #expect(try await registrar(world, store).restore()?.issued == issued)
        #expect(try await registrar(world, store).read().issued == issued)
    }

    @Test("An initial access token is needed where the server asks for one")
    func initialToken() async throws {
        let world = try world(.none, .withInitialAccessToken([SecretDigest(of: Secret("welcome"))]))
        let registrar = try registrar(world, MemoryStore())
        let error = await failure { () throws(SignInError) in _ = try await registrar.register(Self.metadata) }
        #expect(error?.stage == .registration)
        _ = try await registrar.register(Self.metadata, initialAccessToken: Secret("welcome"))
    }

    @Test("Rotated registration credentials are stored before they are used")
    func rotation() async throws {
        for rotation in [RegistrationPolicy.Rotation.accessTokenOnRead, .accessTokenOnUpdate, .secretOnUpdate] {
            let world = try world(.none, RegistrationPolicy(.open, rotation: rotation))
            let store = MemoryStore()
            let registrar = try registrar(world, store)
            _ = try await registrar.register(Self.metadata)
            let read = try await registrar.read()
            #expect(try await registrar.restore() == read)
            var metadata = Self.metadata
            metadata.members["client_name"] = "Renamed"
            let updated = try await registrar.update(metadata)
            #expect(try await registrar.restore() == updated)
            #expect(updated.metadata.members["client_name"] == "Renamed")
            // Whatever was rotated, the next request knows it.
            _ = try await registrar.read()
        }
    }

    @Test("A registration that cannot be stored is deleted at the server")
    func storeFails() async throws {
        let world = try world()
        let store = FaultyStore(MemoryStore())
        store.fail(.write)
        let registrar = try registrar(world, store)
        let error = await failure { () throws(SignInError) in _ = try await registrar.register(Self.metadata) }
        #expect(error == SignInError(.storage, .storage(.unavailable)))
        #expect(world.network.requests.contains { $0.request.method == .delete })
    }

    @Test("Changed credentials that the store rejected are stored by the next call before they are used")
    func storeFailsLater() async throws {
        let world = try world(.none, RegistrationPolicy(.open, rotation: [.accessTokenOnRead, .secretOnRead]))
        let store = FaultyStore(MemoryStore())
        let registrar = try registrar(world, store)
        let first = try await registrar.register(Self.metadata)
        store.failAlways(.write)
        let error = await failure { () throws(SignInError) in _ = try await registrar.read() }
        #expect(error == SignInError(.storage, .storage(.unavailable)))
        let still = await failure { () throws(SignInError) in _ = try await registrar.restore() }
        #expect(still == error)
        store.recover()
        let second = try #require(try await registrar.restore())
        #expect(second.clientSecret != first.clientSecret)
        #expect(try await self.registrar(world, store).restore() == second)
        _ = try await registrar.read()
    }

    @Test("Concurrent changes of a registration run one after the other")
    func inTurn() async throws {
        let world = try world(.none, RegistrationPolicy(.open, rotation: [.accessTokenOnRead, .secretOnRead]))
        let store = MemoryStore()
        let registrar = try registrar(world, store)
        _ = try await registrar.register(Self.metadata)
        let secrets = try await withThrowingTaskGroup(of: Secret?.self) { group in
            for _ in 0..<10 { group.addTask { try await registrar.read().clientSecret } }
            return try await group.reduce(into: Set<Secret?>()) { $0.insert($1) }
        }
        #expect(secrets.count == 10)
        #expect(secrets.contains(try await registrar.restore()?.clientSecret))
    }

    @Test("Concurrent callers that replace the same client register one new client")
    func replacing() async throws {
        let world = try world()
        let registrar = try registrar(world, MemoryStore())
        func together(_ known: ClientRegistration?) async throws -> Set<ClientRegistration> {
            try await withThrowingTaskGroup(of: ClientRegistration.self) { group in
                for _ in 0..<10 { group.addTask { try await registrar.register(Self.metadata, replacing: known) } }
                return try await group.reduce(into: []) { $0.insert($1) }
            }
        }
        let first = try await together(nil)
        #expect(first.count == 1 && world.network.count(path: "/register") == 1)
        let second = try await together(first.first)
        #expect(second.count == 1 && second != first && world.network.count(path: "/register") == 2)
    }

    @Test("A cancelled caller does not lose the new credentials")
    func cancelled() async throws {
        let world = try world(.none, RegistrationPolicy(.open, rotation: [.accessTokenOnRead, .secretOnRead]))
        let store = MemoryStore()
        let first = try await registrar(world, store).register(Self.metadata)
        let path = try #require(first.management?.url.path())
        let gate = GatedTransport(over: world.network, path: path)
        let registrar = ClientRegistrar(
            issuer: try Issuer(World.issuer),
            transport: gate,
            store: store,
            context: ExchangeContext(device: world.clock.device)
        )
        let caller = Task { try await registrar.read() }
        await gate.arrival()
        caller.cancel()
        gate.open()
        let second = try await caller.value
        #expect(try await registrar.restore() == second && second.clientSecret != first.clientSecret)
    }

    @Test("A forgotten client is removed here, and no request is sent")
    func forgotten() async throws {
        let world = try world()
        let registrar = try registrar(world, MemoryStore())
        _ = try await registrar.register(Self.metadata)
        try await registrar.forget()
        #expect(try await registrar.restore() == nil)
        #expect(!world.network.requests.contains { $0.request.method == .delete })
    }

    @Test("The time at which credentials were received is stored to the second")
    func received() async throws {
        let world = try world()
        let store = MemoryStore()
        world.clock.advance(by: .seconds(0.75))
        let registration = try await registrar(world, store).register(Self.metadata)
        #expect(registration.received == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(try await registrar(world, store).restore() == registration)
        world.clock.advance(by: .seconds(60))
        #expect(try await registrar(world, store).read().received == Date(timeIntervalSince1970: 1_800_000_060))
    }

    @Test("A deleted client is removed at the server and here")
    func deleted() async throws {
        let world = try world()
        let registrar = try registrar(world, MemoryStore())
        _ = try await registrar.register(Self.metadata)
        try await registrar.delete()
        #expect(try await registrar.restore() == nil)
        let error = await failure { () throws(SignInError) in _ = try await registrar.read() }
        guard case .configuration = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A server that no longer knows the token leaves the registration stored")
    func unauthorized() async throws {
        let world = try world(.registrationGone)
        let registrar = try registrar(world, MemoryStore())
        _ = try await registrar.register(Self.metadata)
        let error = await failure { () throws(SignInError) in _ = try await registrar.read() }
        #expect(error?.stage == .registration)
        #expect(try await registrar.restore() != nil)
    }

    @Test(
        "A faulty registration response registers nothing",
        arguments: [Scenario.missingClientID, .missingRegistrationURI, .missingRegistrationToken]
    )
    func faulty(scenario: Scenario) async throws {
        let world = try world(scenario)
        let registrar = try registrar(world, MemoryStore())
        let error = await failure { () throws(SignInError) in _ = try await registrar.register(Self.metadata) }
        guard case .malformed = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await registrar.restore() == nil)
    }

    @Test(
        "Unusual but valid registration responses are accepted",
        arguments: [Scenario.registrationOK, .missingSecretExpiry, .punctuatedCredentials]
    )
    func oddities(scenario: Scenario) async throws {
        let world = try world(scenario)
        let registrar = try registrar(world, MemoryStore())
        let registration = try await registrar.register(Self.metadata)
        #expect(try await registrar.restore() == registration)
        _ = try await registrar.read()
    }
}
