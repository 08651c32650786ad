import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Settings that the administration changes", .timeLimit(.minutes(5)))
struct RunTimeSettingsTests {
    private static let token = "a-token-of-the-administration"

    private func world(change: (inout ProviderConfiguration) -> Void = { _ in }) throws -> World {
        try World {
            $0.administrationToken = SecretDigest(of: Secret(Self.token))
            change(&$0)
        }
    }

    private func send(
        _ world: World,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ object: JSONObject? = nil
    ) async -> ProviderResponse {
        await world.send(method, "/admin/\(path)", object, bearer: Self.token)
    }

    private static let plain = Parameters.webAuthorization { $0[.codeChallenge] = nil }

    // MARK: Clock

    @Test("After the clock moves forward tokens expire, and new ones have the new time")
    func clock() async throws {
        let world = try world()
        let tokens = try await world.tokens()
        #expect(await send(world, .get, "clock").json == ["now": 1_800_000_000, "advanced": 0])
        let moved = await send(world, .post, "clock", ["advance": 901])
        #expect(moved.status == .ok && moved.json == ["now": 1_800_000_901, "advanced": 901])
        #expect(await world.userInfo(tokens.access).status == .unauthorized)
        let later = try await world.tokens()
        #expect(try await world.verifiedClaims(try #require(later.id))["iat"] == 1_800_000_901)
        #expect(await send(world, .post, "clock", ["advance": 99]).json?["advanced"] == 1_000)
    }

    @Test(
        "The clock moves by whole seconds forward alone",
        arguments: [["advance": 0], ["advance": -1], ["advance": 0.5], [:], ["back": 1]] as [JSONObject]
    )
    func wrongStep(body: JSONObject) async throws {
        let world = try world()
        let response = await send(world, .post, "clock", body)
        #expect(response.status == .badRequest && response.error == "invalid_request")
        #expect(await send(world, .get, "clock").json?["advanced"] == 0)
    }

    @Test("The clock leads that of the machine by ten years at most")
    func longestLead() async throws {
        let world = try world()
        #expect(await send(world, .post, "clock", ["advance": 315_360_000]).status == .ok)
        #expect(await send(world, .post, "clock", ["advance": 1]).status == .conflict)
        #expect(await send(world, .get, "clock").json?["advanced"] == 315_360_000)
    }

    // MARK: Lifetimes

    @Test("Lifetimes that are changed hold for what is made from then on, and null returns to the configured one")
    func lifetimes() async throws {
        let world = try world { $0.lifetimes.idToken = .seconds(77) }
        let changed = await send(world, .patch, "settings", ["lifetimes": ["access_token": 5, "pushed_request": 7]])
        #expect(changed.status == .ok)
        let lifetimes = try #require(changed.json?["lifetimes"]?.object)
        #expect(lifetimes["access_token"] == 5 && lifetimes["id_token"] == 77 && lifetimes.names.count == 9)
        #expect(try await world.tokens().response["expires_in"] == 5)
        #expect(await world.post("/par", .authorization()).json?["expires_in"] == 7)
        _ = await send(world, .patch, "settings", ["lifetimes": ["access_token": .null]])
        #expect(try await world.tokens().response["expires_in"] == 900)
        #expect(await world.post("/par", .authorization()).json?["expires_in"] == 7)
        _ = await send(world, .patch, "settings", ["lifetimes": .null])
        #expect(await world.post("/par", .authorization()).json?["expires_in"] == 60)
    }

