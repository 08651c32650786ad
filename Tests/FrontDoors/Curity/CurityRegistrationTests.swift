import Foundation
import HTTPTypes
import Ostiary
import OstiaryCurity
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("Curity: an app registers itself")
struct CurityRegistrationTests {
    @Test(
        "The request has lists and Booleans where the server wants them",
        .covers(.curity, rows: 36, cites: "C-1")
    )
    func request() async throws {
        let world = try CurityWorld()
        try await world.start(
            .describingItself(name: "The app", requiresConsent: true, additional: ["refresh_token_ttl": 1800])
        ).register()
        let sent = try #require(world.registrations.first)
        #expect(sent.fields[.authorization] == nil)
        #expect(sent.content?.mediaType == "application/json")
        #expect(
            try JSONObject(parsing: try #require(sent.body)) == [
                "redirect_uris": ["io.curity.client:/callback"],
                "post_logout_redirect_uris": ["io.curity.client:/logoutcallback"],
                "application_type": "native",
                "grant_types": ["authorization_code"],
                "scope": "openid profile",
                "requires_consent": true,
                "client_name": "The app",
                "refresh_token_ttl": 1800,
            ]
        )
    }

    @Test(
        "The registration response's client, secret, metadata and management are stored",
        .covers(.curity, rows: 36, 53)
    )
    func response() async throws {
        let world = try CurityWorld()
        let registration = try await world.start().register()
        #expect(registration.clientSecret?.isEmpty == false && registration.clientSecretExpiry == nil)
        #expect(registration.management?.url.absoluteString.hasSuffix("/" + registration.clientID) == true)
        #expect(registration.managementExpiry == world.clock.now.addingTimeInterval(31_536_000))
        #expect(
            registration.issued?.timeIntervalSince1970 == world.clock.now.timeIntervalSince1970.rounded(.down)
        )
        let members = registration.metadata.members
        #expect(members["grant_types"] == ["authorization_code", "refresh_token"])
        #expect(members["token_endpoint_auth_method"] == "client_secret_basic")
        #expect(members["token_endpoint_auth_methods"] == ["client_secret_basic", "client_secret_post"])
        #expect(members["response_types"] == ["code", "id_token"])
        #expect(members["default_acr_values"] == [.string(CurityWorld.passwordContext)])
        #expect(members["refresh_token_ttl"] == 3600)
        #expect(try await world.start().registration() == registration)
    }

    @Test(
        "A registration response with status 200 or 201 is accepted",
        .covers(.curity, rows: 36),
        arguments: [201, 200]
    )
    func status(code: Int) async throws {
        let scenario = Scenario(name: "status") {
            $0.response = { _, response in
                if response.status == .created { response.status = .init(code: code) }
            }
        }
        let world = try CurityWorld(scenario: scenario)
        let registration = try await world.start().register()
        #expect(try await world.start().registration() == registration)
    }

    @Test("A secret without client_secret_expires_at does not expire", .covers(.curity, rows: 36))
    func missingExpiry() async throws {
        let registration = try await CurityWorld(scenario: .missingSecretExpiry).start().register()
        #expect(registration.clientSecret != nil && registration.clientSecretExpiry == nil)
    }

    @Test(
        "A registration response with only one of registration_client_uri and registration_access_token is malformed",
        .covers(.curity, rows: 36),
        arguments: [
            (Scenario.missingRegistrationURI, "the response's registration_client_uri"),
            (.missingRegistrationToken, "the response's registration_access_token"),
            (.missingClientID, "the response's client_id"),
        ]
    )
    func half(scenario: Scenario, part: String) async throws {
        let world = try CurityWorld(scenario: scenario)
        let curity = try world.start()
        let error = await thrownError { () throws(SignInError) in try await curity.register() }
        #expect(error == SignInError(.registration, .malformed(part)))
        #expect(try await curity.registration() == nil)
    }

    @Test(
        "A server without a registration endpoint fails as unsupported, and nothing is sent",
        .covers(.curity, rows: 36)
    )
    func missingEndpoint() async throws {
        let world = try CurityWorld(dialect: CurityDialect(nonTemplatized: .disabled))
        let curity = try world.start()
        let error = await thrownError { () throws(SignInError) in try await curity.signIn() }
        #expect(error == SignInError(.registration, .unsupported("a registration_endpoint")))
        #expect(world.registrations.isEmpty)
    }

    @Test("Members that follow from the configuration cannot be overwritten", .covers(.curity, rows: 36))
    func overwriting() async throws {
        for name in ["redirect_uris", "application_type", "scope", "grant_types", "post_logout_redirect_uris"] {
            let world = try CurityWorld()
            let curity = try world.start(.describingItself(additional: [name: "other"]))
            let error = await thrownError { () throws(SignInError) in try await curity.register() }
            #expect(
                error
                    == SignInError(
                        .registration,
                        .configuration("\(name) follows from the configuration and cannot be an additional member.")
                    )
            )
            #expect(world.registrations.isEmpty)
        }
    }

    @Test("Concurrent callers register one client", .covers(.curity, rows: 36))
    func together() async throws {
        let world = try CurityWorld()
        let curity = try world.start()
        let clients = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await curity.register().clientID } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(clients.count == 1 && world.registrations.count == 1)
    }

    @Test("Every issuer has its own registration", .covers(.curity, rows: 53))
    func issuers() async throws {
        let world = try CurityWorld()
        let registration = try await world.start().register()
        let other = try world.start { $0.issuer = try Issuer("https://idsvr.example.test/oauth/v2/other") }
        #expect(try await other.registration() == nil)
        #expect(try await world.start().registration() == registration)
    }

    @Test("An app that is stopped between the two authorizations goes on where it was", .covers(.curity, rows: 36, 53))
    func stoppedBetween() async throws {
        let world = try CurityWorld()
        let registration = try await world.start().register()
        let session = try await world.start().signIn()
        #expect(session.identity?.audience == [registration.clientID])
        #expect(world.registrations.count == 1)
    }
}

