import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Administration", .timeLimit(.minutes(5)))
struct AdministrationTests {
    private static let token = "a token of the administration"

    private func world(
        storage: any ProviderStorage = MemoryProviderStorage(),
        change: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws -> World {
        try World(storage: storage) {
            $0.administrationToken = SecretDigest(of: Secret(Self.token.replacing(" ", with: "-")))
            change(&$0)
        }
    }

    private func send(
        _ world: World,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ object: JSONObject? = nil
    ) async -> ProviderResponse {
        await world.send(method, "/admin/\(path)", object, bearer: Self.token.replacing(" ", with: "-"))
    }

    private static let resources = [
        "users", "users/alice", "clients", "clients/app", "sessions", "sessions/x", "keys", "scenarios", "settings",
        "clock", "requests", "reset", "snapshot", "unheard", "",
    ]

    @Test("Without the administration token a request is refused, and learns of no resource", arguments: resources)
    func unauthorized(path: String) async throws {
        let world = try world()
        let none = await world.send(.get, "/admin/\(path)")
        #expect(none.status == .unauthorized && none.fields[.wwwAuthenticate] == "Bearer realm=\"ostiary\"")
        let wrong = await world.send(.get, "/admin/\(path)", bearer: "wrong")
        #expect(wrong.status == .unauthorized)
        #expect(wrong.fields[.wwwAuthenticate]?.contains("invalid_token") == true)
    }

    @Test("A provider without an administration token has no administration", arguments: resources)
    func absent(path: String) async throws {
        let response = await send(try World(), .get, path)
        #expect(response.status == .notFound && response.json == nil)
    }

    @Test("A resource that does not exist is 404, and another method 405 with the methods that there are")
    func wrongRequests() async throws {
        let world = try world()
        for path in ["unheard", "", "users/", "users/nobody", "clients/nobody", "sessions/none", "users/a/b", "keys/x"]
        {
            let response = await send(world, .get, path)
            #expect(response.status == .notFound && response.error == "not_found")
        }
        let response = await send(world, .post, "users", [:])
        #expect(response.status == .methodNotAllowed && response.fields[.allow] == "GET")
        #expect(await send(world, .patch, "users/alice", [:]).fields[.allow] == "GET, PUT, DELETE")
    }

    // MARK: Users

    @Test("A user that is added signs in with the password, and the list shows no password")
    func addedUser() async throws {
        let world = try world()
        let claims: JSONObject = ["name": "Carol", "email": "carol@example.com"]
        let added = await send(
            world,
            .put,
            "users/carol",
            ["password": "secret", "sub": "3", "claims": .object(claims)]
        )
        #expect(added.status == .created)
        #expect(added.json == ["name": "carol", "sub": "3", "claims": .object(claims)])
        let response = try await world.browser().signIn(.authorization(), name: "carol", password: "secret")
        let code = try #require(response.redirect?.parameters[.code])
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        #expect(await world.userInfo(tokens.access).json?["sub"] == "3")
        let list = await send(world, .get, "users").json?["users"]?.array
        #expect(list?.compactMap { $0.object?["name"]?.string } == ["alice", "bob", "carol"])
        #expect(list?.allSatisfy { $0.object?.names == ["name", "sub", "claims"] } == true)
    }

    @Test("A user that is changed keeps what the request leaves out, and the tokens have the new claims")
    func changedUser() async throws {
        let world = try world()
        let tokens = try await world.tokens()
        let changed = await send(world, .put, "users/alice", ["claims": ["name": "Alice Brown"]])
        #expect(changed.status == .ok && changed.json?["sub"] == "subject-of-alice")
        #expect(await world.userInfo(tokens.access).json?["name"] == "Alice Brown")
        _ = try await world.tokens()
    }

    @Test("A user that is removed cannot sign in, and the user's logins and tokens end")
    func removedUser() async throws {
        let world = try world()
        let browser = world.browser()
        let tokens = try await world.tokens(in: browser)
        #expect(await send(world, .delete, "users/alice").status == .noContent)
        #expect(await world.userInfo(tokens.access).status == .unauthorized)
        #expect(await world.refresh(try #require(tokens.refresh)).error == "invalid_grant")
        #expect(await browser.authorize().loginPage != nil)
        #expect(await send(world, .get, "users/alice").status == .notFound)
        #expect(await send(world, .delete, "users/alice").status == .notFound)
    }

    /// A request that asks for consent.
    private static let stranger = Parameters.authorization { $0[.clientID] = "stranger" }

    /// Signs alice in at a client that asks for consent, and gives it.
    private func allow(_ world: World, in browser: Browser) async throws -> Tokens {
        let consent = try #require(try await browser.follow(try await browser.signIn(Self.stranger)).consentPage)
        let code = try #require(await browser.submit(consent.form).redirect?.parameters[.code])
        return try Tokens(await world.post("/token", .codeGrant(code) { $0[.clientID] = "stranger" }))
    }

    @Test(
        "A sub that a removed or changed user had brings its next user none of the former grants and consents",
        arguments: [HTTPRequest.Method.delete, .put]
    )
    func reusedSubject(method: HTTPRequest.Method) async throws {
        let world = try world()
        let tokens = try await allow(world, in: world.browser())
        world.clock.advance(by: .seconds(8 * 3600 + 1))
        let code = try await world.code()
        let change: JSONObject? = method == .put ? ["sub": "another"] : nil
        #expect(await send(world, method, "users/alice", change).status.kind == .successful)
        let members: JSONObject = ["password": "correct horse", "sub": "subject-of-alice"]
        #expect(await send(world, .put, "users/carol", members).status == .created)
        let refreshed = await world.refresh(try #require(tokens.refresh)) { $0[.clientID] = "stranger" }
        #expect(refreshed.error == "invalid_grant")
        #expect(await world.post("/token", .codeGrant(code)).error == "invalid_grant")
        let browser = world.browser()
        let response = try await browser.signIn(Self.stranger, name: "carol", password: "correct horse")
        #expect(try await browser.follow(response).consentPage?.userName == "carol")
    }

    @Test("The removal of a user leaves the tokens of a client whose identifier is the user's sub, and other users'")
    func othersOfSubject() async throws {
        let world = try world()
        let browser = world.browser()
        let code = try #require(
            try await browser.signIn(.authorization(), name: "bob", password: "battery staple").redirect?
                .parameters[.code]
        )
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        #expect(await send(world, .put, "users/carol", ["password": "p", "sub": "service"]).status == .created)
        let own = Parameters([
            .grantType: "client_credentials", .clientID: "service", .clientSecret: "served", .scope: "notes",
        ])
        #expect(await world.post("/token", own).status == .ok)
        let grants = try await world.storage.records(.grant)
        #expect(grants.count == 2)
        #expect(await send(world, .delete, "users/carol").status == .noContent)
        #expect(await send(world, .delete, "users/alice").status == .noContent)
        #expect(try await world.storage.records(.grant) == grants)
        #expect(await world.refresh(try #require(tokens.refresh)).status == .ok)
    }

    @Test("A removal or a change of sub that cannot be stored leaves the user, and is done by the next request")
    func failedRemoval() async throws {
        let storage = FailingStorage()
        let world = try world(storage: storage)
        for (method, change) in [(HTTPRequest.Method.put, JSONObject?(["sub": "other"])), (.delete, nil)] {
            let tokens = try await world.tokens()
            let user = await send(world, .get, "users/alice").json
            storage.failRemovals(1)
            #expect(await send(world, method, "users/alice", change).status == .internalServerError)
            #expect(await send(world, .get, "users/alice").json == user)
            #expect(await send(world, method, "users/alice", change).status.kind == .successful)
            #expect(await world.refresh(try #require(tokens.refresh)).error == "invalid_grant")
        }
        #expect(await send(world, .get, "users/alice").status == .notFound)
    }

    @Test("A user that is removed while a change hashes the password comes back as a new user, without the old sub")
    func concurrentRemoval() async throws {
        let world = try world()
        for _ in 0..<4 {
            #expect(await send(world, .put, "users/carol", ["password": "p", "sub": "3"]).status == .created)
            async let change = send(world, .put, "users/carol", ["password": "q"])
            async let removal = send(world, .delete, "users/carol")
            let (changed, removed) = await (change, removal)
            #expect(removed.status == .noContent)
            #expect(changed.json?["sub"] == (changed.status == .created ? "carol" : "3"))
            let isThere = await send(world, .get, "users/carol").status == .ok
            #expect(isThere == (changed.status == .created))
            if isThere { #expect(await send(world, .delete, "users/carol").status == .noContent) }
        }
    }

    @Test("The sub of a new user, its own or its name, is at most 255 ASCII characters")
    func subjectSyntax() async throws {
        let world = try world()
        let long = String(repeating: "a", count: 256)
        for (name, sub) in [(long, nil), ("caf%C3%A9", nil), ("carol", "caf\u{e9}"), ("carol", long)] {
            var members: JSONObject = ["password": "p"]
            members["sub"] = sub.map { .string($0) }
            let response = await send(world, .put, "users/\(name)", members)
            #expect(response.status == .badRequest && response.error == "invalid_request")
        }
        #expect(await send(world, .put, "users/caf%C3%A9", ["password": "p", "sub": "4"]).status == .created)
        #expect(await send(world, .put, "users/caf%C3%A9", ["claims": [:]]).json?["sub"] == "4")
    }

    @Test("A user with another's sub, without a password or with a wrong member is refused, and nothing has changed")
    func wrongUsers() async throws {
        let world = try world()
        let taken = await send(world, .put, "users/carol", ["password": "secret", "sub": "subject-of-bob"])
        #expect(taken.status == .conflict)
        let wrong: [JSONObject] = [
            ["password": ""], ["password": 1], ["password": "p", "sub": ""], ["password": "p", "claims": []],
            ["password": "p", "admin": true], ["password": .string(String(repeating: "p", count: 1025))],
        ]
        for members in wrong {
            let response = await send(world, .put, "users/carol", members)
            #expect(response.status == .badRequest && response.error == "invalid_request")
        }
        let unnamed = await send(world, .put, "users/carol", ["sub": "3"])
        #expect(unnamed.status == .badRequest && unnamed.error == "invalid_request")
        #expect(unnamed.json?["error_description"] == "A new user needs a password: add the member password.")
        let accented = await send(world, .put, "users/caf%C3%A9", ["password": "p"])
        #expect(accented.json?["error_description"]?.string?.hasSuffix("add the member sub.") == true)
        #expect(await send(world, .get, "users").json?["users"]?.array?.count == 2)
    }

    @Test("A new user needs no password where users sign in without one")
    func withoutPassword() async throws {
        let world = try world { $0.signIn = .automatic(userName: "alice") }
        let added = await send(world, .put, "users/carol", ["claims": ["name": "Carol"]])
        #expect(added.status == .created && added.json?["sub"] == "carol")
        let code = await world.browser().authorize(.authorization { $0[.loginHint] = "carol" })
        let tokens = try Tokens(await world.post("/token", .codeGrant(try #require(code.redirect?.parameters[.code]))))
        #expect(await world.userInfo(tokens.access).json?["name"] == "Carol")
        #expect(await send(world, .put, "users/carol", ["claims": [:]]).status == .ok)
    }

    @Test("There are at most 1,000 users")
    func userBound() async throws {
        let world = try world()
        for number in 0..<998 {
            #expect(await send(world, .put, "users/user\(number)", ["password": "p"]).status == .created)
        }
        #expect(await send(world, .put, "users/one-more", ["password": "p"]).status == .conflict)
        #expect(await send(world, .put, "users/user0", ["password": "q"]).status == .ok)
    }

    // MARK: Clients

    @Test("A client that is added signs users in although registration is closed, until it is removed")
    func clients() async throws {
        let world = try world { $0.registration = .closed }
        let added = await send(
            world,
            .post,
            "clients",
            ["redirect_uris": [.string(Fixtures.redirectURI)], "token_endpoint_auth_method": "none"]
        )
        #expect(added.status == .created)
        let id = try #require(added.json?["client_id"]?.string)
        let authorization = Parameters.authorization {
            $0[.clientID] = id; $0[.scope] = "openid"
        }
        #expect(await world.browser().authorize(authorization).loginPage != nil)
        let list = try #require(await send(world, .get, "clients").json?["clients"]?.array)
        #expect(list.last?.object?["client_id"]?.string == id && list.last?.object?["registered"] == true)
        #expect(list.first?.object?["client_id"] == "app" && list.first?.object?["registered"] == false)
        #expect(list.allSatisfy { $0.object?["client_secret"] == nil })
        #expect(await send(world, .get, "clients/\(id)").json?["redirect_uris"] == [.string(Fixtures.redirectURI)])
        #expect(await send(world, .delete, "clients/\(id)").status == .noContent)
        #expect(await world.browser().authorize(authorization).errorSentence != nil)
        #expect(await send(world, .delete, "clients/\(id)").status == .notFound)
        #expect(await send(world, .delete, "clients/app").status == .conflict)
        #expect(await send(world, .post, "clients", ["redirect_uris": "x"]).error == "invalid_redirect_uri")
    }

    // MARK: Sessions

    @Test("A session that is removed ends with its tokens, and its clients receive a logout token")
    func session() async throws {
        let hosts = ClientHosts()
        let uri = try ClientURI("https://app.example.com/out")
        let world = try world {
            $0.outbound = hosts
            $0.clients[0].backChannelLogout = ClientLogout(uri)
        }
        let browsers = [world.browser(), world.browser()]
        for browser in browsers { _ = try await world.tokens(in: browser) }
        let list = try #require(await send(world, .get, "sessions").json?["sessions"]?.array)
        #expect(list.count == 2)
        let first = try #require(list.first?.object)
        #expect(first["sub"] == "subject-of-alice" && first["name"] == "alice" && first["clients"] == ["app"])
        let sid = try #require(first["sid"]?.string)
        #expect(await send(world, .get, "sessions/\(sid)").json == first)
        #expect(await send(world, .delete, "sessions/\(sid)").status == .noContent)
        #expect(await world.log.first(.delivered)?.clientID == "app")
        #expect(await browsers[0].authorize().loginPage != nil)
        #expect(await browsers[1].authorize().redirect != nil)
        #expect(await send(world, .delete, "sessions/\(sid)").status == .notFound)
        #expect(await send(world, .delete, "sessions").status == .noContent)
        #expect(await browsers[1].authorize().loginPage != nil)
    }

    @Test("A session that has expired is not listed")
    func expiredSession() async throws {
        let world = try world()
        _ = try await world.tokens()
        world.clock.advance(by: .seconds(8 * 3600 + 1))
        #expect(await send(world, .get, "sessions").json == ["sessions": []])
    }

    // MARK: Keys and scenarios

    @Test("A request replaces the signing keys; the list says which keys sign, and holds no private part")
    func keys() async throws {
        let world = try world()
        func list(_ method: HTTPRequest.Method) async -> [JSONObject] {
            await send(world, method, "keys").json?["keys"]?.array?.compactMap(\.object) ?? []
        }
        let old = await list(.get)
        #expect(old.count == 2 && old.allSatisfy { $0["signs"] == true && $0["d"] == nil })
        let new = await list(.post)
        #expect(new.count == 4 && new.map { $0["signs"] == true } == [true, true, false, false])
        #expect(new.suffix(2).map { $0["kid"] } == old.map { $0["kid"] })
        #expect(await list(.get) == new)
    }

    @Test("The turns of scenarios are set while the provider runs, and count from then on")
    func scenarios() async throws {
        let world = try world()
        _ = try await world.tokens()
        let set = await send(world, .put, "scenarios", ["turns": ["token:2=status-503", "jwks:1-2=status-500"]])
        #expect(set.json == ["scenario": "none", "turns": ["token:2=status-503", "jwks:1-2=status-500"]])
        _ = try await world.tokens()
        #expect(await world.post("/token", .codeGrant("any")).status == .serviceUnavailable)
        #expect(await send(world, .put, "scenarios", ["turns": ["token:2=unheard"]]).error == "invalid_request")
        #expect(await send(world, .put, "scenarios", ["turns": "token"]).error == "invalid_request")
        let many = [JSONValue](repeating: "token:2=status-503", count: 101)
        #expect(await send(world, .put, "scenarios", ["turns": .array(many)]).error == "invalid_request")
        #expect(await send(world, .get, "scenarios").json?["turns"]?.array?.count == 2)
        #expect(await send(world, .put, "scenarios", ["turns": []]).json?["turns"] == [])
    }

    @Test("The administration responds while every other request fails")
    func whileFailing() async throws {
        let world = try World(scenario: try #require(Scenario.named("status-503"))) {
            $0.administrationToken = SecretDigest(of: Secret("admin"))
        }
        #expect(await world.get("/jwks").status == .serviceUnavailable)
        #expect(await world.send(.get, "/admin/scenarios", bearer: "admin").json?["scenario"] == "status-503")
    }

    @Test("A scenario that a request of the administration chooses does not change what it does")
    func chosenScenario() async throws {
        let world = try world { $0.scenarioChoice = .byRequest }
        var request = ProviderRequest(
            method: .put,
            path: "/admin/scenarios",
            body: (["turns": ["jwks:1=status-503"]] as JSONObject).encoded()
        )
        request.fields[.contentType] = "application/json"
        request.fields[.authorization] = "Bearer " + Self.token.replacing(" ", with: "-")
        request.fields[HTTPField.Name("Ostiary-Scenario") ?? .origin] = Scenario.invalidNonce.name
        let response = await world.provider.respond(to: request)
        #expect(response.json?["scenario"] == "none")
        #expect(await world.get("/jwks").status == .serviceUnavailable)
    }

    @Test(
        "A client that is added while a scenario of registration is played is a usual one",
        arguments: [Scenario.punctuatedCredentials, .missingClientID]
    )
    func clientWithoutScenario(scenario: Scenario) async throws {
        let world = try World(scenario: scenario) {
            $0.administrationToken = SecretDigest(of: Secret("admin"))
        }
        let client: JSONObject = ["redirect_uris": [.string(Fixtures.redirectURI)]]
        let added = await world.send(.post, "/admin/clients", client, bearer: "admin")
        let id = try #require(added.json?["client_id"]?.string)
        #expect(added.status == .created && !id.contains("%"))
        let secret = try #require(added.json?["client_secret"]?.string)
        #expect(!secret.contains("%"))
    }
}
