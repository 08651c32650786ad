import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Software statements")
struct SoftwareStatementTests {
    private static let issuer = "https://trust.example"
    private let key: SigningKey
    private let world: World

    init() throws {
        let key = try SigningKey.generate(.es256)
        self.key = key
        world = try World {
            $0.registration = RegistrationPolicy(
                .withSoftwareStatement,
                trustedSoftwareStatementIssuers: [Self.issuer: JSONWebKeySet([key.publicKey])]
            )
        }
    }

    private func statement(_ changes: JSONObject = [:]) throws -> JSONValue {
        var claims: JSONObject = ["iss": .string(Self.issuer), "software_id": "trusted", "client_name": "Trusted"]
        for (name, value) in changes.members { claims[name] = value }
        return .string(try key.sign(claims: claims, type: "JWT"))
    }

    private func register(_ statement: JSONValue?) async -> ProviderResponse {
        var metadata = JSONObject.client
        metadata["software_statement"] = statement
        return await world.send(.post, "/register", metadata)
    }

    @Test("What a statement says comes before what the client says, and the statement comes back")
    func precedence() async throws {
        let statement = try statement()
        let answer = try #require(await register(statement).json)
        #expect(answer["client_name"] == "Trusted")
        #expect(answer["software_id"] == "trusted")
        #expect(answer["software_statement"] == statement)
        #expect(answer["iss"] == nil)
        #expect(answer["redirect_uris"] == ["http://127.0.0.1/callback"])
    }

    @Test("What a statement says is checked like what a client says")
    func checked() async throws {
        #expect(await register(try statement(["redirect_uris": ["http://a.example/"]])).error == "invalid_redirect_uri")
    }

    @Test("A statement for this server and for now is taken")
    func claims() async throws {
        let audience: JSONValue = ["https://other.example", .string(Fixtures.issuer)]
        let good = try statement(["aud": audience, "exp": 1_800_000_001, "nbf": 1_800_000_000])
        #expect(await register(good).status == .created)
    }

    @Test(
        "A statement that is too old, too new or for another server is not valid",
        arguments: [
            ["exp": 1_800_000_000], ["exp": "tomorrow"], ["nbf": 1_800_000_001], ["aud": "https://other.example"],
            ["aud": 1],
        ] as [JSONObject]
    )
    func invalidClaims(changes: JSONObject) async throws {
        #expect(await register(try statement(changes)).error == "invalid_software_statement")
    }

    @Test("A statement that is none, or that its issuer did not sign, is not valid")
    func invalid() async throws {
        let other = try SigningKey.generate(.es256)
        let forged = try other.sign(claims: ["iss": .string(Self.issuer)], type: "JWT")
        let anonymous = try key.sign(claims: ["software_id": "trusted"], type: "JWT")
        for value in [.string(forged), .string(anonymous), "a.b.c", "", 1] as [JSONValue] {
            #expect(await register(value).error == "invalid_software_statement")
        }
    }

    @Test("A statement of somebody who is not trusted is not approved")
    func unapproved() async throws {
        let response = await register(try statement(["iss": "https://other.example"]))
        #expect(response.error == "unapproved_software_statement")
    }

    @Test("Where a statement is needed, nobody registers or updates without one")
    func needed() async throws {
        #expect(await register(nil).error == "invalid_software_statement")
        var metadata = JSONObject.client
        metadata["software_statement"] = try statement()
        let client = try await Registrant(at: world, metadata)
        let update = JSONObject.client(["client_id": .string(client.id)])
        #expect(await client.send(.put, update).error == "invalid_software_statement")
    }
}
