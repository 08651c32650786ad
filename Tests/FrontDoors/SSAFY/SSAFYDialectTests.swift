import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryJOSE
import OstiaryProvider
import OstiaryProviderDialects
import OstiarySSAFY
import OstiaryTesting
import Testing

@Suite("SSAFY Verify: the development provider's dialect", .timeLimit(.minutes(5)))
struct SSAFYDialectTests {
    private static let verifier = String(repeating: "v", count: 43)

    /// A code that the service gave for ``verifier``.
    private func code(_ world: SSAFYWorld, scope: String = "ssafy.verify ssafy.affiliation") async throws -> String {
        let challenge = Base64URL.encode(HashAlgorithm.sha256.hash(Array(Self.verifier.utf8)))
        let page = authorize(["scope": scope, "code_challenge": challenge])
        let callback = try await world.person().attempt(awaiting: try RedirectURI(SSAFYWorld.callback)).open(
            page,
            accepting: .any
        )
        return try #require(SSAFYWorld.query(callback)[.code])
    }

    private func authorize(_ change: KeyValuePairs<Parameters.Name, String?> = [:]) -> URL {
        var parameters: Parameters = [
            .clientID: "ssafy-partner", .redirectURI: SSAFYWorld.callback, .scope: "ssafy.verify", .state: "state",
            .codeChallenge: String(repeating: "c", count: 43), .codeChallengeMethod: "S256",
        ]
        for (name, value) in change { parameters[name] = value }
        return URL(string: SSAFYWorld.issuer + "/verify/authorize?" + FormURLEncoding.encode(parameters))!
    }

    private func token(
        _ world: SSAFYWorld,
        _ change: KeyValuePairs<Parameters.Name, String?> = [:]
    ) async throws -> (status: Int, object: JSONObject) {
        var form: Parameters = [
            .grantType: "verification_code", .clientID: "ssafy-partner", .clientSecret: "partner-secret",
            .codeVerifier: Self.verifier,
        ]
        for (name, value) in change { form[name] = value }
        let request = EndpointRequest(url: URL(string: SSAFYWorld.issuer + "/verify/token")!, method: .post, form: form)
        let response = try await world.network.send(request)
        return (response.status.code, try JSONObject(parsing: response.body))
    }

