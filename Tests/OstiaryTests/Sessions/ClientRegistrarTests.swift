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

    @Test("It registers, signs in with what it was given, and is still known after a restart")
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
            userAgent: world.person(),
            transport: world.network,
            clock: world.clock.device
        ).signIn()
        #expect(session.identity?.subject == "alice-subject")
    }

    @Test("An initial access token is needed where the server asks for one")
    func initialToken() async throws {
        let world = try world(.none, .withInitialAccessToken([SecretDigest(of: Secret("welcome"))]))
        let registrar = try registrar(world, MemoryStore())
        let error = await failure { () throws(SignInError) in _ = try await registrar.register(Self.metadata) }
        #expect(error?.stage == .registration)
        _ = try await registrar.register(Self.metadata, initialAccessToken: Secret("welcome"))
    }

    @Test("Rotated credentials are stored before they are used, and used then")
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

    @Test("What cannot be stored is not used: the registration is taken back")
    func storeFails() async throws {
        let world = try world()
        let store = FaultyStore(MemoryStore())
        store.fail(.write)
        let registrar = try registrar(world, store)
        let error = await failure { () throws(SignInError) in _ = try await registrar.register(Self.metadata) }
        #expect(error == SignInError(.storage, .storage(.unavailable)))
        #expect(world.network.requests.contains { $0.request.method == .delete })
    }

    @Test("A deleted client is gone, there and here")
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
        "A faulty answer registers nothing",
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
        "What servers in the field answer otherwise is taken",
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
