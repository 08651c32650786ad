import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Registering a client that signs")
struct RegisteredSignerTests {
    private let world: World
    private let keys: JSONValue = ["keys": .array(Fixtures.signerKeys.map { .object($0.publicKey.jsonObject) })]

    init() throws { world = try World { $0.registration = .open } }

    /// Asks for tokens with a code that does not exist.
    private func ask(_ client: Registrant, _ key: SigningKey, fields: HTTPFields = [:]) async throws -> String? {
        let now = Int(world.clock.now.timeIntervalSince1970)
        let claims: JSONObject = [
            "iss": .string(client.id), "sub": .string(client.id), "aud": .string(Fixtures.issuer),
            "exp": .integer(now + 60), "jti": .string(UUID().uuidString),
        ]
        let assertion = try key.sign(claims: claims)
        let form = Parameters.codeGrant("unknown") {
            $0[.clientID] = client.id
            $0[.clientAssertion] = assertion
            $0[.clientAssertionType] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        }
        return await world.post("/token", form, fields: fields).error
    }

    @Test("It authenticates with the keys that it registered, and gets no secret")
    func keySet() async throws {
        let client = try await Registrant(
            at: world,
            .client(["token_endpoint_auth_method": "private_key_jwt", "jwks": keys])
        )
        #expect(client.secret == nil)
        for key in Fixtures.signerKeys { #expect(try await ask(client, key) == "invalid_grant") }
        #expect(try await ask(client, try SigningKey.generate(.es256)) == "invalid_client")
    }

    @Test("It may say what it signs with, and is held to that")
    func algorithm() async throws {
        let client = try await Registrant(
            at: world,
            .client([
                "token_endpoint_auth_method": "private_key_jwt", "jwks": keys,
                "token_endpoint_auth_signing_alg": "EdDSA",
            ])
        )
        #expect(client.response["token_endpoint_auth_signing_alg"] == "EdDSA")
        #expect(try await ask(client, Fixtures.signerKeys[0]) == "invalid_client")
        #expect(try await ask(client, Fixtures.signerKeys[1]) == "invalid_grant")
    }

    @Test("It may bind itself to proofs and to pushed requests")
    func flags() async throws {
        let client = try await Registrant(
            at: world,
            .client([
                "token_endpoint_auth_method": "private_key_jwt", "jwks": keys, "dpop_bound_access_tokens": true,
                "require_pushed_authorization_requests": true,
            ])
        )
        #expect(client.response["dpop_bound_access_tokens"] == true)
        #expect(try await ask(client, Fixtures.signerKeys[0]) == "invalid_dpop_proof")
        let plain = await world.browser().authorize(.authorization { $0[.clientID] = client.id })
        #expect(plain.redirectError == "invalid_request")
    }

    @Test(
        "What it cannot be served with is refused",
        arguments: [
            ["token_endpoint_auth_method": "private_key_jwt"],
            ["token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://app.example/jwks"],
            ["token_endpoint_auth_signing_alg": "HS256"],
            ["dpop_bound_access_tokens": "true"],
        ] as [JSONObject]
    )
    func refused(metadata: JSONObject) async throws {
        let response = await world.send(.post, "/register", .client(metadata), bearer: nil)
        #expect(response.status == .badRequest)
        #expect(response.error == "invalid_client_metadata")
    }
}
