import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Rules of registrations")
struct RegistrationRuleTests {
    private func world(_ rules: ProviderRules) throws -> World {
        try World {
            $0.rules = rules
            $0.registration = .open
        }
    }

    private static let client: JSONObject = [
        "redirect_uris": [.string(Fixtures.redirectURI)], "token_endpoint_auth_method": "none",
    ]

    @Test("Empty members of a registration are reported once, and only those that the provider reads")
    func emptyMembers() async throws {
        let world = try world(.oidc)
        var sent = Self.client
        for number in 1...50 { sent["unknown member \(number)"] = "" }
        sent["client_uri"] = ""
        sent["logo_uri"] = ""
        #expect(await world.send(.post, "/register", sent).status == .created)
        let events = world.log.events
        #expect(events.count == 1)
        #expect(events.first?.reason == "Empty members are left out: client_uri, logo_uri.")
    }

    @Test(
        "A scope with an invalid character is rejected at registration, and the response does not repeat it",
        arguments: ProviderRules.all
    )
    func malformedScope(rules: ProviderRules) async throws {
        var sent = Self.client
        sent["scope"] = "openid \u{1b}[31m\u{e9}"
        let response = await (try world(rules)).send(.post, "/register", sent)
        #expect(response.error == "invalid_client_metadata")
        #expect(response.json?["error_description"]?.string?.contains("\u{1b}") == false)
    }

    @Test("A registration with unknown scopes alone is rejected", arguments: ProviderRules.all)
    func unknownScopesAlone(rules: ProviderRules) async throws {
        let world = try world(rules)
        var sent = Self.client
        sent["scope"] = "mcp:tools"
        #expect(await world.send(.post, "/register", sent).error == "invalid_client_metadata")
        #expect(world.log.refusal?.rule == nil)
    }

    @Test("An update with an empty member is reported as a registration is")
    func update() async throws {
        let world = try world(.oidc)
        let registered = try #require(await world.send(.post, "/register", Self.client).json)
        let id = try #require(registered["client_id"]?.string)
        var sent = Self.client
        sent["client_id"] = .string(id)
        sent["client_uri"] = ""
        let uri = try #require(registered["registration_client_uri"]?.string)
        let path = String(uri.dropFirst(Fixtures.issuer.count))
        let response = await world.send(.put, path, sent, bearer: registered["registration_access_token"]?.string)
        #expect(response.status == .ok)
        #expect(world.log.admitted == [.emptyMetadata])
    }
}
