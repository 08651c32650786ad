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

@Suite("Clients that authenticate with an assertion")
struct ClientAssertionTests {
    private static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    private let world: World

    init() throws { world = try World() }

    /// An assertion that the provider likes, changed.
    private func assertion(
        key: SigningKey = Fixtures.signerKeys[0],
        type: String? = "JWT",
        change: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        let now = Int(world.clock.now.timeIntervalSince1970)
        var claims: JSONObject = [
            "iss": "signer", "sub": "signer", "aud": .string(Fixtures.issuer), "iat": .integer(now),
            "exp": .integer(now + 60), "jti": .string(UUID().uuidString),
        ]
        change(&claims)
        return try key.sign(claims: claims, type: type)
    }

    /// Asks for tokens with a code that does not exist: who gets that far is authenticated.
    private func ask(
        _ assertion: String,
        fields: HTTPFields = [:],
        change: (inout Parameters) -> Void = { _ in }
    ) async -> ProviderResponse {
        let form = Parameters.codeGrant("unknown") {
            $0[.clientID] = "signer"
            $0[.clientAssertion] = assertion
            $0[.clientAssertionType] = Self.type
            change(&$0)
        }
        return await world.post("/token", form, fields: fields)
    }

    @Test(
        "A valid client assertion authenticates, with and without a client_id",
        arguments: ["JWT", "client-authentication+jwt", nil]
    )
    func good(type: String?) async throws {
        #expect(await ask(try assertion(type: type)).error == "invalid_grant")
        #expect(await ask(try assertion(type: type)) { $0[.clientID] = nil }.error == "invalid_grant")
    }

    @Test("A client assertion's lifetime is limited by the configuration")
    func lifetime() async throws {
        let now = Int(world.clock.now.timeIntervalSince1970)
        func error(_ world: World, _ seconds: Int) async throws -> String? {
            let form = Parameters.codeGrant("unknown") { $0[.clientID] = "signer" }
            var signed = form
            signed[.clientAssertion] = try assertion { $0["exp"] = .integer(now + seconds) }
            signed[.clientAssertionType] = Self.type
            return await world.post("/token", signed).error
        }
        let patient = try World { $0.lifetimes.clientAssertion = .seconds(3600) }
        #expect(try await error(patient, 3600) == "invalid_grant")
        #expect(try await error(patient, 3601) == "invalid_client")
        #expect(try await error(world, 300) == "invalid_grant")
        #expect(try await error(world, 301) == "invalid_client")
    }

    @Test("A client with assertions pushes, redeems, refreshes and revokes")
    func wholeWay() async throws {
        func signed(_ parameters: Parameters) throws -> Parameters {
            var parameters = parameters
            parameters[.clientAssertion] = try assertion()
            parameters[.clientAssertionType] = Self.type
            return parameters
        }
        let request = Parameters.webAuthorization {
            $0[.clientID] = "signer"
            $0[.scope] = "openid offline_access"
        }
        let pushed = await world.post("/par", try signed(request))
        let uri = try #require(pushed.json?["request_uri"]?.string)
        let code = try await world.code(Parameters([.clientID: "signer", .requestURI: uri]))
        let form = Parameters.codeGrant(code, redirectURI: request[.redirectURI]) { $0[.clientID] = "signer" }
        let tokens = try Tokens(await world.post("/token", try signed(form)))
        let token = try #require(tokens.refresh)
        let refresh = Parameters([.grantType: "refresh_token", .refreshToken: token, .clientID: "signer"])
        let second = try #require(try Tokens(await world.post("/token", try signed(refresh))).refresh)
        #expect(await world.post("/revoke", try signed([.token: second])).status == .ok)
        #expect(await world.userInfo(tokens.access).status == .unauthorized)
    }

    @Test(
        "A client assertion with a wrong claim is rejected",
        arguments: [
            { @Sendable in $0["iss"] = nil },
            { $0["iss"] = "app" },
            { $0["sub"] = nil },
            { $0["sub"] = "app" },
            { $0["aud"] = nil },
            { $0["aud"] = [.string(Fixtures.issuer)] },
            { $0["aud"] = [.string(Fixtures.issuer), "https://other.example"] },
            { $0["aud"] = .string(Fixtures.issuer + "/token") },
            { $0["aud"] = .string(Fixtures.issuer + "/") },
            { $0["exp"] = nil },
            { $0["exp"] = 1_800_000_000 },
            { $0["exp"] = 1_800_000_301 },
            { $0["exp"] = "1800000060" },
            { $0["iat"] = 1_800_000_011 },
            { $0["iat"] = "1800000000" },
            { $0["nbf"] = 1_800_000_011 },
            { $0["jti"] = nil },
            { $0["jti"] = "" },
            { $0["jti"] = .string(String(repeating: "a", count: 257)) },
        ] as [@Sendable (inout JSONObject) -> Void]
    )
    func claims(change: @Sendable (inout JSONObject) -> Void) async throws {
        let response = await ask(try assertion(change: change))
        #expect(response.status == .unauthorized)
        #expect(response.error == "invalid_client")
    }

