import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Recent requests at the administration", .timeLimit(.minutes(1)))
struct RequestRecordTests {
    private static let token = "a-token-of-the-administration"

    private func world(change: (inout ProviderConfiguration) -> Void = { _ in }) throws -> World {
        try World {
            $0.administrationToken = SecretDigest(of: Secret(Self.token))
            change(&$0)
        }
    }

    private func list(_ world: World, query: String? = nil) async -> ProviderResponse {
        await world.get("/admin/requests", query: query, fields: [.authorization: "Bearer \(Self.token)"])
    }

    private func requests(_ world: World, query: String? = nil) async throws -> [JSONObject] {
        let list = await list(world, query: query).json?["requests"]?.array
        return try #require(list).compactMap(\.object)
    }

    @Test("A request is recorded with its client, endpoint, parameters and status, and no secret of it")
    func entry() async throws {
        let world = try world()
        let code = try await world.code()
        let form = Parameters.codeGrant(code)
        #expect(await world.post("/token", form).status == .ok)
        let entries = try await requests(world)
        #expect(entries.map { $0["number"] } == (1...entries.count).map { .integer($0) })
        let first = try #require(entries.first)
        #expect(first["method"] == "GET" && first["path"] == "/authorize" && first["endpoint"] == "authorize")
        #expect(first["client_id"] == "app" && first["status"] == 200 && first["refused"] == false)
        #expect(first["time"] == 1_800_000_000 && first["reports"] == [] && first["scenario"] == nil)
        let parameters = try #require(first["parameters"]?.object)
        #expect(parameters["scope"] == "openid profile offline_access" && parameters["state"] == "[redacted]")
        let last = try #require(entries.last)
        #expect(last["endpoint"] == "token" && last["parameters"]?.object?["grant_type"] == "authorization_code")
        let text = String(decoding: entries.flatMap { $0.encoded() }, as: UTF8.self)
        for secret in [code, Fixtures.verifier, "correct horse", "the state", "the-nonce", "alice"] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }

    @Test(
        "A name that no endpoint knows is not recorded, since it may be the rest of a secret that was not escaped",
        arguments: [
            ("client_secret=abc&Zq9", ["client_secret": "[redacted]", "[unknown]": "[redacted]"]),
            ("client_secret=a&Zq9&Zq8=j", ["client_secret": "[redacted]", "[unknown]": ["[redacted]", "[redacted]"]]),
            ("Zq9ghi", ["[unknown]": "[redacted]"]),
        ] as [(String, JSONObject)]
    )
    func unknownName(form: String, recorded: JSONObject) async throws {
        let world = try world()
        let request = ProviderRequest(
            method: .post,
            path: "/revoke",
            fields: [.contentType: "application/x-www-form-urlencoded"],
            body: Array(form.utf8)
        )
        _ = await world.provider.respond(to: request)
        let entry = try #require(try await requests(world).first)
        #expect(entry["parameters"]?.object == recorded)
        #expect(!String(decoding: entry.encoded(), as: UTF8.self).contains("Zq"))
    }

    @Test(
        "A client whose identifier is not ASCII, or long, is found by it",
        arguments: ["zo\u{eb}", "a\n", String(repeating: "x", count: 300)]
    )
    func escapedClient(id: String) async throws {
        let world = try world()
        _ = await world.browser().authorize(.authorization { $0[.clientID] = id })
        _ = await world.browser().authorize()
        let query = FormURLEncoding.encode(Parameters([.clientID: id]))
        #expect(try await requests(world, query: query).map { $0["number"] } == [1])
    }

    @Test("The page that a user posts, and the token that a client presents, name the client")
    func client() async throws {
        let world = try world()
        let tokens = try await world.tokens()
        #expect(await world.userInfo(tokens.access).status == .ok)
        let entries = try await requests(world, query: "client_id=app")
        #expect(entries.map { $0["endpoint"] } == ["authorize", "login", "token", "userinfo"])
    }

    @Test("A refused request has the reason, the rule and the mend of the log")
    func refused() async throws {
        let world = try world()
        _ = await world.browser().authorize(.webAuthorization { $0[.codeChallenge] = nil })
        let entry = try #require(try await requests(world).first)
        #expect(entry["status"] == 303 && entry["refused"] == true)
        let report = try #require(entry["reports"]?.array?.first?.object)
        #expect(report["outcome"] == "refused" && report["error"] == "invalid_request")
        #expect(report["reason"] == "The code_challenge is missing.")
        #expect(report["rule"] == "proofKeys (RFC 9700 section 2.1.1)")
        #expect(report["mend"]?.string?.hasSuffix("--rules oidc accepts it.") == true)
    }

