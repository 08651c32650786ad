import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Management of a registration")
struct ClientManagementTests {
    private func registrant(
        _ rotation: RegistrationPolicy.Rotation = [],
        scenario: Scenario = .none,
        secretLifetime: Duration? = nil,
        _ metadata: JSONObject = .client
    ) async throws -> Registrant {
        let world = try World(scenario: scenario) {
            $0.registration = RegistrationPolicy(.open, secretLifetime: secretLifetime, rotation: rotation)
        }
        return try await Registrant(at: world, metadata)
    }

    private func update(_ client: Registrant, _ changes: JSONObject = [:]) -> JSONObject {
        changes.members.reduce(into: JSONObject.client(["client_id": .string(client.id)])) { $0[$1.name] = $1.value }
    }

    @Test("A client reads its registration with its own token, without the secret")
    func read() async throws {
        let client = try await registrant()
        let answer = try #require(await client.send(.get).json)
        var expected = client.response
        expected["client_secret"] = nil
        expected["client_secret_expires_at"] = nil
        #expect(answer == expected)
    }

    @Test(
        "A registration request with another client's token or none is rejected",
        arguments: [HTTPRequest.Method.get, .put, .delete]
    )
    func unauthorized(method: HTTPRequest.Method) async throws {
        let client = try await registrant()
        let other = try await Registrant(at: client.world)
        let body = method == .put ? update(client) : nil
        for token in ["wrong", other.token] {
            let response = await client.send(method, body, bearer: token)
            #expect(response.status == .unauthorized)
            #expect(response.fields[.wwwAuthenticate]?.contains("invalid_token") == true)
        }
        let none = await client.world.send(method, client.path, body)
        #expect(none.status == .unauthorized)
        #expect(none.fields[.wwwAuthenticate] == "Bearer realm=\"ostiary\"")
        #expect(await client.send(.get).status == .ok)
    }

    @Test("A configured or unknown client has no registration to manage")
    func unknown() async throws {
        let client = try await registrant()
        for path in ["/register/app", "/register/unknown", "/register/%zz", "/register/"] {
            let response = await client.world.send(.get, path, bearer: client.token)
            #expect(response.status == .unauthorized || response.status == .notFound)
        }
    }

    @Test("A registration request with another method gets 405")
    func methods() async throws {
        let client = try await registrant()
        let response = await client.send(.post, update(client))
        #expect(response.status == .methodNotAllowed)
        #expect(response.fields[.allow] == "GET, PUT, DELETE")
    }

    @Test("A registration update replaces every member, and removes those left out")
    func replaced() async throws {
        let client = try await registrant(.init(), .client(["client_uri": "https://app.example"]))
        let answer = try #require(await client.send(.put, update(client, ["client_name": "Renamed"])).json)
        #expect(answer["client_name"] == "Renamed")
        #expect(answer["client_uri"] == nil)
        #expect(answer["client_id"]?.string == client.id)
        #expect(answer["registration_access_token"]?.string == client.token)
        #expect(await client.send(.get).json?["client_name"] == "Renamed")
        #expect(await client.authenticates(with: client.secret))
    }

    @Test("A registration update may repeat the secret, and returns it")
    func repeatedSecret() async throws {
        let client = try await registrant()
        let secret = try #require(client.secret)
        let answer = await client.send(.put, update(client, ["client_secret": .string(secret)])).json
        #expect(answer?["client_secret"]?.string == secret)
        #expect(answer?["client_secret_expires_at"] == 0)
    }

    @Test(
        "A registration update for another client, or with the server's own members, changes nothing",
        arguments: [
            ["client_id": "other"], ["client_id": .null], ["client_secret": "other"], ["client_secret": 1],
            ["registration_access_token": "a"], ["registration_client_uri": "https://a.example"],
            ["client_secret_expires_at": 0], ["client_id_issued_at": 0], ["grant_types": ["implicit"]],
        ] as [JSONObject]
    )
    func refused(changes: JSONObject) async throws {
        let client = try await registrant()
        let response = await client.send(.put, update(client, changes))
        #expect(response.status == .badRequest)
        #expect(response.error == "invalid_client_metadata")
        #expect(await client.send(.get).json?["client_name"] == "The Registrant")
    }