    @Test(
        "A setting that is unknown or out of its range is refused with the cause, and nothing changes",
        arguments: [
            (["lifetimes": ["access": 5]], "Known: authorization_code"),
            (["lifetimes": ["access_token": 0]], "from 1 to 315360000"),
            (["lifetimes": ["authorization_code": 61]], "from 1 to 60"),
            (["lifetimes": ["access_token": "5"]], "access_token is not a whole number"),
            (["lifetimes": 5], "lifetimes is not an object"),
            (["rules": "lax"], "oidc, strict, fapi2, mcp"), (["rules": 1], "oidc, strict"),
            (["allow": ["proofkeys"]], "proofKeys"), (["allow": "proofKeys"], "is not a list"),
            (["refresh_tokens": "once"], "replaced or kept"), (["clock": 5], "rules, allow, refresh_tokens"),
            (["rules": "oidc", "lifetimes": ["access_token": 0]], "from 1"),
            (["signing_algorithms": []], "different ones of RS256"), (["signing_algorithms": "ES256"], "is not a list"),
            (["signing_algorithms": ["none"]], "different ones of RS256"),
            (["signing_algorithms": ["ES256", "HS256"]], "EdDSA, Ed25519"),
            (["signing_algorithms": ["ES256", "ES256"]], "different ones"),
            (["throttle": true], "throttle is not false"), (["throttle": ["failures": 3]], "with failures from 1"),
            (["throttle": ["failures": 0, "seconds": 5]], "from 1 to 1000"),
            (["throttle": ["failures": 1, "seconds": 86_401]], "from 1 to 86400"),
            (["throttle": ["failures": 1, "seconds": 5, "names": 1]], "throttle is not"),
        ] as [(JSONObject, String)]
    )
    func wrong(body: JSONObject, cause: String) async throws {
        let world = try world()
        let before = await send(world, .get, "settings").json
        let response = await send(world, .patch, "settings", body)
        #expect(response.status == .badRequest && response.error == "invalid_request")
        #expect(response.json?["error_description"]?.string?.contains(cause) == true)
        #expect(await send(world, .get, "settings").json == before)
    }

    @Test("A replaced key is published while a token of a former lifetime may be valid", arguments: [false, true])
    func formerTokenLifetime(isReset: Bool) async throws {
        let world = try world()
        func keys() async -> Int? { await world.get("/jwks").json?["keys"]?.array?.count }
        let count = try #require(await keys())
        _ = await send(world, .patch, "settings", ["lifetimes": ["access_token": 3600]])
        if isReset {
            _ = await send(world, .post, "reset")
        } else {
            _ = await send(world, .patch, "settings", ["lifetimes": .null])
        }
        #expect(await send(world, .post, "keys").status == .ok)
        world.clock.advance(by: .seconds(3599))
        #expect(await keys() == 2 * count)
        world.clock.advance(by: .seconds(2))
        #expect(await keys() == count)
    }

    @Test("An ID token with a replaced key is a hint for signing out while a login of a former lifetime may last")
    func formerLoginLifetime() async throws {
        let world = try world()
        let browser = world.browser()
        _ = await send(world, .patch, "settings", ["lifetimes": ["login_session": 57_600]])
        let old = try #require(try await world.tokens(in: browser).id)
        _ = await send(world, .patch, "settings", ["lifetimes": .null])
        #expect(await send(world, .post, "keys").status == .ok)
        world.clock.advance(by: .seconds(28_801))
        #expect(await browser.send(.get, "/end-session", Parameters([.idTokenHint: old])).isSignedOutPage)
    }

    // MARK: Rules

    @Test("Rules that are changed hold for the next request and for the metadata, and null returns to the configured")
    func rules() async throws {
        let world = try world()
        #expect(await world.browser().authorize(Self.plain).redirectError == "invalid_request")
        let changed = await send(world, .patch, "settings", ["rules": "oidc"])
        #expect(changed.json?["rules"] == "oidc" && changed.json?["allow"] == [])
        #expect(await world.browser().authorize(Self.plain).loginPage != nil)
        #expect(await world.get("/.well-known/openid-configuration").json?["claims_parameter_supported"] == true)
        _ = await send(world, .patch, "settings", ["rules": .null])
        #expect(await world.browser().authorize(Self.plain).redirectError == "invalid_request")
    }

    @Test("A single rule may be broken once the administration allows it")
    func allowed() async throws {
        let world = try world()
        let changed = await send(world, .patch, "settings", ["allow": ["proofKeys", "missingScope"]])
        #expect(changed.json?["allow"] == ["missingScope", "proofKeys"] && changed.json?["rules"] == "strict")
        #expect(await world.browser().authorize(Self.plain).loginPage != nil)
        #expect(world.log.admitted == [.proofKeys])
        _ = await send(world, .patch, "settings", ["allow": []])
        #expect(await world.browser().authorize(Self.plain).redirectError == "invalid_request")
    }

