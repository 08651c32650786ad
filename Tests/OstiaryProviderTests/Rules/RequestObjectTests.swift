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

@Suite("Request objects")
struct RequestObjectTests {
    private static let redirectURI = "https://app.example.com/callback?from=provider"

    private static func unsigned(_ claims: JSONObject) -> String {
        let header: JSONObject = ["alg": "none"]
        return Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded()) + "."
    }

    private static func request(_ object: String) -> Parameters {
        .authorization {
            $0[.clientID] = "signer"
            $0[.redirectURI] = redirectURI
            $0["request"] = object
        }
    }

    private func world(_ rules: ProviderRules = .oidc) throws -> World { try World { $0.rules = rules } }

    @Test("The parameters of an unsigned request object are used in place of those beside it, and reported")
    func unsigned() async throws {
        let world = try world()
        let object = Self.unsigned([
            "login_hint": "bob", "max_age": 60, "state": "of the object", "client_id": "signer",
        ])
        let response = await world.browser().authorize(Self.request(object))
        #expect(response.loginPage?.userName == "bob")
        #expect(world.log.admitted == [.requestObjects])
        let end = try await world.browser().signIn(Self.request(object))
        #expect(end.redirect?.parameters[.state] == "of the object")
    }

    /// The claims of a whole request, for the signer.
    private static func whole(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
        var claims: JSONObject = [
            "iss": "signer", "aud": .string(Fixtures.issuer), "client_id": "signer", "response_type": "code",
            "redirect_uri": .string(redirectURI), "scope": "openid", "code_challenge": .string(Fixtures.challenge),
            "code_challenge_method": "S256", "login_hint": "bob",
        ]
        change(&claims)
        return claims
    }

    private static func signed(
        _ claims: JSONObject = whole(),
        type: String? = "oauth-authz-req+jwt",
        key: Int = 0
    ) throws -> String {
        try Fixtures.signerKeys[key].sign(claims: claims, type: type)
    }

    @Test(
        "A request object that a key of the client signed is used with each typ of one",
        arguments: ["oauth-authz-req+jwt", "JWT", nil]
    )
    func signed(type: String?) async throws {
        let request = Self.request(try Self.signed(type: type))
        #expect(await (try world()).browser().authorize(request).loginPage?.userName == "bob")
    }

    @Test("A request object that another key signed is refused")
    func otherKey() async throws {
        let other = try SigningKey.generate(.es256).sign(claims: Self.whole(), type: "JWT")
        #expect(await (try world()).browser().authorize(Self.request(other)).redirectError == "invalid_request_object")
    }

    @Test("Parameters beside a signed request object have no effect, and do not complete it")
    func onlySigned() async throws {
        let world = try world()
        var request = Self.request(try Self.signed())
        request[.prompt] = "none"
        request[.state] = "beside"
        let response = try await world.browser().signIn(request)
        #expect(response.redirect?.parameters[.state] == nil && response.redirect?.parameters[.error] == nil)
        let part = Self.request(try Self.signed(Self.whole { $0["response_type"] = nil }))
        #expect(await world.browser().authorize(part).redirectError == "invalid_request")
        let unbound = Self.request(try Self.signed(Self.whole { $0["redirect_uri"] = nil }))
        #expect(await world.browser().authorize(unbound).errorSentence != nil)
    }

    @Test("A signed request object is pushed, and opened by its request_uri")
    func pushed() async throws {
        let world = try world()
        let now = Int(world.clock.now.timeIntervalSince1970)
        let assertion: JSONObject = [
            "iss": "signer", "sub": "signer", "aud": .string(Fixtures.issuer), "jti": "1", "exp": .integer(now + 60),
        ]
        let form: Parameters = [
            .clientID: "signer", "request": try Self.signed(),
            .clientAssertion: try Fixtures.signerKeys[0].sign(claims: assertion, type: "JWT"),
            .clientAssertionType: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        ]
        let pushed = await world.post("/par", form)
        #expect(pushed.status == .created)
        let uri = try #require(pushed.json?["request_uri"]?.string)
        let response = await world.browser().authorize([.clientID: "signer", .requestURI: uri])
        #expect(response.loginPage?.userName == "bob")
    }

    @Test("A different kind of token signed by the client is rejected as a request object")
    func otherToken() async throws {
        let now = Int((try world()).clock.now.timeIntervalSince1970)
        let objects = [
            try Self.signed(type: "client-authentication+jwt"), try Self.signed(type: "at+jwt"),
            try Self.signed(Self.whole { $0["sub"] = "signer" }, type: "JWT"),
            try Self.signed(Self.whole { $0["nbf"] = .integer(now + 60) }),
            try Self.signed(Self.whole { $0["iat"] = .integer(now + 60) }),
        ]
        for object in objects {
            let response = await (try world()).browser().authorize(Self.request(object))
            #expect(response.redirectError == "invalid_request_object")
        }
        let served = Self.request(try Self.signed(Self.whole { $0["nbf"] = .integer(now) }))
        #expect(await (try world()).browser().authorize(served).loginPage != nil)
    }

    @Test("A request object is refused when its algorithm is not one of the client's rules")
    func algorithm() async throws {
        let rules = ProviderRules(name: "elliptic") {
            $0.requestObjects = .accepted
            $0.algorithms = [.es256]
        }
        let request = Self.request(try Self.signed(key: 1))
        #expect(await (try world(rules)).browser().authorize(request).redirectError == "invalid_request_object")
        #expect(await (try world()).browser().authorize(request).loginPage != nil)
    }

    @Test("The resources of a request object may be a list")
    func resources() async throws {
        let (api, files) = ("https://api.example.com", "https://files.example")
        let world = try World {
            $0.rules = .oidc
            $0.resources = [
                ProviderResource(identifier: api, name: "A"), ProviderResource(identifier: files, name: "F"),
            ]
            $0.clients[7].requiresConsent = true
        }
        let object = try Self.signed(Self.whole { $0["resource"] = [.string(api), .string(files)] })
        let browser = world.browser()
        let page = try await browser.follow(try await browser.signIn(Self.request(object))).consentPage
        #expect(page?.scopes.map(\.scope) == ["openid", api, files])
    }

    @Test(
        "A request object's parameter that is no text, number or object is rejected",
        arguments: [["prompt": true], ["scope": ["openid"]], ["max_age": 1.5], ["resource": [true]]] as [JSONObject]
    )
    func unreadable(claims: JSONObject) async throws {
        let response = await (try world()).browser().authorize(Self.request(Self.unsigned(claims)))
        #expect(response.redirectError == "invalid_request_object")
    }

    @Test("An unsigned request object needs openid and the same response_type beside it")
    func beside() async throws {
        let world = try world()
        let other = Self.request(Self.unsigned(["response_type": "code id_token"]))
        #expect(await world.browser().authorize(other).redirectError == "invalid_request_object")
        var plain = Self.request(Self.unsigned(["scope": "openid"]))
        plain[.scope] = "profile"
        #expect(await world.browser().authorize(plain).redirectError == "invalid_request_object")
    }

    @Test(
        "A request object that is for another server, of another client, too old or nested is refused",
        arguments: [
            ["aud": "https://other.example"], ["iss": "app"], ["client_id": "app"], ["exp": 1_700_000_000],
            ["request": "a"], ["request_uri": "urn:a"],
        ] as [JSONObject]
    )
    func invalid(claims: JSONObject) async throws {
        let response = await (try world()).browser().authorize(Self.request(Self.unsigned(claims)))
        #expect(response.redirectError == "invalid_request_object")
    }

    @Test("Text that is no request object is rejected", arguments: ["a", "a.b", "a.b.c", "..", "e30.e30.e30"])
    func malformed(text: String) async throws {
        let response = await (try world()).browser().authorize(Self.request(text))
        #expect(response.redirectError == "invalid_request_object")
    }

    @Test("Strict rules refuse request objects and name the rules that accept them")
    func strict() async throws {
        let world = try world(.strict)
        let response = await world.browser().authorize(Self.request(Self.unsigned([:])))
        #expect(response.redirectError == "request_not_supported")
        #expect(world.log.refusal?.rule == .requestObjects)
        let metadata = await world.get("/.well-known/openid-configuration").json
        #expect(metadata?["request_parameter_supported"] == false)
    }
}
