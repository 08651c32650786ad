import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryCurity
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("Curity: what allows an app to register")
struct CurityInitialAccessTests {
    private static let closed = CurityDialect(nonTemplatized: .withInitialAccessToken)
    private static let service = CurityInitialAccess.clientCredentials(
        clientID: "dcr-service",
        secret: Secret("service-secret")
    )

    @Test(
        "A registration without an initial access token is rejected with 401",
        .covers(.curity, rows: 36, cites: "C-1")
    )
    func without() async throws {
        let world = try CurityWorld(dialect: Self.closed)
        let curity = try world.start()
        let error = await thrownError { () throws(SignInError) in try await curity.register() }
        #expect(error == SignInError(.registration, .server(status: 401)))
        #expect(try await curity.registration() == nil)
    }

    @Test(
        "An initial access token is accepted for one registration, and rejected for the second",
        .covers(.curity, rows: 36, cites: "C-1", "C-15")
    )
    func once() async throws {
        let world = try CurityWorld(dialect: Self.closed)
        let tokens = SignInClient(
            issuer: try Issuer(CurityWorld.issuer),
            client: try Client(
                id: "dcr-service",
                redirectURI: try RedirectURI("io.curity.client:/callback"),
                authentication: .clientSecretBasic(Secret("service-secret"))
            ),
            configuration: SignInClient.Configuration(
                userAgent: world.browser,
                transport: world.network,
                store: MemoryStore(),
                clock: world.clock.device
            )
        )
        let token = try await tokens.clientCredentials(scopes: ["dcr"]).accessToken
        let access = CurityInitialAccess.token { () throws(SignInError) in token }
        let curity = try world.start(.describingItself(access: access))
        try await curity.register()
        #expect(world.registrations[0].fields[.authorization] == "Bearer " + token.reveal())
        try await curity.forgetDevice()
        let error = await thrownError { () throws(SignInError) in try await curity.register() }
        #expect(error == SignInError(.registration, .refused(OAuthError(code: .invalidToken))))
    }

    @Test("A token without the registration scope is rejected as an initial access token", .covers(.curity, rows: 36))
    func otherScope() async throws {
        let world = try CurityWorld()
        let token = try await world.start().signIn().accessToken()
        let closed = try CurityWorld(dialect: Self.closed)
        let access = CurityInitialAccess.token { () throws(SignInError) in token }
        let curity = try closed.start(.describingItself(access: access))
        let error = await thrownError { () throws(SignInError) in try await curity.register() }
        #expect(error == SignInError(.registration, .refused(OAuthError(code: .invalidToken))))
    }

    @Test("A client with a secret obtains the initial access token", .covers(.curity, rows: 36))
    func credentials() async throws {
        let world = try CurityWorld(dialect: Self.closed)
        let session = try await world.start(.describingItself(access: Self.service)).signIn()
        #expect(session.identity?.subject == "alice-subject")
        #expect(world.registrations.count == 1)
    }