    @Test("Rules of a single client are changed, and those of the others stay")
    func clientRules() async throws {
        let world = try world()
        let changed = await send(world, .patch, "clients/web%20app", ["allow": ["proofKeys"]])
        #expect(changed.status == .ok && changed.json?["allow"] == ["proofKeys"] && changed.json?["rules"] == "strict")
        #expect(await world.browser().authorize(Self.plain).loginPage != nil)
        let other = Self.plain.merging([.clientID: "poster", .scope: "openid"])
        #expect(await world.browser().authorize(other).redirectError == "invalid_request")
        let named = await send(world, .patch, "clients/web%20app", ["rules": "oidc", "allow": .null])
        #expect(named.json?["rules"] == "oidc" && named.json?["allow"] == [])
        #expect(await world.browser().authorize(Self.plain).loginPage != nil)
        #expect(await send(world, .patch, "clients/web%20app", ["rules": .null]).json?["rules"] == "strict")
        #expect(await world.browser().authorize(Self.plain).redirectError == "invalid_request")
        #expect(await send(world, .patch, "clients/unknown-app", ["rules": "oidc"]).status == .notFound)
        #expect(await send(world, .patch, "clients/app", ["rules": "lax"]).status == .badRequest)
    }

    @Test("Rules that are changed at a client's identifier with a scenario are those of the client")
    func clientRulesWithScenario() async throws {
        let world = try world { $0.scenarioChoice = .byRequest }
        let path = "clients/web%20app~\(Scenario.missingState.name)"
        let changed = await send(world, .patch, path, ["rules": "oidc", "allow": ["formPost"]])
        #expect(changed.json?["rules"] == "oidc" && changed.json?["allow"] == ["formPost"])
        let client = await send(world, .get, "clients/web%20app").json
        #expect(client?["rules"] == "oidc" && client?["allow"] == ["formPost"])
        #expect(await world.browser().authorize(Self.plain).loginPage != nil)
    }

    @Test("The rules of a client that is removed are forgotten")
    func removedClient() async throws {
        let world = try world()
        let added = await send(world, .post, "clients", ["redirect_uris": [.string(Fixtures.redirectURI)]])
        let id = try #require(added.json?["client_id"]?.string)
        #expect(await send(world, .patch, "clients/\(id)", ["rules": "mcp"]).json?["rules"] == "mcp")
        let record = try #require(try await world.storage.record(.registeredClient, id))
        #expect(await send(world, .delete, "clients/\(id)").status == .noContent)
        #expect(await send(world, .patch, "clients/\(id)", ["rules": "mcp"]).status == .notFound)
        try await world.storage.put(record)
        #expect(await send(world, .get, "clients/\(id)").json?["rules"] == "strict")
    }

    @Test("Rules under which no key of the provider may sign are refused")
    func unsigned() async throws {
        let world = try world {
            $0.signingAlgorithms = [.rs256]
            $0.clients = [$0.clients[0]]
        }
        for path in ["settings", "clients/app"] {
            let response = await send(world, .patch, path, ["rules": "fapi2"])
            #expect(response.status == .conflict && response.error == "invalid_request")
        }
        #expect(await send(world, .get, "settings").json?["rules"] == "strict")
        #expect(await send(world, .get, "clients/app").json?["rules"] == "strict")
    }

    @Test("The metadata and the tokens have the algorithms of the rules alone")
    func algorithms() async throws {
        let world = try world { $0.signingAlgorithms = [.rs256, .es256] }
        _ = await send(world, .patch, "settings", ["rules": "fapi2"])
        let metadata = try #require(await world.get("/.well-known/openid-configuration").json)
        #expect(metadata["id_token_signing_alg_values_supported"] == ["ES256"])
        #expect(metadata["require_pushed_authorization_requests"] == true)
    }

    // MARK: Algorithms

    /// The `alg` of the key set's keys.
    private func keyAlgorithms(_ world: World) async throws -> [String] {
        let keys = try #require(await world.get("/jwks").json?["keys"]?.array)
        return keys.compactMap { $0.object?["alg"]?.string }
    }