    @Test(
        "A client assertion at the limits of its times is accepted",
        arguments: [
            { @Sendable in $0["exp"] = 1_800_000_300 },
            { $0["exp"] = 1_800_000_001 },
            { $0["iat"] = 1_800_000_010 },
            { $0["iat"] = nil },
            { $0["nbf"] = 1_800_000_010 },
        ] as [@Sendable (inout JSONObject) -> Void]
    )
    func bounds(change: @Sendable (inout JSONObject) -> Void) async throws {
        #expect(await ask(try assertion(change: change)).error == "invalid_grant")
    }

    @Test("A token of another type is rejected as a client assertion")
    func type() async throws {
        #expect(await ask(try assertion(type: "at+jwt")).error == "invalid_client")
    }

    @Test("A client assertion is verified with the registered key and algorithm")
    func key() async throws {
        #expect(await ask(try assertion(key: Fixtures.signerKeys[1])).error == "invalid_client")
        let stranger = try SigningKey.generate(.es256, keyID: Fixtures.signerKeys[0].keyID)
        #expect(await ask(try assertion(key: stranger)).error == "invalid_client")
        let parts = try assertion().split(separator: ".")
        let header: JSONObject = ["alg": "none"]
        #expect(await ask("\(Base64URL.encode(header.encoded())).\(parts[1]).").error == "invalid_client")
    }

    @Test("A client registered without an algorithm may sign assertions with any of its keys")
    func anyAlgorithm() async throws {
        let world = try World {
            let keys = JSONWebKeySet(Fixtures.signerKeys.map(\.publicKey))
            $0.clients[7].authenticationMethod = .privateKeyJWT(keys: keys, algorithm: nil)
        }
        let form = Parameters.codeGrant("unknown") {
            $0[.clientID] = "signer"
            $0[.clientAssertionType] = Self.type
        }
        for key in Fixtures.signerKeys {
            var form = form
            form[.clientAssertion] = try assertion(key: key)
            #expect(await world.post("/token", form).error == "invalid_grant")
        }
    }

    @Test("A client assertion is accepted once, at any endpoint, also among concurrent requests")
    func reuse() async throws {
        let first = try assertion { $0["jti"] = "same" }
        #expect(await ask(first).error == "invalid_grant")
        #expect(await ask(try assertion { $0["jti"] = "same" }).error == "invalid_client")
        let form = Parameters([.token: "t", .clientAssertion: first, .clientAssertionType: Self.type])
        #expect(await world.post("/revoke", form).error == "invalid_client")
        let second = try assertion()
        let good = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { await ask(second).error == "invalid_grant" } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 1)
    }

    @Test("A client assertion comes with its type, for the named client, and without another credential")
    func form() async throws {
        let basic: HTTPFields = [.authorization: "Basic c2lnbmVyOg=="]
        #expect(await ask(try assertion(), fields: basic).error == "invalid_request")
        #expect(await ask(try assertion()) { $0[.clientSecret] = "posted" }.error == "invalid_request")
        #expect(await ask(try assertion()) { $0[.clientAssertionType] = nil }.error == "invalid_client")
        #expect(await ask(try assertion()) { $0[.clientAssertionType] = "jwt-bearer" }.error == "invalid_client")
        #expect(await ask(try assertion()) { $0[.clientAssertion] = nil }.error == "invalid_client")
        #expect(await ask(try assertion()) { $0[.clientID] = "app" }.error == "invalid_client")
        #expect(await ask("a.b.c").error == "invalid_client")
        let long = try assertion { $0["padding"] = .string(String(repeating: "a", count: 9_000)) }
        #expect(await ask(long).error == "invalid_client")
    }

    @Test("The metadata lists private_key_jwt and its algorithms for every endpoint")
    func metadata() async throws {
        let metadata = await world.get("/.well-known/openid-configuration").json
        for endpoint in ["token", "revocation"] {
            let methods = metadata?["\(endpoint)_endpoint_auth_methods_supported"]?.array
            #expect(methods?.contains("private_key_jwt") == true)
            let algorithms = metadata?["\(endpoint)_endpoint_auth_signing_alg_values_supported"]?.array
            #expect(algorithms?.contains("ES256") == true)
            #expect(algorithms?.contains("none") == false)
        }
    }

    @Test("Only a client registered for assertions may use them, and it must")
    func method() async throws {
        let app = try assertion {
            $0["iss"] = "app"
            $0["sub"] = "app"
        }
        #expect(await ask(app) { $0[.clientID] = "app" }.error == "invalid_client")
        let bare = Parameters.codeGrant("unknown") { $0[.clientID] = "signer" }
        #expect(await world.post("/token", bare).error == "invalid_client")
    }
}