    @Test("A request that the strict rules refuse is recorded with that rule, though it was served")
    func admitted() async throws {
        let world = try world { $0.rules = .oidc }
        _ = await world.browser().authorize(.webAuthorization { $0[.codeChallenge] = nil })
        let entry = try #require(try await requests(world).first)
        #expect(entry["refused"] == false)
        #expect(entry["reports"]?.array?.first?.object?["outcome"] == "admitted")
    }

    @Test("Requests are filtered by client, endpoint, refusal and number")
    func filters() async throws {
        let world = try world()
        _ = await world.browser().authorize()
        _ = await world.browser().authorize(.authorization { $0[.clientID] = "ap" })
        _ = await world.get("/jwks")
        _ = await world.get("/nothing")
        func numbers(_ query: String) async throws -> [JSONValue?] {
            try await requests(world, query: query).map { $0["number"] }
        }
        #expect(try await numbers("client_id=ap") == [2])
        #expect(try await numbers("endpoint=authorize") == [1, 2])
        #expect(try await numbers("refused=true") == [2, 4])
        #expect(try await numbers("refused=false&after=1") == [3])
        #expect(try await numbers("endpoint=authorize&refused=true&client_id=app") == [])
        #expect(try await requests(world, query: "after=3").first?["endpoint"] == nil)
    }

    @Test(
        "A filter that is unknown, repeated or wrong is refused with the cause",
        arguments: [
            ("client=a", "client_id, endpoint, refused and after"), ("endpoint=tokens", "Endpoints: "),
            ("refused=yes", "true or false"), ("after=-1", "the number"), ("after=1&after=2", "more than once"),
            ("%", "cannot be read"),
        ]
    )
    func wrongFilter(query: String, cause: String) async throws {
        let response = await list(try world(), query: query)
        #expect(response.status == .badRequest && response.error == "invalid_request")
        #expect(response.json?["error_description"]?.string?.contains(cause) == true)
    }

    @Test("The last 500 requests are kept, and the list says that earlier ones are forgotten")
    func bound() async throws {
        let world = try world()
        for _ in 1...1_001 { _ = await world.get("/jwks") }
        var response = await list(world)
        #expect(response.json?["requests"]?.array?.count == 500 && response.json?["truncated"] == true)
        #expect(response.json?["requests"]?.array?.first?.object?["number"] == 502)
        response = await list(world, query: "after=501")
        #expect(response.json?["truncated"] == nil)
    }

    @Test("Requests are forgotten on demand, and the numbers go on")
    func forgotten() async throws {
        let world = try world()
        _ = await world.get("/jwks")
        #expect(await world.send(.delete, "/admin/requests", bearer: Self.token).status == .noContent)
        #expect(await list(world).json == ["requests": []])
        _ = await world.get("/jwks")
        #expect(await list(world).json?["truncated"] == nil)
        #expect(try await requests(world).map { $0["number"] } == [2])
    }

    @Test("Requests of the administration, and HEAD requests that are served, are not recorded")
    func absent() async throws {
        let world = try world()
        _ = await list(world)
        _ = await world.send(.head, "/jwks")
        #expect(try await requests(world).isEmpty)
        _ = await world.send(.head, "/authorize")
        #expect(try await requests(world).map { $0["status"] } == [405])
    }

    @Test("The scenario that a request plays is recorded")
    func scenario() async throws {
        let world = try world { $0.scenarioTurns = [try! ScenarioTurn("jwks:1=status-503")] }
        _ = await world.get("/jwks")
        _ = await world.get("/jwks")
        #expect(try await requests(world).map { $0["scenario"] } == ["status-503", nil])
        #expect(try await requests(world).map { $0["refused"] } == [true, false])
    }

    @Test("A recorded request is bounded and printable, whatever it holds")
    func hostile() async throws {
        let world = try world()
        let query = (1...200).map { "a\($0)=1" }.joined(separator: "&")
        let scope = String(repeating: "s", count: 9_000)
        _ = await world.get("/authorize", query: "client_id=a%0Ab&scope=\(scope)&" + query)
        _ = await world.get("/" + String(repeating: "p", count: 9_000))
        _ = await world.get("/authorize", query: "scope=a&scope=b&state=c&state=d")
        let entries = try await requests(world)
        #expect(entries.allSatisfy { $0.encoded().count < 5_000 })
        #expect(entries[0]["client_id"] == "a\\u{a}b")
        let bounded = try #require(entries[0]["parameters"]?.object)
        #expect(bounded.names == ["client_id", "scope", "[unknown]"] && bounded["[unknown]"]?.array?.count == 48)
        #expect(entries[2]["parameters"]?.object?["scope"] == ["a", "b"])
        #expect(entries[2]["parameters"]?.object?["state"] == ["[redacted]", "[redacted]"])
    }
}