    @Test("A registration update issues or removes the secret with the authentication method")
    func method() async throws {
        let client = try await registrant()
        let without = await client.send(.put, update(client, ["token_endpoint_auth_method": "none"])).json
        #expect(without?["client_secret"] == nil)
        #expect(await client.authenticates(with: nil))
        #expect(await !client.authenticates(with: client.secret))
        let answer = await client.send(.put, update(client)).json
        let secret = try #require(answer?["client_secret"]?.string)
        #expect(secret != client.secret)
        #expect(await client.authenticates(with: secret))
    }

    @Test("A registration update renews an expired secret")
    func renewed() async throws {
        let client = try await registrant(.init(), secretLifetime: .seconds(60))
        client.world.clock.advance(by: .seconds(60))
        let answer = await client.send(.put, update(client)).json
        #expect(answer?["client_secret_expires_at"] == 1_800_000_120)
        #expect(await client.authenticates(with: answer?["client_secret"]?.string))
    }

    @Test("A registration access token can be valid for one read, or one update")
    func rotatedToken() async throws {
        let client = try await registrant([.accessTokenOnRead, .accessTokenOnUpdate])
        let second = try #require(await client.send(.get).json?["registration_access_token"]?.string)
        #expect(second != client.token)
        #expect(await client.send(.get).status == .unauthorized)
        let answer = await client.send(.put, update(client), bearer: second).json
        let third = try #require(answer?["registration_access_token"]?.string)
        #expect(await client.send(.get, bearer: second).status == .unauthorized)
        #expect(await client.send(.get, bearer: third).status == .ok)
    }

    @Test("A registration update can replace the secret")
    func rotatedSecret() async throws {
        let client = try await registrant(.secretOnUpdate)
        let answer = await client.send(.put, update(client)).json
        let secret = try #require(answer?["client_secret"]?.string)
        #expect(await client.authenticates(with: secret))
        #expect(await !client.authenticates(with: client.secret))
        #expect(await client.send(.get).json?["client_secret"] == nil)
    }

    @Test("A deleted client's registration and tokens are removed")
    func removed() async throws {
        let client = try await registrant([], .client(["token_endpoint_auth_method": "none"]))
        let world = client.world
        let browser = world.browser()
        let asked = try await browser.follow(try await browser.signIn(.authorization { $0[.clientID] = client.id }))
        let redirect = await browser.submit(try #require(asked.consentPage).form).redirect
        let code = try #require(redirect?.parameters[.code])
        let tokens = try Tokens(await world.post("/token", .codeGrant(code) { $0[.clientID] = client.id }))
        let others = try await world.tokens()
        #expect(await client.send(.delete).status == .noContent)
        #expect(await world.userInfo(tokens.access).status == .unauthorized)
        #expect(await world.userInfo(others.access).status == .ok)
        #expect(await client.send(.get).status == .unauthorized)
        let late = await world.refresh(try #require(tokens.refresh)) { $0[.clientID] = client.id }
        #expect(late.error == "invalid_client")
        for kind in [ProviderRecord.Kind.refreshToken, .accessToken, .grant] {
            let records = try await world.storage.records(kind)
            #expect(!records.contains { $0.value["client_id"]?.string == client.id })
        }
    }

    @Test("A provider below a path has its registration endpoint there")
    func path() async throws {
        let world = try World(issuer: Fixtures.issuer + "/tenant") { $0.registration = .open }
        let response = await world.send(.post, "/tenant/register", .client)
        let uri = try #require(response.json?["registration_client_uri"]?.string)
        #expect(uri.hasPrefix(Fixtures.issuer + "/tenant/register/"))
        let token = try #require(response.json?["registration_access_token"]?.string)
        let path = String(uri.dropFirst(Fixtures.issuer.count))
        #expect(await world.send(.get, path, bearer: token).status == .ok)
    }

    @Test("A scenario rotates a client's credentials, or loses the client")
    func scenarios() async throws {
        let rotating = try await registrant(scenario: .rotatedRegistrationToken)
        #expect(await rotating.send(.get).json?["registration_access_token"]?.string != rotating.token)
        let renewing = try await registrant(scenario: .rotatedClientSecret)
        let secret = await renewing.send(.get).json?["client_secret"]?.string
        #expect(await renewing.authenticates(with: secret))
        #expect(await !renewing.authenticates(with: renewing.secret))
        let gone = try await registrant(scenario: .registrationGone)
        #expect(await gone.send(.get).status == .unauthorized)
        #expect(await gone.send(.put, update(gone)).status == .ok)
    }
}
