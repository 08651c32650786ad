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

    /// Signs alice in and out, with a client that receives a logout token.
    private func signOut(
        _ hosts: ClientHosts,
        until outcome: ProviderEvent.Outcome,
        at uri: String = "https://app.example.com:8443/signed-out"
    ) async throws -> World {
        let uri = try ClientURI(uri)
        let world = try world {
            $0.outbound = hosts
            $0.clients[0].backChannelLogout = ClientLogout(uri)
            $0.administrationToken = SecretDigest(of: Secret("a-token-of-the-administration"))
        }
        let browser = world.browser()
        let token = try #require(try await world.tokens(in: browser).id)
        #expect(await browser.send(.get, "/end-session", Parameters([.idTokenHint: token])).isSignedOutPage)
        #expect(await world.log.first(outcome) != nil)
        return world
    }

    @Test(
        "A logout token is a request of the provider in the flow of the client's sign-in, with status and without token"
    )
    func logoutToken() async throws {
        let hosts = ClientHosts { _, _ in .status(204) }
        let world = try await signOut(hosts, until: .delivered)
        let all = exchanges(world)
        #expect(all.map(\.flow) == [1, 1, 1, 1, 1])
        let delivery = try #require(all.first { $0.sender == .provider })
        #expect(delivery.receiver == .app && delivery.clientID == "app" && delivery.userName == "alice")
        #expect(delivery.method == "POST" && delivery.origin == "https://app.example.com:8443")
        #expect(delivery.path == "/signed-out" && delivery.route == nil)
        #expect(delivery.parameters == ["logout_token": "[redacted]"])
        #expect(delivery.status == 204 && !delivery.isRefused)
        #expect(delivery.events.map(\.outcome) == [.delivered])
        let others = all.filter { $0.number != delivery.number }
        #expect(others.allSatisfy { $0.receiver == .provider && $0.origin == nil })
        let text = String(decoding: all.flatMap { $0.object.encoded() }, as: UTF8.self)
        let token = try #require(hosts.requests.first?.form["logout_token"])
        #expect(!text.contains(token) && token.split(separator: ".").allSatisfy { !text.contains($0) })
    }

    @Test("The attempts to deliver a logout token are recorded with status, or with the failure in place of one")
    func logoutAttempts() async throws {
        let hosts = ClientHosts { _, place throws(OutboundFailure) in
            if place == 1 { throw .transport(.unreachable) }
            return .status(place == 2 ? 302 : 400)
        }
        let world = try await signOut(hosts, until: .undelivered)
        let attempts = exchanges(world).filter { $0.sender == .provider }
        #expect(attempts.map(\.status) == [nil, 302, 400])
        #expect(attempts.allSatisfy { $0.isRefused && $0.flow == 1 })
        #expect(attempts.map { $0.object["status"] } == [nil, 302, 400])
        let reasons = attempts.flatMap(\.events).map(\.reason)
        #expect(reasons.count == 3 && reasons[0].hasSuffix("The host cannot be reached."))
        #expect(reasons[2].hasSuffix("The client responded with status 400."))
        #expect(world.log.events.filter { $0.outcome == .undelivered }.count == 1)
    }

    @Test("The query of a client's logout URI is redacted as parameters of any request are")
    func logoutQuery() async throws {
        let uri = "https://app.example.com/signed-out?state=secret&scope=all&key=secret"
        let world = try await signOut(ClientHosts(), until: .delivered, at: uri)
        let delivery = try #require(exchanges(world).first { $0.sender == .provider })
        #expect(delivery.path == "/signed-out")
        let shown: JSONObject = [
            "state": "[redacted]", "scope": "all", "[unknown]": "[redacted]", "logout_token": "[redacted]",
        ]
        #expect(delivery.parameters == shown)
    }

    @Test("The administration lists the requests to the provider, and no logout token")
    func logoutTokenOfAdministration() async throws {
        let world = try await signOut(ClientHosts(), until: .delivered)
        let listed = await world.send(.get, "/admin/requests", bearer: "a-token-of-the-administration").json
        let paths = listed?["requests"]?.array?.compactMap { $0.object?["path"]?.string } ?? []
        #expect(paths == ["/authorize", "/login", "/token", "/end-session"])
        #expect(exchanges(world).count == 5)
    }

    @Test("A sign-out has a report for a client whose logout page is not loaded, and is not refused")
    func frontChannel() async throws {
        let uri = try ClientURI("http://[::1]:8080/signed-out")
        let world = try world { $0.clients[0].frontChannelLogout = ClientLogout(uri) }
        let browser = world.browser()
        let token = try #require(try await world.tokens(in: browser).id)
        _ = await browser.send(.get, "/end-session", Parameters([.idTokenHint: token]))
        let last = try #require(exchanges(world).last)
        #expect(last.route == .endSession && last.events.map(\.outcome) == [.undelivered] && !last.isRefused)
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