    @Test("A client that was not granted the registration scope fails before it registers", .covers(.curity, rows: 36))
    func scopeMissing() async throws {
        let world = try CurityWorld(
            scenario: Scenario(name: "no scope") { $0.tokenResponse = { response, _ in response["scope"] = "other" } },
            dialect: Self.closed
        )
        let curity = try world.start(.describingItself(access: Self.service))
        let error = await thrownError { () throws(SignInError) in try await curity.register() }
        #expect(
            error
                == SignInError(
                    .registration,
                    .configuration("The client that gets initial access tokens did not get the scope dcr.")
                )
        )
        #expect(world.registrations.isEmpty)
    }

    @Test(
        "A user who signs in to register is not asked for the password twice in one browser",
        .covers(.curity, rows: 20, 24, 36, cites: "C-1")
    )
    func person() async throws {
        let world = try CurityWorld(dialect: Self.closed)
        let curity = try world.start(.describingItself(access: .signIn(clientID: "mobile-dcr-client")))
        let session = try await curity.signIn()
        #expect(session.identity?.subject == "alice-subject")
        #expect(world.network.count(path: "/authn/authentication/login") == 1)
        let pages = world.pages("/oauth/v2/oauth-authorize")
        #expect(pages.first?[.clientID] == "mobile-dcr-client")
        #expect(pages.first?[.scope] == "dcr" && pages.first?[.prompt] == "login")
        #expect(!CurityConfiguration.prefersEphemeralBrowser)
    }

    @Test(
        "A browser without memory asks for the password at the registration and at the sign-in",
        .covers(.curity, rows: 24)
    )
    func ephemeral() async throws {
        let world = try CurityWorld(dialect: Self.closed)
        let forgetful = ScriptedUserAgent { (url, redirectURI) async throws(SignInError) in
            let browser = HTTPUserAgent(
                transport: world.network,
                credentials: .init(name: "alice", password: Secret("wonderland"))
            )
            return try await browser.attempt(awaiting: redirectURI).open(url, accepting: .any)
        }
        let access = CurityInitialAccess.signIn(clientID: "mobile-dcr-client")
        _ = try await world.start(.describingItself(access: access), userAgent: forgetful).signIn()
        #expect(world.network.count(path: "/authn/authentication/login") == 2)
    }

    @Test("The initial access token is never stored", .covers(.curity, rows: 36, cites: "C-15"))
    func notStored() async throws {
        let world = try CurityWorld(dialect: Self.closed)
        let store = CurityRecordingStore()
        let curity = Curity(
            try CurityWorld.configuration(.describingItself(access: .signIn(clientID: "mobile-dcr-client"))),
            userAgent: world.browser,
            transport: world.network,
            store: store,
            clock: world.clock.device
        )
        _ = try await curity.signIn()
        let token = try #require(world.registrations.first?.fields[.authorization]?.dropFirst("Bearer ".count))
        #expect(store.written.count > 2 && store.written.allSatisfy { !$0.contains(token) })
    }

    @Test(
        "A registration by template sends the software_id and nothing else",
        .covers(.curity, rows: 36, cites: "C-1"),
        arguments: [true, false]
    )
    func template(tellsMetadata: Bool) async throws {
        let template = CurityTemplate(
            id: "mobile-template",
            metadata: [
                "redirect_uris": ["io.curity.client:/callback"],
                "post_logout_redirect_uris": ["io.curity.client:/logoutcallback"], "scope": "openid profile",
                "token_endpoint_auth_method": "client_secret_basic",
            ],
            tellsMetadata: tellsMetadata
        )
        let world = try CurityWorld(dialect: CurityDialect(nonTemplatized: .disabled, templates: [template]))
        let session = try await world.start(.template("mobile-template", access: Self.service)).signIn()
        #expect(session.identity?.subject == "alice-subject")
        let sent = try #require(world.registrations.first?.body)
        #expect(try JSONObject(parsing: sent) == ["software_id": "mobile-template"])
        #expect(try await session.signOut().endedProviderSession)
    }

    @Test("A template that the server does not have is refused", .covers(.curity, rows: 36))
    func unknownTemplate() async throws {
        let world = try CurityWorld()
        let curity = try world.start(.template("nowhere", access: .open))
        let error = await thrownError { () throws(SignInError) in try await curity.register() }
        #expect(
            error
                == SignInError(
                    .registration,
                    .refused(
                        OAuthError(
                            code: .invalidClientMetadata,
                            description: "There is no template with this software_id."
                        )
                    )
                )
        )
    }
}

/// A store that remembers everything that was ever written to it.
final class CurityRecordingStore: SecretStore {
    private let store = MemoryStore()
    private let texts = Lock<[String]>([])

    var written: [String] { texts.withLock { $0 } }

    func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? { try await store.read(key) }
    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        texts.withLock { $0.append(String(decoding: value, as: UTF8.self)) }
        try await store.write(value, for: key)
    }
    func remove(_ key: StoreKey) async throws(StorageFailure) { try await store.remove(key) }
}
