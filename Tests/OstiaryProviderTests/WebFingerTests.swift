import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("WebFinger")
struct WebFingerTests {
    private static let rel = "http://openid.net/specs/connect/1.0/issuer"

    private func ask(_ world: World, _ pairs: Parameters) async -> ProviderResponse {
        await world.get("/.well-known/webfinger", query: FormURLEncoding.encode(pairs))
    }

    @Test("WebFinger finds a user by account and by URL, at any issuer path", arguments: ["", "/tenant"])
    func known(path: String) async throws {
        let world = try World(issuer: Fixtures.issuer + path)
        for resource in ["acct:alice@127.0.0.1", Fixtures.issuer + "/alice"] {
            let response = await ask(world, Parameters(["resource": resource, "rel": Self.rel]))
            #expect(response.status == .ok)
            #expect(response.fields[.contentType] == "application/jrd+json")
            let expected: JSONObject = [
                "subject": .string(resource),
                "links": [["rel": .string(Self.rel), "href": .string(Fixtures.issuer + path)]],
            ]
            #expect(response.json == expected)
        }
    }

    @Test("A WebFinger request for another relation gets no links")
    func otherRelation() async throws {
        let response = await ask(
            try World(),
            Parameters(["resource": "acct:alice@127.0.0.1", "rel": "http://webfinger.net/rel/avatar"])
        )
        #expect(response.json?["links"] == [])
    }

    @Test(
        "WebFinger responds 404 for an unknown user",
        arguments: ["acct:mallory@", "acct:alice@other.example", "https://other.example/alice", "alice", "acct:Alice@"]
    )
    func unknown(start: String) async throws {
        let resource = start.hasSuffix("@") ? start + "127.0.0.1" : start
        #expect(await ask(try World(), Parameters(["resource": resource])).status == .notFound)
    }

    @Test("A WebFinger request without a resource, or with two, is rejected")
    func badRequest() async throws {
        let world = try World()
        #expect(await ask(world, Parameters()).status == .badRequest)
        let twice = Parameters(["resource": "acct:a@b"])
        #expect(
            await world.get(
                "/.well-known/webfinger",
                query: FormURLEncoding.encode(twice) + "&" + FormURLEncoding.encode(twice)
            ).status == .badRequest
        )
    }
}
