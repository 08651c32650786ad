import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Exchanges for the inspector", .timeLimit(.minutes(1)))
struct InspectionTests {
    private func world(change: (inout ProviderConfiguration) -> Void = { _ in }) throws -> World {
        try World {
            $0.inspector = .present
            change(&$0)
        }
    }

    private func exchanges(_ world: World) -> [RecordedExchange] { world.provider.recordedExchanges().exchanges }

    @Test("A sign-in, its refresh and its user info request are one flow, and another sign-in is another")
    func flow() async throws {
        let world = try world()
        let tokens = try await world.tokens()
        #expect(await world.userInfo(tokens.access).status == .ok)
        #expect(await world.refresh(try #require(tokens.refresh)).status == .ok)
        _ = try await world.tokens()
        let all = exchanges(world)
        #expect(all.map(\.number) == Array(1...all.count))
        #expect(all.filter { $0.flow == 1 }.map(\.route) == [.authorization, .login, .token, .userInfo, .token])
        #expect(Set(all.map(\.flow)) == [1, 6])
    }

    @Test("A pushed request and the authorization request that refers to it are one flow")
    func pushed() async throws {
        let world = try world()
        let pushed = await world.post("/par", .authorization())
        let uri = try #require(pushed.json?["request_uri"]?.string)
        _ = await world.browser().authorize(Parameters([.clientID: "app", "request_uri": uri]))
        #expect(exchanges(world).map(\.flow) == [1, 1])
        #expect(exchanges(world).map(\.sender) == [.app, .browser])
        #expect(exchanges(world)[0].response["request_uri"] == "[redacted]")
        #expect(exchanges(world)[0].response["expires_in"]?.integer != nil)
    }

    @Test("A request with a code that the provider did not issue is a flow of its own")
    func unknownCode() async throws {
        let world = try world()
        _ = try await world.code()
        #expect(await world.post("/token", .codeGrant("wrong")).error == "invalid_grant")
        let last = try #require(exchanges(world).last)
        #expect(last.flow == last.number && last.isRefused)
        #expect(last.response["error"] == "invalid_grant" && last.response["error_description"] != nil)
    }