    @Test("Tokens have the algorithm that the administration chooses, and the former keys are published until they end")
    func signingAlgorithms() async throws {
        let world = try world {
            $0.signingAlgorithms = [.es256]
            $0.signingKeys = []
            $0.clients = [$0.clients[0]]
        }
        let former = try #require(try await world.tokens().id)
        let changed = await send(world, .patch, "settings", ["signing_algorithms": ["EdDSA", "ES384"]])
        #expect(changed.json?["signing_algorithms"] == ["EdDSA", "ES384"])
        #expect(await send(world, .get, "settings").json == changed.json)
        let metadata = await world.get("/.well-known/openid-configuration").json
        #expect(metadata?["id_token_signing_alg_values_supported"] == ["EdDSA", "ES384"])
        let tokens = try await world.tokens()
        #expect(try UnverifiedJWT(try #require(tokens.id)).header.algorithmName == "EdDSA")
        _ = try await world.verifiedClaims(try #require(tokens.id))
        _ = try await world.verifiedClaims(former)
        #expect(try await keyAlgorithms(world) == ["EdDSA", "ES384", "ES256"])
        world.clock.advance(by: .seconds(901))
        #expect(try await keyAlgorithms(world) == ["EdDSA", "ES384"])
    }

    @Test("Algorithms in another order keep their keys, and null and a reset return to those of the configuration")
    func returnedAlgorithms() async throws {
        let world = try world {
            $0.signingAlgorithms = [.es256, .es384]
            $0.clients = [$0.clients[0]]
        }
        let keys = await world.get("/jwks").json
        _ = await send(world, .patch, "settings", ["signing_algorithms": ["ES384", "ES256"]])
        #expect(await world.get("/jwks").json == keys)
        #expect(try UnverifiedJWT(try #require(try await world.tokens().id)).header.algorithmName == "ES384")
        for path in ["settings", "reset"] {
            _ = await send(world, .patch, "settings", ["signing_algorithms": ["EdDSA"]])
            #expect(try UnverifiedJWT(try #require(try await world.tokens().id)).header.algorithmName == "EdDSA")
            let body: JSONObject? = path == "reset" ? nil : ["signing_algorithms": .null]
            _ = await send(world, path == "reset" ? .post : .patch, path, body)
            let settings = await send(world, .get, "settings").json
            #expect(settings?["signing_algorithms"] == ["ES256", "ES384"])
            let tokens = try await world.tokens()
            #expect(try UnverifiedJWT(try #require(tokens.id)).header.algorithmName == "ES256")
            _ = try await world.verifiedClaims(try #require(tokens.id))
        }
    }

    @Test("Rules change with the algorithms that they need, in one request, and not without them")
    func algorithmsOfRules() async throws {
        let world = try world {
            $0.signingAlgorithms = [.rs256]
            $0.clients = [$0.clients[0]]
        }
        let both: JSONObject = ["rules": "fapi2", "signing_algorithms": ["ES256"]]
        #expect(await send(world, .patch, "settings", both).json?["rules"] == "fapi2")
        let keys = await world.get("/jwks").json
        let back = await send(world, .patch, "settings", ["signing_algorithms": .null])
        #expect(back.status == .conflict)
        #expect(back.json?["error_description"]?.string?.contains("add signing_algorithms with ES256") == true)
        #expect(await world.get("/jwks").json == keys)
        #expect(await send(world, .get, "settings").json?["signing_algorithms"] == ["ES256"])
        #expect(await send(world, .patch, "settings", ["signing_algorithms": .null, "rules": .null]).status == .ok)
    }

    @Test("Algorithms that a client of the configuration may not take are refused; one that it requests keeps a key")
    func algorithmsOfClients() async throws {
        let world = try world {
            $0.signingAlgorithms = [.es256]
            $0.clients = [$0.clients[0]]
            $0.clients[0].idTokenAlgorithm = .rs256
            $0.clients[0].rules = .strict
        }
        _ = await send(world, .patch, "settings", ["signing_algorithms": ["EdDSA"]])
        #expect(try UnverifiedJWT(try #require(try await world.tokens().id)).header.algorithmName == "RS256")
        let bound = try self.world {
            $0.signingAlgorithms = [.es256]
            $0.clients = [$0.clients[0]]
            $0.clients[0].rules = .fapi2
            $0.signingKeys = []
        }
        #expect(await send(bound, .patch, "settings", ["signing_algorithms": ["RS256"]]).status == .conflict)
        #expect(try await keyAlgorithms(bound) == ["ES256"])
    }

    @Test("Keys that cannot be stored leave the settings as they were")
    func unstoredKeys() async throws {
        let storage = FailingStorage()
        let world = try World(storage: storage) {
            $0.administrationToken = SecretDigest(of: Secret(Self.token))
            $0.signingAlgorithms = [.es256]
            $0.clients = [$0.clients[0]]
        }
        _ = try await world.tokens()
        storage.fail(after: 0)
        let body: JSONObject = ["signing_algorithms": ["EdDSA"], "lifetimes": ["access_token": 5]]
        #expect(await send(world, .patch, "settings", body).status == .internalServerError)
        storage.fail(after: nil)
        let settings = await send(world, .get, "settings").json
        #expect(settings?["signing_algorithms"] == ["ES256"])
        #expect(settings?["lifetimes"]?.object?["access_token"] == 900)
        _ = try await world.tokens()
    }

    @Test("Changes of the algorithms at once leave tokens that the key set verifies")
    func changesAtOnce() async throws {
        let world = try world {
            $0.signingAlgorithms = [.es256]
            $0.clients = [$0.clients[0]]
        }
        await withTaskGroup(of: Void.self) { group in
            for name in ["ES384", "EdDSA", "ES512", "ES256", "Ed25519", "ES384"] {
                group.addTask { _ = await send(world, .patch, "settings", ["signing_algorithms": [.string(name)]]) }
            }
        }
        let settings = await send(world, .get, "settings").json
        let id = try #require(try await world.tokens().id)
        _ = try await world.verifiedClaims(id)
        let algorithm = try UnverifiedJWT(id).header.algorithmName
        #expect(settings?["signing_algorithms"] == [.string(algorithm)])
    }

    // MARK: Wrong passwords

    @Test("Wrong passwords close a name as the administration has it, none with false, and null returns to the usual")
    func wrongPasswords() async throws {
        let world = try world()
        func tryWrong(_ count: Int) async throws {
            for _ in 0..<count {
                _ = try await world.browser().signIn(.authorization(), name: "alice", password: "wrong")
            }
        }
        func status() async throws -> HTTPResponse.Status { try await world.browser().signIn(.authorization()).status }
        let usual = await send(world, .get, "settings").json?["throttle"]
        #expect(usual == ["failures": 10, "seconds": 300])
        let few: JSONObject = ["throttle": ["failures": 2, "seconds": 60]]
        #expect(await send(world, .patch, "settings", few).json?["throttle"] == few["throttle"])
        try await tryWrong(2)
        #expect(try await status() == .tooManyRequests)
        world.clock.advance(by: .seconds(60))
        #expect(try await status() != .tooManyRequests)
        #expect(await send(world, .patch, "settings", ["throttle": false]).json?["throttle"] == false)
        try await tryWrong(12)
        #expect(try await status() != .tooManyRequests)
        #expect(await send(world, .patch, "settings", ["throttle": .null]).json?["throttle"] == usual)
        try await tryWrong(10)
        #expect(try await status() == .tooManyRequests)
    }

    @Test("Refresh tokens of a confidential client stay valid where the administration wants that")
    func refreshTokens() async throws {
        let world = try world { $0.clients[2].allowedScopes.append(.offlineAccess) }
        #expect(await send(world, .patch, "settings", ["refresh_tokens": "kept"]).json?["refresh_tokens"] == "kept")
        let basic: HTTPFields = [.authorization: "Basic d2ViJTIwYXBwOnAlMjVzcyUzQSUyMCUyQndvcmQ="]
        let request = Parameters.webAuthorization { $0[.scope] = "openid offline_access" }
        let grant = Parameters.codeGrant(try await world.code(request), redirectURI: request[.redirectURI]) {
            $0[.clientID] = nil
        }
        let tokens = try Tokens(await world.post("/token", grant, fields: basic))
        let form = Parameters([.grantType: "refresh_token", .refreshToken: try #require(tokens.refresh)])
        #expect(await world.post("/token", form, fields: basic).status == .ok)
        #expect(await world.post("/token", form, fields: basic).status == .ok)
        _ = await send(world, .patch, "settings", ["refresh_tokens": .null])
        #expect(await world.post("/token", form, fields: basic).status == .ok)
        #expect(await world.post("/token", form, fields: basic).error == "invalid_grant")
    }

    @Test("The administration's throttle also decides for one-time codes")
    func wrongOneTimePasswords() async throws {
        let token = SecretDigest(of: Secret(Self.token))
        let world = try World.withSecondFactor { $0.administrationToken = token }
        let browser = world.browser()
        let page = try await browser.passwordFirst()
        func entered(afterWrong count: Int) async throws -> ProviderResponse {
            for _ in 0..<count { _ = await browser.enter("000000", page) }
            return await browser.enter(try world.oneTimePassword(), page)
        }
        _ = await send(world, .patch, "settings", ["throttle": ["failures": 12, "seconds": 600]])
        let closed = try await entered(afterWrong: 12)
        #expect(closed.status == .tooManyRequests && closed.fields[.retryAfter] == "600")
        _ = await send(world, .patch, "settings", ["throttle": false])
        #expect(try await entered(afterWrong: 1).redirect?.parameters[.code] != nil)
    }

    @Test("Used one-time codes close a name as the administration has it")
    func usedOneTimePasswords() async throws {
        let token = SecretDigest(of: Secret(Self.token))
        let world = try World.withSecondFactor { $0.administrationToken = token }
        let first = world.browser()
        let code = try world.oneTimePassword()
        _ = await first.enter(code, try await first.passwordFirst())
        _ = await send(world, .patch, "settings", ["throttle": ["failures": 12, "seconds": 600]])
        let browser = world.browser()
        let page = try await browser.passwordFirst()
        for _ in 0..<12 { #expect(await browser.enter(code, page).status == .ok) }
        #expect(await browser.enter(code, page).status == .tooManyRequests)
    }

    // MARK: Reset

    @Test("A reset returns to the start: users, settings, faults, logins, tokens, clients and requests")
    func reset() async throws {
        let world = try world()
        let browser = world.browser()
        let tokens = try await world.tokens(in: browser)
        let added = await send(world, .post, "clients", ["redirect_uris": [.string(Fixtures.redirectURI)]])
        let id = try #require(added.json?["client_id"]?.string)
        _ = await send(world, .put, "users/carol", ["password": "secret"])
        _ = await send(world, .delete, "users/bob")
        _ = await send(world, .put, "scenarios", ["turns": ["token:9=status-503"]])
        _ = await send(world, .patch, "settings", ["rules": "oidc", "lifetimes": ["id_token": 1]])
        _ = await send(world, .post, "clock", ["advance": 5])
        let keys = await world.get("/jwks").json
        #expect(await send(world, .post, "reset").status == .noContent)
        #expect(await world.userInfo(tokens.access).status == .unauthorized)
        #expect(await browser.authorize(.authorization { $0[.prompt] = "none" }).redirectError == "login_required")
        #expect(await send(world, .get, "clients/\(id)").status == .notFound)
        let names = await send(world, .get, "users").json?["users"]?.array?.map { $0.object?["name"] }
        #expect(names == ["alice", "bob"])
        #expect(await send(world, .get, "scenarios").json?["turns"] == [])
        #expect(await send(world, .get, "settings").json?["rules"] == "strict")
        #expect(await send(world, .get, "settings").json?["lifetimes"]?.object?["id_token"] == 300)
        #expect(await send(world, .get, "requests").json?["requests"]?.array?.count == 2)
        // The clock never goes back, and tokens of the keys are out in the world.
        #expect(await send(world, .get, "clock").json?["advanced"] == 5)
        #expect(await world.get("/jwks").json == keys)
        _ = try await world.tokens()
    }

    @Test("A reset that cannot be stored says so")
    func failedReset() async throws {
        let storage = FailingStorage()
        let world = try World(storage: storage) {
            $0.administrationToken = SecretDigest(of: Secret(Self.token))
        }
        _ = try await world.tokens()
        storage.failRemovals(1)
        #expect(await send(world, .post, "reset").status == .internalServerError)
    }

    @Test("After a reset the scenario of another algorithm begins with the first one again")
    func algorithmAfterReset() async throws {
        let world = try World(scenario: .refreshOtherAlgorithm) {
            $0.administrationToken = SecretDigest(of: Secret(Self.token))
        }
        func algorithms() async -> JSONValue? {
            await world.get("/.well-known/openid-configuration").json?["id_token_signing_alg_values_supported"]
        }
        let first = await algorithms()
        let refresh = try #require(try await world.tokens().refresh)
        #expect(await world.refresh(refresh).status == .ok)
        #expect(await algorithms() != first)
        _ = await send(world, .post, "reset")
        #expect(await algorithms() == first)
    }

    @Test("After a reset no refusal has the reason of a pushed request from before")
    func pushAfterReset() async throws {
        let world = try world { $0.requiresPushedAuthorizationRequests = true }
        #expect(await world.post("/par", .authorization { $0[.codeChallenge] = nil }).error == "invalid_request")
        _ = await send(world, .post, "reset")
        _ = await world.browser().authorize()
        #expect(world.log.refusal?.reason == "The authorization request has to be pushed.")
    }

    @Test("A reset opens the names that wrong passwords have closed")
    func throttle() async throws {
        let world = try world()
        for _ in 1...11 { _ = try await world.browser().signIn(.authorization(), name: "alice", password: "wrong") }
        #expect(try await world.browser().signIn(.authorization()).status == .tooManyRequests)
        _ = await send(world, .post, "reset")
        _ = try await world.tokens()
    }
}

extension Parameters {
    fileprivate func merging(_ other: Parameters) -> Parameters {
        other.pairs.reduce(into: self) { $0[$1.name] = $1.value }
    }
}
