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

/// Each rule at the wire: refused by one set of rules with a hint, served by another with a report.
@Suite("Rules of the provider")
struct RulesTests {
    private static func world(
        _ rules: ProviderRules,
        _ change: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws -> World {
        try World {
            $0.rules = rules
            change(&$0)
        }
    }

    private static func basic(_ pair: String) -> HTTPFields {
        [.authorization: "Basic " + Data(pair.utf8).base64EncodedString()]
    }

    private static let webCredential = basic("web%20app:p%25ss%3A%20%2Bword")

    /// The strict refusal of an authorization request and the report of the lenient one.
    private func compare(
        _ request: Parameters,
        _ rule: ProviderRule,
        _ error: String,
        lenient: ProviderRules = .oidc
    ) async throws {
        let strict = try Self.world(.strict)
        let refused = await strict.browser().authorize(request)
        #expect(refused.redirectError == error)
        #expect(refused.redirect?.parameters[.errorDescription]?.hasSuffix("--rules \(lenient) accepts it.") == true)
        #expect(strict.log.refusal?.rule == rule && strict.log.refusal?.error == error)
        #expect(strict.log.refusal?.mend?.contains("--rules \(lenient) accepts it.") == true)
        let world = try Self.world(lenient)
        #expect(await world.browser().authorize(request).loginPage != nil)
        #expect(world.log.admitted == [rule])
    }

    // MARK: Authorization requests

    @Test("A confidential client without PKCE is refused by strict and served by oidc, with a report")
    func proofKeys() async throws {
        let plain = Parameters.webAuthorization {
            $0[.codeChallenge] = nil
            $0[.codeChallengeMethod] = nil
        }
        try await compare(plain, .proofKeys, "invalid_request")
        let world = try Self.world(.oidc)
        let code = try await world.code(plain)
        let form = Parameters.codeGrant(code, redirectURI: plain[.redirectURI]) {
            $0[.clientID] = nil
            $0[.codeVerifier] = nil
        }
        #expect(await world.post("/token", form, fields: Self.webCredential).status == .ok)
    }

    @Test("A code that was requested without PKCE is refused with a code verifier")
    func downgrade() async throws {
        let world = try Self.world(.oidc)
        let request = Parameters.webAuthorization { $0[.codeChallenge] = nil }
        let code = try await world.code(request)
        let form = Parameters.codeGrant(code, redirectURI: request[.redirectURI]) { $0[.clientID] = nil }
        #expect(await world.post("/token", form, fields: Self.webCredential).error == "invalid_grant")
    }

    @Test(
        "A public client without PKCE is rejected under every rule set, without a hint",
        arguments: ProviderRules.all
    )
    func publicProofKeys(rules: ProviderRules) async throws {
        let world = try Self.world(rules) { $0.requiresPushedAuthorizationRequests = false }
        let response = await world.browser().authorize(.authorization { $0[.codeChallenge] = nil })
        #expect(response.redirectError == "invalid_request")
        #expect(response.redirect?.parameters[.errorDescription]?.contains("--rules") == false)
        #expect(world.log.refusal?.mend == "Switch PKCE on in the client, with S256.")
    }

    @Test("A request without a scope gets the client's scopes, but for offline_access", arguments: ["oidc", "mcp"])
    func missingScope(name: String) async throws {
        let rules = try #require(ProviderRules.named(name))
        let request = Parameters.authorization { $0[.scope] = nil }
        try await compare(request, .missingScope, "invalid_scope")
        #expect(try await Self.world(rules).tokens(request).response["scope"] == "openid profile email")
    }

    @Test("A device request without a scope gets the client's scopes under oidc, and is refused by strict")
    func missingDeviceScope() async throws {
        let form: Parameters = [.clientID: "tv"]
        let strict = try Self.world(.strict)
        #expect(await strict.post("/device_authorization", form).error == "invalid_scope")
        #expect(strict.log.refusal?.rule == .missingScope)
        let world = try Self.world(.oidc)
        #expect(await world.post("/device_authorization", form).status == .ok)
        #expect(world.log.admitted == [.missingScope])
    }

    @Test("An unknown scope is left out under oidc and mcp, and refused by strict")
    func unknownScope() async throws {
        let request = Parameters.authorization { $0[.scope] = "openid groups" }
        try await compare(request, .unknownScopes, "invalid_scope")
        let world = try Self.world(.mcp)
        #expect(try await world.tokens(request).response["scope"] == "openid")
        let event = world.log.events.first { $0.outcome == .narrowed }
        #expect(event?.reason == "Scopes are left out: groups." && event?.clientID == "app")
        #expect(event?.mend == "Add them to the configuration's scopes and to the client's scope.")
    }

    @Test("An invalid scope is rejected under every rule set", arguments: ProviderRules.all)
    func malformedScope(rules: ProviderRules) async throws {
        let request = Parameters.authorization { $0[.scope] = "openid \u{e9}" }
        #expect(await (try Self.world(rules)).browser().authorize(request).redirectError == "invalid_scope")
    }

    @Test("The response comes as a form with response_mode=form_post under oidc")
    func formPost() async throws {
        let request = Parameters.authorization { $0[.responseMode] = "form_post" }
        try await compare(request, .formPost, "invalid_request")
        let world = try Self.world(.oidc)
        let response = try await world.browser().signIn(request)
        guard case .answer(let page) = response.page else { throw Missing() }
        #expect(page.form.action == Fixtures.redirectURI)
        let modes = await world.get("/.well-known/openid-configuration").json?["response_modes_supported"]
        #expect(modes == ["query", "form_post"])
    }

    @Test("Claims that a request names are in the ID token and the user info under oidc, and not under strict")
    func claims() async throws {
        let request = Parameters.authorization {
            $0[.scope] = "openid"
            $0["claims"] = #"{"id_token": {"email": null, "sub": null}, "userinfo": {"name": {"essential": true}}}"#
        }
        for (rules, isHonored) in [(ProviderRules.oidc, true), (.strict, false)] {
            let world = try Self.world(rules)
            let tokens = try await world.tokens(request)
            let claims = try await world.verifiedClaims(try #require(tokens.id))
            #expect((claims["email"] == "alice@example.com") == isHonored)
            #expect(claims["sub"] == "subject-of-alice")
            let info = await world.userInfo(tokens.access).json
            #expect((info?["name"] == "Alice Adams") == isHonored && info?["email"] == nil)
            let metadata = await world.get("/.well-known/openid-configuration").json
            #expect(metadata?["claims_parameter_supported"] == .bool(isHonored))
        }
    }

    @Test(
        "A claims parameter that is no JSON object requests no claim",
        arguments: ["", "[]", "{", #"{"id_token": "email"}"#]
    )
    func unreadableClaims(text: String) async throws {
        let world = try Self.world(.oidc)
        let tokens = try await world.tokens(
            .authorization {
                $0[.scope] = "openid"
                $0["claims"] = text
            }
        )
        #expect(try await world.verifiedClaims(try #require(tokens.id))["email"] == nil)
    }

    // MARK: Client authentication

    @Test("A secret in the other place is refused by strict, which names both methods, and served by oidc")
    func secretPlaces() async throws {
        let posted: Parameters = [
            .grantType: "refresh_token", .refreshToken: "unknown", .clientID: "web app", .clientSecret: "p%ss: +word",
        ]
        let field = Self.basic("poster:posted")
        let fielded: Parameters = [.grantType: "authorization_code", .code: "unknown"]
        let strict = try Self.world(.strict)
        let refused = await strict.post("/token", posted)
        #expect(refused.status == .unauthorized)
        #expect(
            refused.json?["error_description"]
                == "The client authenticated with client_secret_post; it is registered for client_secret_basic. --rules oidc accepts it."
        )
        #expect(strict.log.refusal?.rule == .secretPlaces && strict.log.refusal?.clientID == "web app")
        #expect(await strict.post("/token", fielded, fields: field).error == "invalid_client")
        let world = try Self.world(.oidc)
        #expect(await world.post("/token", posted).error == "invalid_grant")
        #expect(await world.post("/token", fielded, fields: field).error == "invalid_grant")
        #expect(world.log.admitted == [.secretPlaces, .secretPlaces])
        #expect(await world.post("/token", posted.with(.clientSecret, "wrong")).error == "invalid_client")
    }

    @Test("A wrong secret and a client without authentication are rejected under oidc")
    func wrongSecret() async throws {
        let world = try Self.world(.oidc)
        let form: Parameters = [.grantType: "authorization_code", .code: "unknown", .clientID: "poster"]
        #expect(await world.post("/token", form).error == "invalid_client")
        #expect(
            world.log.refusal?.reason
                == "The client authenticated with none; it is registered for client_secret_post."
        )
        #expect(await world.post("/token", form.with(.clientSecret, "wrong")).error == "invalid_client")
        #expect(world.log.refusal?.reason == "The client's secret is wrong.")
        #expect(await world.post("/token", form.with(.clientID, "app")).error == "invalid_request")
        let secret = Parameters([.clientSecret: "x", .clientID: "app", .grantType: "authorization_code", .code: "c"])
        #expect(await world.post("/token", secret).error == "invalid_client")
    }

    @Test("A Basic credential that is not form-encoded is refused by strict and served by oidc")
    func rawCredential() async throws {
        let raw = Self.basic("web app:p%ss: +word")
        let form: Parameters = [.grantType: "authorization_code", .code: "unknown"]
        #expect(await (try Self.world(.strict)).post("/token", form, fields: raw).error == "invalid_client")
        let world = try Self.world(.oidc)
        #expect(await world.post("/token", form, fields: raw).error == "invalid_grant")
        #expect(world.log.admitted == [.rawBasicCredentials])
        #expect(await world.post("/token", form, fields: Self.webCredential).error == "invalid_grant")
        #expect(world.log.admitted == [.rawBasicCredentials])
    }

    private func assertion(
        _ audience: JSONValue,
        lifetime: Int = 60,
        _ world: World,
        key: Int = 0
    ) throws -> Parameters {
        let now = Int(world.clock.now.timeIntervalSince1970)
        let claims: JSONObject = [
            "iss": "signer", "sub": "signer", "aud": audience, "jti": .string("\(audience)\(lifetime)"),
            "exp": .integer(now + lifetime), "iat": .integer(now),
        ]
        return [
            .grantType: "authorization_code", .code: "unknown",
            .clientAssertion: try (Fixtures.signerKeys + Fixtures.keys)[key].sign(claims: claims, type: "JWT"),
            .clientAssertionType: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        ]
    }

    @Test(
        "A client assertion for the token endpoint, or with a list, is refused by strict and fapi2 and served by oidc",
        arguments: [
            .string(Fixtures.issuer + "/token"), [.string(Fixtures.issuer), "https://other.example"],
            [.string(Fixtures.issuer + "/token")],
        ] as [JSONValue]
    )
    func assertionAudience(audience: JSONValue) async throws {
        for rules in [ProviderRules.strict, .fapi2] {
            let world = try Self.world(rules)
            let form = try assertion(audience, world)
            #expect(await world.post("/token", form).error == "invalid_client")
            #expect(world.log.refusal?.rule == .assertionAudience && world.log.refusal?.clientID == "signer")
        }
        let world = try Self.world(.oidc)
        #expect(await world.post("/token", try assertion(audience, world)).error == "invalid_grant")
        #expect(world.log.admitted == [.assertionAudience])
        let other = try assertion("https://other.example", world)
        #expect(await world.post("/token", other).error == "invalid_client")
        #expect(world.log.refusal?.rule == nil)
    }

    @Test("A client assertion for an hour is refused by strict and served by oidc; a longer one is refused")
    func assertionLifetime() async throws {
        let strict = try Self.world(.strict)
        let issuer = JSONValue.string(Fixtures.issuer)
        #expect(await strict.post("/token", try assertion(issuer, lifetime: 3600, strict)).error == "invalid_client")
        #expect(strict.log.refusal?.rule == .assertionLifetime)
        let world = try Self.world(.oidc)
        #expect(await world.post("/token", try assertion(issuer, lifetime: 3600, world)).error == "invalid_grant")
        #expect(world.log.admitted == [.assertionLifetime])
        #expect(await world.post("/token", try assertion(issuer, lifetime: 3601, world)).error == "invalid_client")
    }

    // MARK: Tokens and user info

    @Test("An access token in the form of a user info request is refused by strict and served by oidc and mcp")
    func userInfoForm() async throws {
        let strict = try Self.world(.strict)
        let refused = await strict.post("/userinfo", ["access_token": try await strict.tokens().access])
        #expect(refused.status == .badRequest && strict.log.refusal?.rule == .userInfoForm)
        for rules in [ProviderRules.oidc, .mcp] {
            let world = try Self.world(rules)
            let token = try await world.tokens().access
            #expect(await world.post("/userinfo", ["access_token": token]).json?["sub"] == "subject-of-alice")
            #expect(world.log.admitted == [.userInfoForm])
            #expect(await world.get("/userinfo", query: "access_token=\(token)").status == .badRequest)
            let twice = await world.post(
                "/userinfo",
                ["access_token": token],
                fields: [.authorization: "Bearer \(token)"]
            )
            #expect(twice.status == .badRequest)
            #expect(await world.post("/userinfo", ["access_token": "unknown"]).status == .unauthorized)
        }
    }

    @Test("The user's claims are in the ID token under oidc, and by a client's own setting under any rules")
    func userClaims() async throws {
        let cases: [(ProviderRules, Bool?, Bool)] = [
            (.strict, nil, false), (.strict, true, true), (.oidc, nil, true), (.oidc, false, false),
        ]
        for (rules, own, isThere) in cases {
            let world = try Self.world(rules) { $0.clients[0].userClaimsInIDToken = own }
            let claims = try await world.verifiedClaims(try #require(try await world.tokens().id))
            #expect((claims["name"] == "Alice Adams") == isThere)
            #expect(claims["email"] == nil)
        }
    }

    @Test("The typ of an access token is the client's, or that of its resource")
    func accessTokenHeaderType() async throws {
        func type(_ world: World, _ resource: String? = nil) async throws -> JSONValue? {
            let tokens = try await world.tokens(
                .authorization {
                    $0[.resource] = resource
                    $0[.scope] = resource == nil ? "openid" : "profile"
                }
            )
            let header = try Base64URL.decode(tokens.access.split(separator: ".")[0])
            return try JSONObject(parsing: header)["typ"]
        }
        let api = "https://api.example.com"
        let world = try Self.world(.strict) {
            $0.resources = [ProviderResource(identifier: api, name: "API", accessTokenHeaderType: "JWT")]
        }
        #expect(try await type(world) == "at+jwt")
        #expect(try await type(world, api) == "JWT")
        let other = try Self.world(.strict) { $0.clients[0].accessTokenHeaderType = "JWT" }
        #expect(try await type(other) == "JWT")
    }

    @Test("A token request of a code with PKCE may leave out redirect_uri under oidc and mcp")
    func tokenRedirectURI() async throws {
        let strict = try Self.world(.strict)
        let form = { (code: String) in Parameters.codeGrant(code) { $0[.redirectURI] = nil } }
        #expect(await strict.post("/token", form(try await strict.code())).error == "invalid_request")
        #expect(strict.log.refusal?.rule == .tokenRedirectURI)
        let world = try Self.world(.mcp)
        #expect(await world.post("/token", form(try await world.code())).status == .ok)
        #expect(world.log.admitted == [.tokenRedirectURI])
    }

    // MARK: Registration

    @Test("Empty texts and unknown scopes of a registration are left out under oidc and mcp, and refused by strict")
    func registration() async throws {
        let sent: JSONObject = [
            "redirect_uris": [.string(Fixtures.redirectURI)], "token_endpoint_auth_method": "none",
            "client_uri": "", "scope": "openid mcp:tools",
        ]
        let strict = try Self.world(.strict) { $0.registration = .open }
        #expect(await strict.send(.post, "/register", sent).error == "invalid_client_metadata")
        #expect(strict.log.refusal?.rule == .emptyMetadata)
        for rules in [ProviderRules.oidc, .mcp] {
            let world = try Self.world(rules) { $0.registration = .open }
            let response = await world.send(.post, "/register", sent)
            #expect(response.status == .created && response.json?["scope"] == "openid")
            #expect(response.json?["client_uri"] == nil)
            #expect(Set(world.log.admitted) == [.emptyMetadata, .unknownScopes])
        }
    }

    // MARK: FAPI 2.0

    @Test("Under fapi2 a request has to be pushed, by a client that signs assertions")
    func pushed() async throws {
        let world = try Self.world(.fapi2)
        let request = Parameters.authorization {
            $0[.clientID] = "signer"
            $0[.redirectURI] = "https://app.example.com/callback?from=provider"
        }
        #expect(await world.browser().authorize(request).redirectError == "invalid_request")
        #expect(world.log.refusal?.rule == .pushedRequests)
        let open = await world.post("/par", .authorization())
        #expect(open.error == "invalid_client" && world.log.refusal?.rule == .authenticationMethods)
        let assertion = try assertion(.string(Fixtures.issuer), world)
        var form = request
        for pair in assertion.pairs where pair.name != .code && pair.name != .grantType { form[pair.name] = pair.value }
        #expect(await world.post("/par", form).status == .created)
    }

    @Test("Under fapi2 a token request needs a DPoP proof, ES256 and EdDSA are accepted and RS256 is refused")
    func constrained() async throws {
        let world = try Self.world(.fapi2) { $0.clients[7].authenticationMethod = Self.anyAlgorithm }
        let issuer = JSONValue.string(Fixtures.issuer)
        for key in 0...1 {
            let form = try assertion(issuer, lifetime: 60 + key, world, key: key)
            #expect(await world.post("/token", form).error == "invalid_dpop_proof")
            #expect(world.log.refusal?.rule == .senderConstraint)
        }
        #expect(await world.post("/token", try assertion(issuer, world, key: 2)).error == "invalid_client")
        #expect(world.log.refusal?.rule == .algorithms)
        let metadata = try #require(await world.get("/.well-known/openid-configuration").json)
        #expect(metadata["id_token_signing_alg_values_supported"] == ["ES256"])
        #expect(metadata["dpop_signing_alg_values_supported"] == ["ES256", "EdDSA", "Ed25519", "PS256"])
        #expect(metadata["token_endpoint_auth_methods_supported"] == ["private_key_jwt"])
        #expect(metadata["require_pushed_authorization_requests"] == true)
    }

    private static let anyAlgorithm = RegisteredClient.AuthenticationMethod.privateKeyJWT(
        keys: JSONWebKeySet((Fixtures.signerKeys + Fixtures.keys).map(\.publicKey)),
        algorithm: nil
    )

    // MARK: A client's own rules

    @Test("A client may have its own rule set")
    func ownRules() async throws {
        let world = try Self.world(.strict) { $0.clients[2].rules = .oidc }
        let request = Parameters.webAuthorization { $0[.codeChallenge] = nil }
        #expect(await world.browser().authorize(request).loginPage != nil)
        #expect(world.log.admitted == [.proofKeys])
    }

    @Test("The strict rules admit nothing that they would report, and each rule names its source")
    func strict() {
        for rule in ProviderRule.allCases {
            #expect(rule.source.isEmpty == false)
            let isDemand = [.pushedRequests, .authenticationMethods, .senderConstraint, .algorithms].contains(rule)
            #expect(ProviderRules.strict.isLenient(in: rule) == isDemand)
        }
        #expect(ProviderRules.all.map(\.name) == ["oidc", "strict", "fapi2", "mcp"])
        #expect(ProviderRules.named("mcp") == .mcp && ProviderRules.named("lax") == nil)
    }
}

extension Parameters {
    fileprivate func with(_ name: Name, _ value: String) -> Parameters {
        var parameters = self
        parameters[name] = value
        return parameters
    }
}
