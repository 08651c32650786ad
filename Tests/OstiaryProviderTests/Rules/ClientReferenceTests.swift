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

@Suite("URIs of clients that the provider fetches", .timeLimit(.minutes(5)))
struct ClientReferenceTests {
    private static let keysURI = "https://app.example.com/jwks"
    private static let requestURI = "https://app.example.com/request.jwt"

    private static func keySet(_ keys: [SigningKey]) -> EndpointResponse {
        EndpointResponse(
            body: (["keys": .array(keys.map { .object($0.publicKey.jsonObject) })] as JSONObject).encoded()
        )
    }

    private func world(
        _ hosts: ClientHosts?,
        rules: ProviderRules = .oidc,
        change: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws -> World {
        try World {
            $0.rules = rules
            $0.outbound = hosts
            $0.registration = .open
            change(&$0)
        }
    }

    private func register(_ world: World, _ members: JSONObject) async -> ProviderResponse {
        var all: JSONObject = ["redirect_uris": [.string(Fixtures.redirectURI)]]
        for member in members.members { all[member.name] = member.value }
        return await world.send(.post, "/register", all)
    }

    // MARK: jwks_uri

    /// Sends a token request with an assertion; its error, which is `invalid_grant` for a client that has authenticated.
    private func redeem(_ world: World, _ id: String, _ key: SigningKey) async throws -> String? {
        let now = Int(world.clock.now.timeIntervalSince1970)
        let assertion = try key.sign(
            claims: [
                "iss": .string(id), "sub": .string(id), "aud": .string(Fixtures.issuer), "exp": .integer(now + 60),
                "jti": .string(UUID().uuidString),
            ],
            type: "JWT"
        )
        return await world.post(
            "/token",
            [
                .grantType: "authorization_code", .code: "unknown", .redirectURI: Fixtures.redirectURI,
                .codeVerifier: Fixtures.verifier, .clientAssertion: assertion,
                .clientAssertionType: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ]
        ).error
    }

    private func registerSigner(_ world: World) async throws -> String {
        let client = await register(
            world,
            ["token_endpoint_auth_method": "private_key_jwt", "jwks_uri": .string(Self.keysURI)]
        )
        #expect(client.json?["jwks_uri"]?.string == Self.keysURI)
        return try #require(client.json?["client_id"]?.string)
    }

    @Test("A client with a jwks_uri authenticates with its keys there, which are fetched once in five minutes")
    func keysByReference() async throws {
        let key = Fixtures.signerKeys[0]
        let hosts = ClientHosts { _, _ in Self.keySet([key]) }
        let world = try world(hosts)
        let id = try await registerSigner(world)
        #expect(world.log.admitted == [.clientReferences])
        #expect(hosts.requests.isEmpty)
        #expect(try await redeem(world, id, key) == "invalid_grant")
        #expect(try await redeem(world, id, key) == "invalid_grant")
        #expect(hosts.requests.map(\.url.absoluteString) == [Self.keysURI] && hosts.reaches == [.publicHosts])
        #expect(hosts.requests[0].limits.maximumBodyBytes == 65_536)
        world.clock.advance(by: .seconds(301))
        #expect(try await redeem(world, id, key) == "invalid_grant")
        #expect(hosts.requests.count == 2)
    }

    @Test("A key that the fetched key set lacks has it read again, at most every ten seconds")
    func rotation() async throws {
        let (old, new) = (try SigningKey.generate(.es256), try SigningKey.generate(.es256))
        let hosts = ClientHosts { _, place in Self.keySet(place == 1 ? [old] : [new]) }
        let world = try world(hosts)
        let id = try await registerSigner(world)
        #expect(try await redeem(world, id, old) == "invalid_grant")
        #expect(try await redeem(world, id, new) == "invalid_client")
        #expect(hosts.requests.count == 1)
        world.clock.advance(by: .seconds(11))
        #expect(try await redeem(world, id, new) == "invalid_grant")
        #expect(hosts.requests.count == 2)
    }

    @Test(
        "Without an answer at jwks_uri the keys from before are used for an hour, with ten seconds between two attempts"
    )
    func unreachable() async throws {
        let key = Fixtures.signerKeys[0]
        let hosts = ClientHosts { _, place throws(OutboundFailure) in
            if place > 1 { throw .transport(.unreachable) }
            return Self.keySet([key])
        }
        let world = try world(hosts)
        let id = try await registerSigner(world)
        #expect(try await redeem(world, id, key) == "invalid_grant")
        world.clock.advance(by: .seconds(3500))
        #expect(try await redeem(world, id, key) == "invalid_grant")
        #expect(try await redeem(world, id, key) == "invalid_grant")
        #expect(hosts.requests.count == 2)
        world.clock.advance(by: .seconds(200))
        #expect(try await redeem(world, id, key) == "invalid_client")
    }

    @Test(
        "A jwks_uri without a key set is refused with the reason in the log, and not asked again for ten seconds",
        arguments: [(500, "The host responded with status 500."), (200, "The response is not a JSON Web Key Set")]
    )
    func wrongDocument(status: Int, reason: String) async throws {
        let hosts = ClientHosts { _, _ in .status(status) }
        let world = try world(hosts)
        let id = try await registerSigner(world)
        #expect(try await redeem(world, id, Fixtures.signerKeys[0]) == "invalid_client")
        let event = try #require(world.log.refusal)
        #expect(event.reason.hasPrefix("\(Self.keysURI) cannot be read. \(reason)"))
        #expect(event.mend == "Check jwks_uri of the client." && event.clientID == id)
        #expect(try await redeem(world, id, Fixtures.signerKeys[0]) == "invalid_client")
        #expect(hosts.requests.count == 1)
    }

    @Test("Under the strict rules, and without a transport, private_key_jwt needs keys by value")
    func refused() async throws {
        let members: JSONObject = ["token_endpoint_auth_method": "private_key_jwt", "jwks_uri": .string(Self.keysURI)]
        let strict = try world(ClientHosts(), rules: .strict)
        #expect(await register(strict, members).error == "invalid_client_metadata")
        #expect(strict.log.refusal?.rule == .clientReferences)
        let silent = try world(nil)
        #expect(await register(silent, members).error == "invalid_client_metadata")
    }

    // MARK: request_uri

    private func requestObject(_ change: (inout JSONObject) -> Void = { _ in }) -> String {
        var claims: JSONObject = [
            "client_id": "app", "redirect_uri": .string(Fixtures.redirectURI), "response_type": "code",
            "scope": "openid", "state": "of the object", "code_challenge": .string(Fixtures.challenge),
            "code_challenge_method": "S256",
        ]
        change(&claims)
        return Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + Base64URL.encode(claims.encoded()) + "."
    }

    private func requestWorld(_ hosts: ClientHosts, fragment: String = "", rules: ProviderRules = .oidc) throws -> World
    {
        let uri = try ClientURI(Self.requestURI + fragment, fragment: .accepted)
        return try world(hosts, rules: rules) {
            $0.clients[0].requestURIs = [uri]
            $0.signIn = .automatic(userName: "alice")
        }
    }

    private func open(_ world: World, _ uri: String = requestURI, by client: String = "app") async -> ProviderResponse {
        await world.browser().authorize(
            Parameters([
                .clientID: client, .responseType: "code", .scope: "openid", .requestURI: uri,
                .redirectURI: Fixtures.redirectURI,
            ])
        )
    }

    @Test("A registered request_uri is fetched, and its request object is the request")
    func byReference() async throws {
        let object = requestObject()
        let hosts = ClientHosts { _, _ in EndpointResponse(body: Array((object + "\n").utf8)) }
        let world = try requestWorld(hosts)
        let response = await open(world)
        #expect(response.redirect?.parameters[.state] == "of the object")
        #expect(response.redirect?.parameters[.code] != nil)
        #expect(hosts.requests.count == 1)
        #expect(world.log.admitted.contains(.requestObjects))
    }

    @Test("The fragment of a request_uri is the SHA-256 of the content, and is not sent")
    func digest() async throws {
        let object = requestObject()
        let hosts = ClientHosts { _, _ in EndpointResponse(body: Array(object.utf8)) }
        let digest = Base64URL.encode(HashAlgorithm.sha256.hash(Array(object.utf8)))
        let right = try requestWorld(hosts, fragment: "#" + digest)
        #expect(await open(right, Self.requestURI + "#" + digest).redirect?.parameters[.code] != nil)
        #expect(hosts.requests.map(\.url.absoluteString) == [Self.requestURI])
        let wrong = try requestWorld(hosts, fragment: "#wrong")
        #expect(await open(wrong, Self.requestURI + "#wrong").redirectError == "invalid_request_uri")
    }

    @Test("A request_uri that the client has not registered is not fetched")
    func unregistered() async throws {
        let hosts = ClientHosts()
        let response = try await open(requestWorld(hosts), "https://other.example/request.jwt")
        #expect(response.redirectError == "invalid_request_uri")
        #expect(response.redirect?.parameters[.errorDescription]?.contains("request_uris") == true)
        #expect(hosts.requests.isEmpty)
    }

    @Test("A request_uri without a usable answer is refused with the reason")
    func unusable() async throws {
        let missing = try requestWorld(ClientHosts { _, _ in .status(404) })
        #expect(await open(missing).redirect?.parameters[.errorDescription]?.contains("status 404") == true)
        let away = try requestWorld(ClientHosts { _, _ throws(OutboundFailure) in throw .addressOutOfReach })
        #expect(await open(away).redirectError == "invalid_request_uri")
        let both = try requestWorld(ClientHosts())
        let response = await both.browser().authorize(
            .authorization {
                $0[.requestURI] = Self.requestURI
                $0["request"] = requestObject()
            }
        )
        #expect(response.redirectError == "invalid_request_uri")
    }

    @Test("A request object whose keys cannot be read is refused at the redirect URI; an unsigned one needs no keys")
    func requestKeys() async throws {
        let hosts = ClientHosts { _, _ in .status(500) }
        let signing = try world(hosts)
        let id = try await registerSigner(signing)
        let signed = try Fixtures.signerKeys[0].sign(
            claims: ["client_id": .string(id)],
            type: "oauth-authz-req+jwt"
        )
        let refused = await signing.browser().authorize(
            .authorization {
                $0[.clientID] = id
                $0["request"] = signed
            }
        )
        #expect(refused.redirectError == "invalid_request_object")
        #expect(signing.log.refusal?.mend == "Check jwks_uri of the client." && hosts.requests.count == 1)
        let uri = try ClientURI(Self.keysURI)
        let plain = try world(hosts) {
            $0.clients[0].keySetURI = uri
            $0.signIn = .automatic(userName: "alice")
        }
        let object = requestObject()
        let served = await plain.browser().authorize(.authorization { $0["request"] = object })
        #expect(served.redirect?.parameters[.code] != nil && hosts.requests.count == 1)
    }

    @Test(
        "Beyond 60 fetches of a client's request_uri within a minute a request is refused for the rest of it"
    )
    func fetchRate() async throws {
        let object = requestObject()
        let hosts = ClientHosts { _, _ in EndpointResponse(body: Array(object.utf8)) }
        let world = try requestWorld(hosts)
        for _ in 0..<60 { #expect(await open(world).redirect?.parameters[.code] != nil) }
        #expect(await open(world).redirectError == "temporarily_unavailable")
        #expect(hosts.requests.count == 60)
        let event = try #require(world.log.refusal)
        #expect(event.clientID == "app" && event.error == "temporarily_unavailable")
        #expect(event.reason.contains("60 fetches within a minute"))
        world.clock.advance(by: .seconds(61))
        #expect(await open(world).redirect?.parameters[.code] != nil)
    }

    @Test("The fetches of a client count together, whichever scenario its identifier ends with")
    func fetchRateWithScenarios() async throws {
        let hosts = ClientHosts()
        let uri = try ClientURI(Self.requestURI, fragment: .accepted)
        let world = try world(hosts) {
            $0.clients[0].requestURIs = [uri]
            $0.scenarioChoice = .byRequest
        }
        let ids = ["app", "app~\(Scenario.invalidNonce.name)", "app~\(Scenario.missingState.name)"]
        for number in 0..<60 { _ = await open(world, by: ids[number % ids.count]) }
        #expect(hosts.requests.count == 60)
        for id in ids { #expect(await open(world, by: id).redirectError == "temporarily_unavailable") }
        #expect(hosts.requests.count == 60)
    }

    @Test("Beyond four fetches of a client's request_uri at the same time a request is refused as temporary")
    func concurrentFetches() async throws {
        let held = HeldHosts(EndpointResponse(body: Array(requestObject().utf8)), releasedAt: 5)
        let uri = try ClientURI(Self.requestURI, fragment: .accepted)
        let world = try World {
            $0.rules = .oidc
            $0.outbound = held
            $0.clients[0].requestURIs = [uri]
            $0.signIn = .automatic(userName: "alice")
        }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 { group.addTask { await open(world).redirect?.parameters[.code] != nil } }
            await held.arrived(4)
            let refused = await open(world).redirectError
            await held.release()
            #expect(refused == "temporarily_unavailable")
            for await hasCode in group { #expect(hasCode) }
        }
        #expect(await open(world).redirect?.parameters[.code] != nil)
    }

    @Test("Under the strict rules a request_uri is refused, and the log names the rules that serve it")
    func strictRequestURI() async throws {
        let hosts = ClientHosts()
        let world = try requestWorld(hosts, rules: .strict)
        #expect(await open(world).redirectError == "request_uri_not_supported")
        #expect(world.log.refusal?.rule == .clientReferences && hosts.requests.isEmpty)
    }

    @Test("The metadata say what the provider fetches, and that a request_uri has to be registered")
    func metadata() async throws {
        let able = try #require(await world(ClientHosts()).get("/.well-known/openid-configuration").json)
        #expect(able["request_uri_parameter_supported"] == true && able["require_request_uri_registration"] == true)
        #expect(able["subject_types_supported"] == ["public", "pairwise"])
        let strict = try #require(
            await world(ClientHosts(), rules: .strict).get("/.well-known/openid-configuration").json
        )
        #expect(strict["request_uri_parameter_supported"] == false)
        #expect(strict["subject_types_supported"] == ["public"])
    }

    // MARK: Pairwise subjects

    private func pairwiseWorld(_ storage: any ProviderStorage = MemoryProviderStorage()) throws -> World {
        try World(storage: storage) {
            $0.rules = .oidc
            for (index, sector) in [(0, "app.example.com"), (2, "app.example.com"), (3, "poster.example")] {
                $0.clients[index].sector = sector
            }
            $0.clients[1].requiresConsent = false
        }
    }

    private func subject(_ world: World, _ request: Parameters = .authorization()) async throws -> (String, Tokens) {
        let code = try await world.code(request)
        var form = Parameters.codeGrant(code, redirectURI: request[.redirectURI])
        form[.clientID] = request[.clientID]
        if request[.clientID] == "poster" { form[.clientSecret] = "posted" }
        let tokens = try Tokens(await world.post("/token", form))
        let claims = try await world.verifiedClaims(try #require(tokens.id))
        return (try #require(claims["sub"]?.string), tokens)
    }

    @Test("Clients of different sectors know a user by different subjects, and a public client by the user's own")
    func pairwise() async throws {
        let world = try pairwiseWorld()
        let (app, tokens) = try await subject(world)
        let (poster, _) = try await subject(
            world,
            .authorization {
                $0[.clientID] = "poster"
                $0[.redirectURI] = "https://app.example.com/callback?from=provider"
                $0[.scope] = "openid"
            }
        )
        let (open, _) = try await subject(
            world,
            .authorization {
                $0[.clientID] = "stranger"
                $0[.scope] = "openid"
            }
        )
        #expect(open == "subject-of-alice" && app != open && poster != open && app != poster)
        #expect(await world.userInfo(tokens.access).json?["sub"]?.string == app)
        #expect(try await world.verifiedClaims(tokens.access)["sub"]?.string == app)
        let refreshed = try Tokens(await world.refresh(try #require(tokens.refresh)))
        #expect(try await world.verifiedClaims(try #require(refreshed.id))["sub"]?.string == app)
    }

    @Test("A pairwise subject outlives a restart, and is another one at another provider")
    func keptSalt() async throws {
        let storage = MemoryProviderStorage()
        let first = try await subject(pairwiseWorld(storage)).0
        #expect(try await subject(pairwiseWorld(storage)).0 == first)
    }

    @Test("An ID token with a pairwise subject is a hint of its user, and a claims parameter may name the subject")
    func hints() async throws {
        let world = try pairwiseWorld()
        let browser = world.browser()
        let tokens = try await world.tokens(in: browser)
        let id = try #require(tokens.id)
        let sub = try #require(try await world.verifiedClaims(id)["sub"]?.string)
        let hinted = await browser.authorize(
            .authorization {
                $0[.idTokenHint] = id
                $0[.prompt] = "none"
            }
        )
        #expect(hinted.redirect?.parameters[.code] != nil)
        for (value, isKnown) in [(sub, true), ("somebody else", false), ("subject-of-alice", false)] {
            let claims: JSONObject = ["id_token": ["sub": ["value": .string(value)]]]
            let response = await browser.authorize(
                .authorization {
                    $0["claims"] = String(decoding: claims.encoded(), as: UTF8.self)
                    $0[.prompt] = "none"
                }
            )
            #expect((response.redirect?.parameters[.code] != nil) == isKnown)
        }
        #expect(await browser.send(.get, "/end-session", Parameters([.idTokenHint: id])).isSignedOutPage)
    }

    @Test("A logout token has the client's pairwise subject")
    func logout() async throws {
        let hosts = ClientHosts()
        let uri = try ClientURI("https://app.example.com/out")
        let world = try World {
            $0.rules = .oidc
            $0.outbound = hosts
            $0.clients[0].sector = "app.example.com"
            $0.clients[0].backChannelLogout = ClientLogout(uri)
        }
        let (sub, _) = try await subject(world)
        try await world.provider.endLogins(of: "subject-of-alice")
        _ = await world.log.first(.delivered)
        let token = try await world.verifiedClaims(try #require(hosts.requests.first?.form["logout_token"]))
        #expect(token["sub"]?.string == sub)
    }

    @Test(
        "A sector identifier document has to list every redirect URI",
        arguments: [
            (#"["http://127.0.0.1/callback", "https://app.example.com/cb"]"#, true),
            (#"["https://app.example.com/cb"]"#, false), (#"{"a": 1}"#, false), (#"[], "x": [1"#, false),
            (#"["http://127.0.0.1/callback", 1]"#, false), ("", false),
        ]
    )
    func sector(document: String, isTaken: Bool) async throws {
        let hosts = ClientHosts { _, _ in EndpointResponse(body: Array(document.utf8)) }
        let client = try await register(
            world(hosts),
            ["subject_type": "pairwise", "sector_identifier_uri": "https://app.example.com/sector.json"]
        )
        #expect((client.status == .created) == isTaken)
        #expect(hosts.requests.count == 1 && hosts.reaches == [.publicHosts])
    }

    @Test("Beyond 60 sector identifier documents within a minute a registration is refused for the rest of it")
    func sectorRate() async throws {
        let document = #"["http://127.0.0.1/callback"]"#
        let hosts = ClientHosts { _, _ in EndpointResponse(body: Array(document.utf8)) }
        let world = try world(hosts)
        let members: JSONObject = [
            "subject_type": "pairwise", "sector_identifier_uri": "https://app.example.com/sector.json",
        ]
        for _ in 0..<60 { #expect(await register(world, members).status == .created) }
        let refused = await register(world, members)
        #expect(refused.status == .serviceUnavailable && refused.error == "temporarily_unavailable")
        #expect(refused.fields[.retryAfter] == "60" && hosts.requests.count == 60)
        #expect(await register(world, [:]).status == .created)
        world.clock.advance(by: .seconds(61))
        #expect(await register(world, members).status == .created)
    }

    @Test("Redirect URIs of several hosts need a sector identifier for pairwise subjects, those of one host do not")
    func impliedSector() async throws {
        let world = try world(ClientHosts())
        let several: JSONObject = [
            "subject_type": "pairwise", "redirect_uris": ["https://a.example/cb", "https://b.example/cb"],
        ]
        #expect(await register(world, several).error == "invalid_client_metadata")
        let app: JSONObject = ["subject_type": "pairwise", "redirect_uris": ["com.example.app:/callback"]]
        #expect(await register(world, app).error == "invalid_client_metadata")
        let one: JSONObject = [
            "subject_type": "pairwise", "redirect_uris": ["https://a.example/cb", "https://a.example/other"],
        ]
        #expect(await register(world, one).json?["subject_type"] == "pairwise")
        #expect(await register(world, ["subject_type": "secret"]).error == "invalid_client_metadata")
    }

    // MARK: The consent page

    private func consent(_ rules: ProviderRules) async throws -> (ProviderResponse, ConsentPage) {
        let world = try world(nil, rules: rules)
        let client = await register(
            world,
            [
                "client_name": "<Shop>", "token_endpoint_auth_method": "none", "client_uri": "https://app.example.com/",
                "policy_uri": "https://app.example.com/legal#privacy", "tos_uri": "https://app.example.com/terms",
                "logo_uri": "https://cdn.example.com:8443/logo.png",
            ]
        )
        let id = try #require(client.json?["client_id"]?.string)
        let browser = world.browser()
        let next = try await browser.signIn(
            .authorization {
                $0[.clientID] = id
                $0[.scope] = "openid"
            }
        )
        let response = try await browser.follow(next)
        return (response, try #require(response.consentPage))
    }

    @Test("The consent page links to a client's pages, and shows its logo under rules that accept references")
    func pages() async throws {
        let (response, page) = try await consent(.oidc)
        #expect(page.links.map(\.label) == ["Home page", "Privacy policy", "Terms of service"])
        #expect(page.links.map(\.url)[1] == "https://app.example.com/legal#privacy")
        #expect(page.logo == "https://cdn.example.com:8443/logo.png")
        let policy = try #require(response.fields[.contentSecurityPolicy])
        #expect(policy.contains("img-src 'self' https://cdn.example.com:8443; "))
        let html = PlainPageRenderer().html(for: .consent(page))
        #expect(html.contains("<a href=\"https://app.example.com/terms\" rel=\"noopener noreferrer\""))
        #expect(html.contains("<img src=\"https://cdn.example.com:8443/logo.png\" alt=\"\""))
    }

    @Test("Under the strict rules the consent page has the links and no logo")
    func strictPages() async throws {
        let (response, page) = try await consent(.strict)
        #expect(page.links.count == 3 && page.logo == nil)
        #expect(response.fields[.contentSecurityPolicy]?.contains("img-src 'self';") == true)
    }
}
