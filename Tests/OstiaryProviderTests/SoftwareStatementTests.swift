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

    @Test("A software statement's claims precede the client's, and the statement is returned")
    func precedence() async throws {
        let statement = try statement()
        let answer = try #require(await register(statement).json)
        #expect(answer["client_name"] == "Trusted")
        #expect(answer["software_id"] == "trusted")
        #expect(answer["software_statement"] == statement)
        #expect(answer["iss"] == nil)
        #expect(answer["redirect_uris"] == ["http://127.0.0.1/callback"])
    }

    @Test("A software statement's claims are checked like the client's")
    func checked() async throws {
        #expect(await register(try statement(["redirect_uris": ["http://a.example/"]])).error == "invalid_redirect_uri")
    }

    @Test("A software statement for this server and time is accepted")
    func claims() async throws {
        let audience: JSONValue = ["https://other.example", .string(Fixtures.issuer)]
        let good = try statement(["aud": audience, "exp": 1_800_000_001, "nbf": 1_800_000_000])
        #expect(await register(good).status == .created)
    }

    @Test(
        "A software statement that is too old, too new or for another server is invalid",
        arguments: [
            ["exp": 1_800_000_000], ["exp": "tomorrow"], ["nbf": 1_800_000_001], ["aud": "https://other.example"],
            ["aud": 1],
        ] as [JSONObject]
    )
    func invalidClaims(changes: JSONObject) async throws {
        #expect(await register(try statement(changes)).error == "invalid_software_statement")
    }

    @Test("A software statement that is malformed or has a wrong signature is invalid")
    func invalid() async throws {
        let other = try SigningKey.generate(.es256)
        let forged = try other.sign(claims: ["iss": .string(Self.issuer)], type: "JWT")
        let anonymous = try key.sign(claims: ["software_id": "trusted"], type: "JWT")
        for value in [.string(forged), .string(anonymous), "a.b.c", "", 1] as [JSONValue] {
            #expect(await register(value).error == "invalid_software_statement")
        }
    }

    @Test("A software statement of an untrusted issuer is not approved")
    func unapproved() async throws {
        let response = await register(try statement(["iss": "https://other.example"]))
        #expect(response.error == "unapproved_software_statement")
    }

    @Test("Where a software statement is required, a registration or update without one is rejected")
    func needed() async throws {
        #expect(await register(nil).error == "invalid_software_statement")
        var metadata = JSONObject.client
        metadata["software_statement"] = try statement()
        let client = try await Registrant(at: world, metadata)
        let update = JSONObject.client(["client_id": .string(client.id)])
        #expect(await client.send(.put, update).error == "invalid_software_statement")
    }
}