    @Test("A user is named from the code on, and no exchange has a secret or what the user typed")
    func user() async throws {
        let world = try world()
        let code = try await world.code()
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        let all = exchanges(world)
        #expect(all.map(\.userName) == [nil, "alice", "alice"])
        let redirect = try #require(all[1].redirect)
        #expect(redirect.isToClient && redirect.location == Fixtures.redirectURI)
        #expect(all[1].response["code"] == "[redacted]" && all[1].response["iss"] == .string(Fixtures.issuer))
        #expect(all[2].response["access_token"] == "[redacted]" && all[2].response["token_type"] == "Bearer")
        let text = String(decoding: all.flatMap { $0.object.encoded() }, as: UTF8.self)
        let secrets = [
            code, tokens.access, tokens.refresh, tokens.id, Fixtures.verifier, "correct horse", "the state",
            "the-nonce",
        ]
        for secret in secrets.compactMap(\.self) { #expect(!text.contains(secret)) }
    }

    @Test("A member of a response that is not known has neither its name nor its value recorded")
    func unknownMembers() async throws {
        let world = try World(scenario: .unknownMembers) { $0.inspector = .present }
        let tokens = try await world.tokens()
        let known = Set(RecordedParameter.all.map(\.name))
        let unknown = tokens.response.names.filter { !known.contains($0) }
        #expect(!unknown.isEmpty)
        let response = try #require(exchanges(world).last).response
        #expect(response.names.allSatisfy { known.contains($0) || $0 == "[unknown]" })
        #expect(response["[unknown]"] != nil)
    }

    @Test("A client that authenticates is a backend, one that introspects a resource server, another an app")
    func senders() async throws {
        let world = try world()
        _ = await world.post("/token", Parameters([.grantType: "authorization_code", .clientID: "app"]))
        _ = await world.post("/token", Parameters([.grantType: "authorization_code", .clientID: "web app"]))
        _ = await world.post("/introspect", Parameters([.token: "a"]))
        _ = await world.get("/jwks")
        _ = await world.get("/nothing")
        #expect(exchanges(world).map(\.sender) == [.app, .backend, .resource, .app, .browser])
    }

    @Test(
        "The scheme of the authorization field and the presence of a proof are recorded, their values are not",
        arguments: [("basic c2VjcmV0", "Basic"), ("DPoP secret", "DPoP"), ("Bearer secret", "Bearer"), ("secret", nil)]
    )
    func authorization(field: String, scheme: String?) async throws {
        let world = try world()
        _ = await world.get("/userinfo", fields: [.authorization: field, .dpop: "proof-secret"])
        let exchange = try #require(exchanges(world).first)
        #expect(exchange.authorization == scheme && exchange.hasProof)
        let text = String(decoding: exchange.object.encoded(), as: UTF8.self)
        #expect(!text.contains("secret") && !text.contains("c2VjcmV0"))
    }

    @Test("A parameter that only responses show is redacted in a request")
    func requestError() async throws {
        let world = try world()
        _ = await world.get("/authorize", query: "error=secret&iss=secret&token_type=secret&expires_in=1")
        let parameters = try #require(exchanges(world).first).parameters
        #expect(parameters.members.allSatisfy { $0.value == "[redacted]" } && parameters.count == 4)
    }

    @Test("A recorded parameter has a meaning and a source, and no name occurs twice")
    func meanings() {
        let all = RecordedParameter.all
        #expect(Set(all.map(\.name)).count == all.count)
        for parameter in all {
            #expect(parameter.meaning.hasSuffix(".") && !parameter.source.isEmpty, "\(parameter.name)")
        }
        let secrets: Set = ["code", "client_secret", "access_token", "refresh_token", "id_token", "password", "state"]
        let found = all.filter { secrets.contains($0.name) }
        #expect(found.count == secrets.count && found.allSatisfy { $0.visibility == .redacted })
    }

    @Test("The last 10,000 exchanges are kept, and their flows end with what they are known by")
    func bound() async throws {
        let world = try world()
        for _ in 1...11_500 { _ = await world.get("/jwks") }
        let kept = world.provider.recordedExchanges()
        #expect(kept.exchanges.count == 10_000 && kept.first == 1_501 && kept.exchanges.first?.number == 1_501)
        #expect(world.provider.recordedExchanges(after: 11_499).exchanges.map(\.number) == [11_500])
        #expect(world.provider.recordedExchanges(after: 2_000, maximum: 2).exchanges.map(\.number) == [2_001, 2_002])
        #expect(world.provider.recordedExchanges(after: .max).exchanges.isEmpty)
        #expect(world.provider.recordedExchanges(after: .min, maximum: 1).exchanges.map(\.number) == [1_501])
    }

    @Test("A stream of recordings has an element after an exchange, and one after the exchanges were forgotten")
    func changes() async throws {
        let token = "a-token-of-the-administration"
        let world = try world { $0.administrationToken = SecretDigest(of: Secret(token)) }
        var changes = world.provider.recordings().makeAsyncIterator()
        _ = await world.get("/jwks")
        _ = await world.get("/jwks")
        #expect(await changes.next() != nil)
        #expect(await world.send(.delete, "/admin/requests", bearer: token).status == .noContent)
        #expect(await changes.next() != nil)
        #expect(exchanges(world).isEmpty && world.provider.recordedExchanges().first == 3)
    }

    @Test("Without an inspector nothing is recorded for it, with an administration or without")
    func absent() async throws {
        for token in [nil, SecretDigest(of: Secret("a-token-of-the-administration"))] {
            let world = try World { $0.administrationToken = token }
            _ = await world.get("/jwks")
            #expect(exchanges(world).isEmpty)
        }
    }

    @Test("The front page names the inspector only where there is one")
    func frontPage() async throws {
        for (policy, url) in [(ProviderConfiguration.InspectorPolicy.absent, nil), (.present, "/inspector")] {
            let world = try World {
                $0.frontPage = .present
                $0.inspector = policy
            }
            guard case .front(let page) = await world.get("/").page else { throw Missing() }
            #expect(page.inspectorURL == url.map { Fixtures.issuer + $0 })
        }
    }
}