    @Test(
        "The SSAFY dialect redeems a code for a verification token with every documented claim",
        .covers(.ssafy, rows: 3)
    )
    func claims() async throws {
        let world = try SSAFYWorld()
        let (status, object) = try await token(world, [.code: try await code(world)])
        #expect(status == 200)
        #expect(object["scope"] == "ssafy.verify ssafy.affiliation")
        #expect(object["result"]?.object?["verification_id"]?.string != nil)
        let keys = try await world.network.send(.init(url: URL(string: SSAFYWorld.issuer + "/verify/jwks")!))
        let token = try UnverifiedJWT(try #require(object["verification_token"]?.string))
        let claims = try token.verified(by: JSONWebKeySet(parsing: keys.body), algorithms: [.rs256]).claims
        let now = Int(world.clock.now.timeIntervalSince1970)
        #expect(claims["iss"] == "https://verify.myknow.xyz")
        #expect(claims["aud"] == "ssafy-partner")
        #expect(claims["client_id"] == "ssafy-partner")
        #expect(claims["verified"] == true)
        #expect(claims["amr"] == ["mattermost_dm"])
        #expect(claims["acr"] == "urn:ssafy:verify:assurance:mattermost-team-dm:v1")
        #expect(claims["iat"] == .integer(now) && claims["auth_time"] == .integer(now))
        #expect(claims["exp"] == .integer(now + 300))
        #expect(claims["ssafy_cohort"] == "15" && claims["ssafy_campus"] == "서울 캠퍼스")
        #expect(claims["name"] == nil)
    }

    @Test("The SSAFY dialect gives a user another subject at another client", .covers(.ssafy, rows: 3))
    func pairwise() async throws {
        let first = try SSAFYWorld()
        let second = try SSAFYWorld(clientID: "ssafy-app")
        let one = try await first.verifier().verify()
        let other = try await second.verifier(clientID: "ssafy-app").verify()
        #expect(one.subject != other.subject)
    }

    @Test(
        "The SSAFY dialect redeems a code once, and with its own verifier alone",
        .covers(.ssafy, rows: 3, 4, cites: "V-7")
    )
    func once() async throws {
        let world = try SSAFYWorld()
        let code = try await code(world)
        #expect(try await token(world, [.code: code]).status == 200)
        let again = try await token(world, [.code: code])
        #expect(again.status == 401)
        #expect(again.object["error"]?.object?["code"] == "VERIFY_TOKEN_INVALID")
        #expect(again.object["error"]?.object?["request_id"]?.string?.isEmpty == false)
        let other = try await self.code(world)
        let wrong = try await token(world, [.code: other, .codeVerifier: String(repeating: "w", count: 43)])
        #expect(wrong.status == 401)
    }

    @Test("The SSAFY dialect's codes expire after a minute", .covers(.ssafy, rows: 3))
    func codeExpires() async throws {
        let world = try SSAFYWorld()
        let code = try await code(world)
        world.clock.advance(by: .seconds(61))
        #expect(try await token(world, [.code: code]).status == 401)
    }

    @Test(
        "The SSAFY dialect rejects a token request that differs from the documented one",
        .covers(.ssafy, rows: 3, 35),
        arguments: [
            (Parameters.Name.grantType, "authorization_code", 400, "INVALID_REQUEST"),
            (.redirectURI, "https://partner.example.com/ios/ssafy/callback", 400, "INVALID_REQUEST"),
            (.clientID, "unknown", 403, "VERIFY_REQUEST_FORBIDDEN"),
            (.clientSecret, "wrong", 403, "VERIFY_REQUEST_FORBIDDEN"),
            (.clientID, "ssafy-app", 403, "VERIFY_REQUEST_FORBIDDEN"), (.codeVerifier, "short", 400, "INVALID_REQUEST"),
            (.code, "", 400, "INVALID_REQUEST"), (.code, "unknown-unknown-unknown", 401, "VERIFY_TOKEN_INVALID"),
        ]
    )
    func refusals(_ name: Parameters.Name, _ value: String, _ status: Int, _ code: String) async throws {
        let world = try SSAFYWorld()
        let answer = try await token(world, [.code: try await self.code(world), name: value])
        #expect(answer.status == status)
        #expect(answer.object["error"]?.object?["code"] == .string(code))
    }

    @Test("The SSAFY dialect responds 429 to token requests over its limit", .covers(.ssafy, rows: 56))
    func throttle() async throws {
        let world = try SSAFYWorld(dialect: .init(tokenRequestsPerMinute: 1))
        _ = try await token(world, [.code: "unknown-unknown"])
        #expect(try await token(world, [.code: "unknown-unknown"]).status == 429)
        world.clock.advance(by: .seconds(60))
        #expect(try await token(world, [.code: "unknown-unknown"]).status == 401)
    }

    @Test(
        "The SSAFY dialect rejects an unsupported authorization parameter at the callback",
        .covers(.ssafy, rows: 6, 7, 9, 11),
        arguments: [
            (Parameters.Name.responseType, "code"), (.nonce, "n"), (.prompt, "login"), (.maxAge, "1"),
            (.scope, "ssafy.affiliation"), (.scope, "ssafy.verify ssafy.track"), (.scope, "ssafy.verify other"),
        ]
    )
    func strictAuthorize(_ name: Parameters.Name, _ value: String) async throws {
        let world = try SSAFYWorld()
        let response = try await world.network.send(.init(url: authorize([name: value])))
        let location = try #require(response.fields[.location])
        let query = SSAFYWorld.query(try #require(URL(string: location)))
        #expect(location.hasPrefix(SSAFYWorld.callback + "?"))
        #expect(query["error_code"] == "INVALID_REQUEST")
        #expect(query["request_id"]?.isEmpty == false)
        #expect(query[.state] == "state")
        #expect(query[.issuer] == SSAFYWorld.issuer)
    }

    @Test(
        "The SSAFY dialect does not redirect to an unregistered redirect URI",
        .covers(.ssafy, rows: 21)
    )
    func unregistered() async throws {
        let world = try SSAFYWorld()
        let page = authorize([.redirectURI: SSAFYWorld.callback + "-evil"])
        let response = try await world.network.send(.init(url: page))
        #expect(response.status == .badRequest)
        #expect(response.fields[.location] == nil)
    }

    @Test(
        "The SSAFY dialect has no discovery, standard token, user info or sign-out endpoint",
        .covers(.ssafy, rows: 1, 38, 39, 40),
        arguments: [
            "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/token", "/userinfo",
            "/revoke", "/end-session", "/authorize", "/register",
        ]
    )
    func nothingElse(_ path: String) async throws {
        let world = try SSAFYWorld()
        let response = try await world.network.send(.init(url: URL(string: SSAFYWorld.issuer + path)!))
        #expect(response.status == .notFound)
    }

    @Test(
        "A backend rejects a verification token with any changed claim",
        .covers(.ssafy, rows: 17),
        arguments: [
            ("iss", JSONValue.string("https://evil.example")), ("aud", "other"), ("client_id", "other"), ("sub", ""),
            ("verified", "true"), ("exp", 0), ("iat", 4_000_000_000), ("auth_time", .null), ("amr", .array(["pwd"])),
            ("acr", "urn:ssafy:sso:assurance:mattermost-team-dm:v1"),
        ]
    )
    func backendRefuses(_ name: String, _ value: JSONValue) async throws {
        let world = try SSAFYWorld(dialect: SSAFYDialect(changingClaims: { $0[name] = value }))
        let verifier = try world.verifier()
        let error = await thrownError { () throws(VerificationError) in try await verifier.verify() }
        #expect(error?.reason == .tokenInvalid && error?.code == .tokenInvalid && error?.requestID != nil)
        #expect(error?.recovery == .signInAgain)
    }
}