@Suite("Curity: what a registration has to be")
struct CurityRegistrationCheckTests {
    /// A server that registers something else than it was asked to.
    private func world(_ name: String, _ value: JSONValue?) throws -> CurityWorld {
        try CurityWorld(scenario: Scenario(name: "other") { $0.registration = { $0[name] = value } })
    }

    private func refused(_ name: String, _ value: JSONValue?) async throws -> SignInError? {
        let world = try world(name, value)
        let curity = try world.start()
        let error = await thrownError { () throws(SignInError) in try await curity.signIn() }
        #expect(try await curity.registration() == nil, "Nothing is kept of it.")
        #expect(world.network.requests.contains { $0.method == .delete }, "It is deleted at the server, too.")
        #expect(world.tokenRequests.isEmpty)
        return error
    }

    @Test(
        "A registration with a redirect URI other than the app's is rejected",
        .covers(.curity, rows: 36, cites: "C-13")
    )
    func otherRedirect() async throws {
        #expect(
            try await refused("redirect_uris", ["io.curity.client:/other"])
                == SignInError(.registration, .mismatch(.redirectURI))
        )
    }

    @Test(
        "A registration with an unsupported authentication method is rejected",
        .covers(.curity, rows: 35, 36, cites: "C-13")
    )
    func otherMethod() async throws {
        #expect(
            try await refused("token_endpoint_auth_method", "tls_client_auth")
                == SignInError(
                    .registration,
                    .configuration("The client is registered for tls_client_auth, which is not supported.")
                )
        )
    }

    @Test(
        "ID tokens without a signature, or signed with the secret, are refused",
        .covers(.curity, rows: 27, cites: "C-2", "C-13"),
        arguments: ["none", "HS256"]
    )
    func unsigned(algorithm: String) async throws {
        #expect(
            try await refused("id_token_signed_response_alg", .string(algorithm))
                == SignInError(
                    .registration,
                    .configuration("The client is registered for ID tokens that are not signed with a public key.")
                )
        )
    }

    @Test("Encrypted ID tokens are refused", .covers(.curity, rows: 27))
    func encrypted() async throws {
        #expect(
            try await refused("id_token_encrypted_response_alg", "RSA-OAEP")
                == SignInError(.registration, .configuration("The client is registered for encrypted ID tokens."))
        )
    }

    @Test("A registration that cannot be stored is taken back", .covers(.curity, rows: 36, 53))
    func storeFails() async throws {
        let world = try CurityWorld()
        world.store.fail(.write)
        let curity = try world.start()
        let error = await thrownError { () throws(SignInError) in try await curity.register() }
        #expect(error == SignInError(.storage, .storage(.unavailable)))
        #expect(world.network.requests.contains { $0.method == .delete })
        #expect(try await curity.registration() == nil)
    }

    @Test(
        "A corrupted registration record fails as corrupted, and is left in place",
        .covers(.curity, rows: 53, cites: "C-6")
    )
    func corrupted() async throws {
        let world = try CurityWorld()
        let key = StoreKey.registration(issuer: try Issuer(CurityWorld.issuer), name: "curity")
        try await world.store.write(Array("bplist00".utf8), for: key)
        let curity = try world.start()
        let error = await thrownError { () throws(SignInError) in try await curity.signIn() }
        #expect(error == SignInError(.storage, .storage(.corrupted)))
        #expect(try await world.store.read(key) == Array("bplist00".utf8))
        #expect(world.registrations.isEmpty)
    }
}
