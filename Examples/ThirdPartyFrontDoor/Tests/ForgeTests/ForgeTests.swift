import Forge
import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryProvider
import OstiaryTesting
import Testing

/// A Forge, a user and an app, in this process.
struct ForgeWorld {
    let clock = TestClock()
    let network: InProcessProvider
    let store = MemoryStore()

    init(scenario: Scenario = .none) throws {
        var random = SecureRandom()
        let configuration = ProviderConfiguration(
            issuer: try Issuer("https://forge.example"),
            name: "Forge",
            clients: [
                RegisteredClient(
                    id: "app",
                    name: "The app",
                    authenticationMethod: .clientSecretPost(SecretDigest(of: Secret("app secret & more"))),
                    redirectURIs: [try RedirectURI("com.example.app://callback")],
                    allowedScopes: [.readUser, .snippets],
                    grantTypes: [.authorizationCode]
                ),
                RegisteredClient(
                    id: "api",
                    name: "The API",
                    authenticationMethod: .clientSecretPost(SecretDigest(of: Secret("api-secret"))),
                    redirectURIs: [],
                    grantTypes: [.clientCredentials],
                    mayIntrospect: true
                ),
            ],
            users: [
                ProviderUser(
                    name: "hubert",
                    passwordHash: try PasswordHash(Secret("anvil"), cost: .insecureForTests, using: &random),
                    subject: "4711",
                    claims: ["name": "Hubert Smith"]
                )
            ],
            additionalScopes: [
                ProviderScope(.readUser, sentence: "See who you are"),
                ProviderScope(.snippets, sentence: "Your snippets"),
            ],
            signingAlgorithms: [.es256],
            dialect: ForgeDialect()
        )
        let clock = clock
        network = InProcessProvider(
            provider: Provider(
                configuration: configuration,
                clock: clock.device,
                random: SecureRandom(),
                scenario: scenario
            )
        )
    }

    func start(
        secret: String = "app secret & more",
        userAgent: (any UserAgent)? = nil,
        store: (any SecretStore)? = nil
    ) throws -> Forge {
        let person = HTTPUserAgent(
            transport: network,
            credentials: .init(name: "hubert", password: Secret("anvil"))
        )
        return try Forge(
            host: ForgeHost("https://forge.example"),
            clientID: "app",
            clientSecret: Secret(secret),
            redirectURI: RedirectURI("com.example.app://callback"),
            userAgent: userAgent ?? person,
            transport: network,
            store: store ?? self.store,
            clock: clock.device
        )
    }

    func error<Outcome>(_ body: () async throws(SignInError) -> Outcome) async -> SignInError? {
        do throws(SignInError) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }
}

@Suite("A front door of a stranger's")
struct ForgeTests {
    @Test("A user signs in without OpenID, and the API returns the user's profile")
    func signIn() async throws {
        let world = try ForgeWorld()
        let session = try await world.start().signIn(scopes: [.readUser, .snippets])
        #expect(session.scopes == [.readUser, .snippets])
        let person = try await session.user()
        #expect(person.id == 4711 && person.login == "hubert" && person.name == "Hubert Smith")
        let page = try #require(world.network.requests.first { $0.path == "/login/oauth/authorize" })
        let query = try #require(FormURLEncoding.decode(page.request.url.query(percentEncoded: true) ?? ""))
        #expect(query[.codeChallengeMethod] == "S256" && query[.state]?.count == 43)
        #expect(query[.nonce] == nil && query[.scope] == "read:user snippet")
        let exchange = try #require(world.network.requests.first { $0.path == ForgeDialect.tokenPath })
        #expect(exchange.request.fields[.accept] == "application/json")
        #expect(exchange.request.form[.clientSecret] == "app secret & more")
    }

    @Test("A session outlives a restart until it is ended")
    func restored() async throws {
        let world = try ForgeWorld()
        let token = try await world.start().signIn().accessToken()
        world.clock.advance(by: .seconds(600))
        let session = try #require(try await world.start().restoreSession())
        #expect(try await session.accessToken() == token)
        #expect(try await session.user().id == 4711)
    }

    @Test("Signing out deletes the token with the app's secret")
    func signOut() async throws {
        let world = try ForgeWorld()
        let session = try await world.start().signIn()
        #expect(try await session.signOut() == nil)
        #expect(session.hasEnded)
        let deletion = try #require(world.network.requests.last)
        #expect(deletion.method == .delete && deletion.path == "/api/v3/applications/app/token")
        #expect(
            deletion.request.fields[.authorization]
                == "Basic " + Data("app:app%20secret%20%26%20more".utf8).base64EncodedString()
        )
        #expect(try await world.start().restoreSession() == nil)
        #expect(try await session.signOut() == nil, "Nobody is signed in.")
    }

    @Test("A sign-out that does not reach Forge removes the session and returns the transport error")
    func signOutOffline() async throws {
        let world = try ForgeWorld()
        let session = try await world.start().signIn()
        world.network.lose(to: "/api/v3/applications/app/token", .beforeProcessing, with: .unreachable)
        #expect(try await session.signOut() == SignInError(.revocation, .transport(.unreachable)))
        #expect(try await world.start().restoreSession() == nil)
    }

    @Test("A token that the user revoked elsewhere ends the session")
    func withdrawn() async throws {
        let world = try ForgeWorld()
        let session = try await world.start().signIn()
        let elsewhere = StoreOfAnotherProcess(world.store)
        let other = try #require(try await world.start(store: elsewhere).restoreSession())
        try await other.signOut()
        #expect(
            await world.error { () throws(SignInError) in try await session.user() }
                == SignInError(.userInfo, .signInRequired)
        )
        #expect(session.hasEnded)
    }

    @Test("A refusal with status 200 is a refusal, in the words of RFC 6749")
    func refused() async throws {
        let world = try ForgeWorld()
        let forge = try world.start(secret: "wrong")
        let error = await world.error { () throws(SignInError) in try await forge.signIn() }
        guard case .refused(let refusal) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.stage == .token && refusal.code == .invalidClient && refusal.description?.isEmpty == false)
        #expect(try await world.start().restoreSession() == nil)
    }

    @Test("Ostiary's own checks run in a third-party front door")
    func checks() async throws {
        let world = try ForgeWorld(scenario: .invalidState)
        let forge = try world.start()
        let error = await world.error { () throws(SignInError) in try await forge.signIn() }
        #expect(error == SignInError(.redirect, .mismatch(.state)))
    }

    @Test("Printing shows no secret")
    func redaction() async throws {
        let world = try ForgeWorld()
        let forge = try world.start()
        let session = try await forge.signIn()
        let token = try await session.accessToken().reveal()
        var text = ""
        dump(forge, to: &text)
        dump(session, to: &text)
        #expect(!text.contains(token) && !text.contains("app secret"))
    }

    @Test(
        "An address with a path, or without TLS, is refused",
        arguments: ["https://forge.example/x", "http://forge.example"]
    )
    func addresses(address: String) {
        #expect(throws: SignInError.self) { try ForgeHost(address) }
    }
}
