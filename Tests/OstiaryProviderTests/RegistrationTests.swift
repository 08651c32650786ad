import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Registration")
struct RegistrationTests {
    private func world(
        _ policy: RegistrationPolicy = .open,
        scenario: Scenario = .none,
        storage: any ProviderStorage = MemoryProviderStorage()
    ) throws -> World {
        try World(scenario: scenario, storage: storage) { $0.registration = policy }
    }

    @Test("A registration response has a client id, a secret and all registered metadata")
    func registered() async throws {
        let world = try world()
        let metadata = JSONObject.client([
            "client_uri": "https://app.example", "contacts": ["admin@app.example"], "scope": "openid notes",
            "post_logout_redirect_uris": ["http://127.0.0.1/bye"], "id_token_signed_response_alg": "ES256",
            "software_id": "1", "application_type": "native", "something_else": 1,
        ])
        let client = try await Registrant(at: world, metadata)
        for name in metadata.names where name != "something_else" { #expect(client.response[name] == metadata[name]) }
        #expect(client.response["something_else"] == nil)
        #expect(client.response["response_types"] == ["code"])
        #expect(client.response["token_endpoint_auth_method"] == "client_secret_basic")
        #expect(client.response["client_secret_expires_at"] == 0)
        #expect(client.response["client_id_issued_at"] == 1_800_000_000)
        #expect(client.path == "/register/" + client.id)
        #expect(client.secret?.isEmpty == false)
    }

    @Test("A registration of a redirect URI alone gets the defaults of RFC 7591")
    func defaults() async throws {
        let client = try await Registrant(at: try world(), ["redirect_uris": ["https://app.example/callback"]])
        #expect(client.response["grant_types"] == ["authorization_code"])
        #expect(client.response["response_types"] == ["code"])
        #expect(client.response["token_endpoint_auth_method"] == "client_secret_basic")
        #expect(client.response["scope"] == "openid profile email offline_access")
    }

    @Test("A client that names no algorithm for ID tokens is registered for RS256, where the provider has it")
    func defaultAlgorithm() async throws {
        let sent: JSONObject = ["redirect_uris": ["https://app.example/callback"]]
        func registered(_ algorithms: [SignatureAlgorithm]) async throws -> JSONValue? {
            let world = try World { ($0.registration, $0.signingAlgorithms) = (.open, algorithms) }
            return try await Registrant(at: world, sent).response["id_token_signed_response_alg"]
        }
        #expect(try await registered([.es256, .rs256]) == "RS256")
        #expect(try await registered([.es256, .edDSA]) == nil)
    }

    @Test("A registered client signs users in with their consent")
    func signIn() async throws {
        let world = try world()
        let client = try await Registrant(at: world, .client(["token_endpoint_auth_method": "none"]))
        #expect(client.secret == nil)
        #expect(client.response["client_secret_expires_at"] == nil)
        let browser = world.browser()
        let asked = try await browser.follow(try await browser.signIn(.authorization { $0[.clientID] = client.id }))
        #expect(asked.consentPage?.clientName == "The Registrant")
        let redirect = await browser.submit(try #require(asked.consentPage).form).redirect
        let code = try #require(redirect?.parameters[.code])
        let tokens = try Tokens(await world.post("/token", .codeGrant(code) { $0[.clientID] = client.id }))
        #expect(try await world.verifiedClaims(try #require(tokens.id))["aud"] == .string(client.id))
        #expect(await world.userInfo(tokens.access).status == .ok)
    }

    @Test("A registered client authenticates with its secret and no other")
    func authentication() async throws {
        let client = try await Registrant(at: try world())
        #expect(await client.authenticates(with: client.secret))
        #expect(await !client.authenticates(with: "wrong"))
        #expect(await !client.authenticates(with: nil))
    }

    @Test("A registered secret with a lifetime is rejected after it")
    func secretLifetime() async throws {
        let world = try world(RegistrationPolicy(.open, secretLifetime: .seconds(3600)))
        let client = try await Registrant(at: world)
        #expect(client.response["client_secret_expires_at"] == 1_800_003_600)
        world.clock.advance(by: .seconds(3599))
        #expect(await client.authenticates(with: client.secret))
        world.clock.advance(by: .seconds(1))
        #expect(await !client.authenticates(with: client.secret))
        #expect(await !client.authenticates(with: nil))
    }

    @Test(
        "An unsafe redirect URI is rejected at registration",
        arguments: [
            ["redirect_uris": ["http://app.example/callback"]], ["redirect_uris": ["javascript:alert(1)"]],
            ["redirect_uris": ["https://app.example/#fragment"]], ["redirect_uris": ["/callback"]],
            ["redirect_uris": [1]], ["redirect_uris": "https://app.example/"], ["redirect_uris": []],
            ["redirect_uris": .null], ["redirect_uris": .array(Array(repeating: "https://app.example/", count: 21))],
            ["application_type": "web", "redirect_uris": ["com.example.app:/callback"]],
            ["application_type": "web", "redirect_uris": ["http://app.example/callback"]],
            ["post_logout_redirect_uris": ["http://app.example/"]],
        ] as [JSONObject]
    )
    func redirectURI(changes: JSONObject) async throws {
        let response = await (try world()).send(.post, "/register", .client(changes))
        #expect(response.status == .badRequest)
        #expect(response.error == "invalid_redirect_uri")
    }

    @Test(
        "Contradictory or unsupported client metadata is rejected",
        arguments: [
            ["grant_types": ["implicit"]], ["grant_types": []], ["grant_types": "authorization_code"],
            ["response_types": ["token"]], ["response_types": []],
            ["grant_types": ["client_credentials"], "response_types": ["code"]],
            ["grant_types": ["client_credentials"], "token_endpoint_auth_method": "none"],
            ["token_endpoint_auth_method": "client_secret_jwt"], ["token_endpoint_auth_method": 1],
            ["scope": "openid unknown"], ["scope": ""], ["client_name": ""], ["client_name": 1],
            ["client_name": .string(String(repeating: "a", count: 2049))],
            ["client_uri": "http://app.example"], ["logo_uri": "logo.png"], ["contacts": "admin"], ["contacts": [1]],
            ["id_token_signed_response_alg": "none"], ["id_token_signed_response_alg": "EdDSA"],
            ["userinfo_signed_response_alg": "HS256"], ["application_type": "desktop"],
            ["jwks": ["keys": []]], ["jwks": "keys"], ["jwks": ["keys": [["kty": "oct", "k": "AAAA"]]]],
            ["jwks_uri": "http://app.example/keys"], ["token_endpoint_auth_method": "private_key_jwt"],
            ["token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://app.example/keys"],
            ["token_endpoint_auth_signing_alg": "ES256"], ["dpop_bound_access_tokens": "true"],
            ["require_pushed_authorization_requests": 1],
        ] as [JSONObject]
    )
    func metadata(changes: JSONObject) async throws {
        let response = await (try world()).send(.post, "/register", .client(changes))
        #expect(response.status == .badRequest)
        #expect(response.error == "invalid_client_metadata")
    }

    @Test(
        "A web client with the code flow registers https, or http on a loopback address",
        arguments: ["https://app.example/callback", "http://127.0.0.1:8000/callback", "http://localhost:3000/callback"]
    )
    func webClient(uri: String) async throws {
        let client = try await Registrant(
            at: try world(),
            .client(["application_type": "web", "redirect_uris": [.string(uri)]])
        )
        #expect(client.response["redirect_uris"] == [.string(uri)])
    }

    @Test("Grant and response types that the provider does not offer are left out of the registration")
    func unoffered() async throws {
        let client = try await Registrant(
            at: try world(),
            .client([
                "grant_types": ["authorization_code", "implicit", "refresh_token"],
                "response_types": ["code", "id_token", "code id_token"],
            ])
        )
        #expect(client.response["grant_types"] == ["authorization_code", "refresh_token"])
        #expect(client.response["response_types"] == ["code"])
    }

    @Test("A registration has jwks or jwks_uri, without private members and not both")
    func keys() async throws {
        let key = try SigningKey.generate(.es256)
        let set: JSONValue = ["keys": [.object(key.publicKey.jsonObject)]]
        #expect(try await Registrant(at: try world(), .client(["jwks": set])).response["jwks"] == set)
        let both = JSONObject.client(["jwks": set, "jwks_uri": "https://app.example/keys"])
        #expect(await (try world()).send(.post, "/register", both).error == "invalid_client_metadata")
        let secret = JSONObject.client(["jwks": ["keys": [.object(try key.privateJWK())]]])
        #expect(await (try world()).send(.post, "/register", secret).error == "invalid_client_metadata")
    }

    @Test("A client registered for assertions has no secret, and authenticates with its keys")
    func assertion() async throws {
        let world = try world()
        let key = try SigningKey.generate(.es256)
        let other = try SigningKey.generate(.es256)
        let client = try await Registrant(
            at: world,
            .client([
                "token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_signing_alg": "ES256",
                "jwks": ["keys": [.object(key.publicKey.jsonObject)]],
            ])
        )
        #expect(client.secret == nil)
        for (signer, error) in [(key, "invalid_grant"), (other, "invalid_client")] {
            let claims: JSONObject = [
                "iss": .string(client.id), "sub": .string(client.id), "aud": .string(Fixtures.issuer),
                "iat": 1_800_000_000, "exp": 1_800_000_060, "jti": "1",
            ]
            let assertion = try signer.sign(claims: claims, type: "JWT")
            let response = await world.post(
                "/token",
                .codeGrant("unknown") {
                    $0[.clientID] = client.id
                    $0[.clientAssertion] = assertion
                    $0[.clientAssertionType] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
                }
            )
            #expect(response.error == error)
        }
    }

    @Test("A client registered for DPoP and pushed requests must use both")
    func stricter() async throws {
        let world = try world()
        let client = try await Registrant(
            at: world,
            .client([
                "token_endpoint_auth_method": "none", "dpop_bound_access_tokens": true,
                "require_pushed_authorization_requests": true,
            ])
        )
        #expect(client.response["dpop_bound_access_tokens"] == true)
        let form = Parameters.codeGrant("unknown") { $0[.clientID] = client.id }
        #expect(await world.post("/token", form).error == "invalid_dpop_proof")
        let plain = await world.browser().authorize(.authorization { $0[.clientID] = client.id })
        #expect(plain.loginPage == nil)
    }

    @Test("A client without a redirect flow registers without redirect URIs")
    func withoutRedirects() async throws {
        let client = try await Registrant(at: try world(), ["grant_types": ["client_credentials"], "scope": "notes"])
        #expect(client.response["response_types"] == [])
        #expect(client.response["redirect_uris"] == nil)
    }

    @Test("A registration that is not one JSON object is rejected")
    func body() async throws {
        let world = try world()
        #expect(await world.post("/register", Parameters(["client_name": "a"])).error == "invalid_client_metadata")
        let request = ProviderRequest(
            method: .post,
            path: "/register",
            fields: [.contentType: "application/json"],
            body: Array("[]".utf8)
        )
        #expect(await world.provider.respond(to: request).error == "invalid_client_metadata")
    }

    @Test("A provider with closed registration rejects every client")
    func closed() async throws {
        let response = await (try world(.closed)).send(.post, "/register", .client)
        #expect(response.status == .forbidden)
        #expect(response.error == "access_denied")
    }

    @Test("A registration needs one of the initial access tokens, and gets a challenge without it")
    func initialAccessToken() async throws {
        let world = try world(.withInitialAccessToken([SecretDigest(of: Secret("a")), SecretDigest(of: Secret("b"))]))
        _ = try await Registrant(at: world, bearer: "b")
        let none = await world.send(.post, "/register", .client)
        #expect(none.status == .unauthorized)
        #expect(none.fields[.wwwAuthenticate] == "Bearer realm=\"ostiary\"")
        let wrong = await world.send(.post, "/register", .client, bearer: "c")
        #expect(wrong.status == .unauthorized)
        #expect(wrong.fields[.wwwAuthenticate] == "Bearer realm=\"ostiary\", error=\"invalid_token\"")
    }

    @Test("A registered secret and a registration access token are stored as digests")
    func digests() async throws {
        let storage = MemoryProviderStorage()
        let client = try await Registrant(at: try world(storage: storage))
        for record in await storage.records(.registeredClient) {
            let text = record.key + String(decoding: record.value.encoded(), as: UTF8.self)
            #expect(!text.contains(try #require(client.secret)))
            #expect(!text.contains(client.token))
        }
    }

    @Test("The metadata names the registration endpoint where registration is possible")
    func discovery() async throws {
        func endpoint(_ policy: RegistrationPolicy) async throws -> JSONValue? {
            try await world(policy).get("/.well-known/openid-configuration").json?["registration_endpoint"]
        }
        #expect(try await endpoint(.open)?.string == Fixtures.issuer + "/register")
        #expect(try await endpoint(.closed) == nil)
    }

    @Test("A configured client precedes a registered one of the same id")
    func configuredFirst() async throws {
        let storage = MemoryProviderStorage()
        let world = try world(storage: storage)
        let client = try await Registrant(at: world, .client(["token_endpoint_auth_method": "none"]))
        var record = try #require(await storage.record(.registeredClient, client.id))
        record.key = "poster"
        await storage.put(record)
        #expect(await world.post("/token", .codeGrant("any") { $0[.clientID] = "poster" }).error == "invalid_client")
    }

    @Test("A registration scenario changes the response")
    func scenarios() async throws {
        func answer(_ scenario: Scenario) async throws -> ProviderResponse {
            await (try world(scenario: scenario)).send(.post, "/register", .client)
        }
        #expect(try await answer(.registrationOK).status == .ok)
        #expect(try await answer(.missingClientID).json?["client_id"] == nil)
        #expect(try await answer(.missingSecretExpiry).json?["client_secret_expires_at"] == nil)
        #expect(try await answer(.missingSecretExpiry).json?["client_secret"] != nil)
        let uri = try await answer(.registrationElsewhere).json?["registration_client_uri"]?.string
        #expect(uri?.hasPrefix("https://other.example/") == true)
        #expect(try await answer(.missingRegistrationURI).json?["registration_client_uri"] == nil)
        #expect(try await answer(.missingRegistrationToken).json?["registration_access_token"] == nil)
    }

    @Test("A registered client with punctuation in its id and secret is served")
    func punctuation() async throws {
        let client = try await Registrant(at: try world(scenario: .punctuatedCredentials))
        for character in "%&+=: /?#" {
            #expect(client.id.contains(character))
            #expect(client.secret?.contains(character) == true)
        }
        #expect(await client.authenticates(with: client.secret))
        #expect(await client.send(.get).json?["client_id"]?.string == client.id)
        #expect(await client.send(.delete).status == .noContent)
        #expect(await !client.authenticates(with: client.secret))
    }
}
