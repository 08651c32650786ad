import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Pushed authorization requests")
struct PushedAuthorizationTests {
    /// Pushes a request and answers what the browser has to bring.
    private func pushed(_ request: Parameters = .authorization(), at world: World) async throws -> Parameters {
        let response = await world.post("/par", request)
        let uri = try #require(response.json?["request_uri"]?.string)
        return Parameters([.clientID: request[.clientID] ?? "", .requestURI: uri])
    }

    @Test("A pushed request gets a request URI that expires after a minute")
    func push() async throws {
        let response = await (try World()).post("/par", .authorization())
        #expect(response.status == .created)
        #expect(response.json?.names == ["request_uri", "expires_in"])
        #expect(response.json?["request_uri"]?.string?.hasPrefix("urn:ietf:params:oauth:request_uri:") == true)
        #expect(response.json?["expires_in"] == 60)
        #expect(response.fields[.cacheControl] == "no-store")
    }

    @Test("A user signs in with every parameter of the pushed request")
    func open() async throws {
        let world = try World()
        let link = try await pushed(at: world)
        let response = try await world.browser().signIn(link)
        #expect(response.redirect?.place == Fixtures.redirectURI)
        #expect(response.redirect?.parameters[.state] == "the state")
        let code = try #require(response.redirect?.parameters[.code])
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        #expect(try await world.verifiedClaims(try #require(tokens.id))["nonce"] == "the-nonce")
    }

    @Test("The consent page follows a pushed request")
    func consent() async throws {
        let world = try World { $0.requiresPushedAuthorizationRequests = true }
        let link = try await pushed(.authorization { $0[.clientID] = "stranger" }, at: world)
        let browser = world.browser()
        let page = try await browser.follow(await browser.signIn(link)).consentPage
        let response = await browser.submit(try #require(page).form)
        #expect(response.redirect?.parameters[.code] != nil)
    }

    @Test("A request URI is opened once")
    func once() async throws {
        let world = try World()
        let link = try await pushed(at: world)
        #expect(await world.browser().authorize(link).loginPage != nil)
        let again = await world.browser().authorize(link)
        #expect(again.status == .badRequest)
        #expect(again.errorSentence == "The request_uri is unknown, used, too old, or another client's.")
    }

    @Test("A request URI expires after a minute, or the configured time")
    func expiry() async throws {
        let world = try World { $0.lifetimes.pushedRequest = .seconds(10) }
        let (first, second) = (try await pushed(at: world), try await pushed(at: world))
        world.clock.advance(by: .seconds(9))
        #expect(await world.browser().authorize(first).loginPage != nil)
        world.clock.advance(by: .seconds(1))
        #expect(await world.browser().authorize(second).errorSentence != nil)
    }

    @Test("A different client cannot open a request URI, and does not use it up")
    func otherClient() async throws {
        let world = try World()
        var link = try await pushed(at: world)
        link[.clientID] = "stranger"
        #expect(await world.browser().authorize(link).errorSentence != nil)
        link[.clientID] = "app"
        #expect(await world.browser().authorize(link).loginPage != nil)
    }

    @Test("An unknown request URI gets an error page")
    func unknown() async throws {
        let uri = "urn:ietf:params:oauth:request_uri:unknown"
        let response = await (try World()).browser().authorize([.clientID: "app", .requestURI: uri])
        #expect(response.status == .badRequest)
        #expect(response.errorSentence != nil)
    }

    @Test(
        "A parameter beside the client and the request URI is ignored",
        arguments: [Parameters.Name.state, .scope, .redirectURI, "other"]
    )
    func more(name: Parameters.Name) async throws {
        let world = try World()
        var link = try await pushed(at: world)
        link[name] = "more"
        let response = try await world.browser().signIn(link)
        #expect(response.redirect?.place == Fixtures.redirectURI)
        #expect(response.redirect?.parameters[.state] == "the state")
        let code = try #require(response.redirect?.parameters[.code])
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        #expect(try await world.verifiedClaims(try #require(tokens.id))["nonce"] == "the-nonce")
    }

    @Test("The log and the page of the developer have the cause and the mend of a request URI that is refused")
    func causes() async throws {
        let world = try World { $0.lifetimes.pushedRequest = .seconds(10) }
        func cause(_ link: Parameters) async throws -> String? {
            let response = await world.browser().authorize(link)
            guard case .error(let page) = response.page else { return nil }
            let event = try #require(world.log.refusal)
            #expect(page.reason == event.reason && page.mend == event.mend)
            #expect(event.mend == "Push the request again, and open its request_uri once, within 10 s.")
            return event.reason
        }
        let used = try await pushed(at: world)
        #expect(await world.browser().authorize(used).loginPage != nil)
        #expect(try await cause(used) == "The request_uri was opened before.")
        var link = try await pushed(at: world)
        link[.clientID] = "stranger"
        #expect(try await cause(link) == "Another client pushed the request with this request_uri.")
        link[.clientID] = "app"
        world.clock.advance(by: .seconds(10))
        #expect(try await cause(link) == "The request_uri has expired.")
        link[.requestURI] = "urn:ietf:params:oauth:request_uri:unknown"
        #expect(
            try await cause(link) == "There is no pushed request with this request_uri, or it expired long ago."
        )
    }

    @Test("The next refusal of a client has the reason of its refused push, for a minute and until another push")
    func refusedPush() async throws {
        let world = try World { $0.requiresPushedAuthorizationRequests = true }
        let link = Parameters([.clientID: "app", .requestURI: "urn:ietf:params:oauth:request_uri:undefined"])
        let reason = "The client's last pushed request was refused: The code_challenge is missing."
        #expect(await world.post("/par", .authorization { $0[.codeChallenge] = nil }).error == "invalid_request")
        _ = await world.browser().authorize(link)
        #expect(world.log.refusal?.reason.hasSuffix(reason) == true)
        _ = await world.browser().authorize()
        #expect(world.log.refusal?.reason == "The authorization request has to be pushed. " + reason)
        _ = await world.browser().authorize(.authorization { $0[.clientID] = "stranger" })
        #expect(world.log.refusal?.reason == "The authorization request has to be pushed.")
        world.clock.advance(by: .seconds(60))
        _ = await world.browser().authorize()
        #expect(world.log.refusal?.reason == "The authorization request has to be pushed.")
        _ = await world.post("/par", .authorization { $0[.codeChallenge] = nil })
        _ = try await pushed(at: world)
        _ = await world.browser().authorize()
        #expect(world.log.refusal?.reason == "The authorization request has to be pushed.")
    }

    @Test("A request URI without its client_id gets an error page")
    func noClient() async throws {
        let world = try World()
        var link = try await pushed(at: world)
        link[.clientID] = nil
        #expect(await world.browser().authorize(link).errorSentence?.contains("client_id is missing") == true)
    }

    @Test("A request URI with a repeated client_id gets an error page")
    func repeated() async throws {
        let world = try World()
        var link = try await pushed(at: world)
        link.append("app", for: .clientID)
        #expect(await world.browser().authorize(link).errorSentence == "A parameter is repeated: client_id.")
    }

    @Test(
        "The push endpoint rejects what the authorization endpoint would reject",
        arguments: [
            ("invalid_request", { @Sendable in $0[.codeChallenge] = nil }),
            ("invalid_request", { $0[.redirectURI] = "https://evil.example" }),
            ("invalid_request", { $0[.redirectURI] = nil }),
            ("invalid_request", { $0[.idTokenHint] = "a.b.c" }),
            ("invalid_request", { $0[.requestURI] = "urn:ietf:params:oauth:request_uri:other" }),
            ("invalid_request", { $0.append("twice", for: .state) }),
            ("invalid_request", { $0[.dpopKeyThumbprint] = "short" }),
            ("unsupported_response_type", { $0[.responseType] = "token" }),
            ("invalid_scope", { $0[.scope] = "unknown" }),
            ("invalid_target", { $0[.resource] = "https://unknown.example" }),
            ("request_not_supported", { $0["request"] = "a.b.c" }),
        ] as [(String, @Sendable (inout Parameters) -> Void)]
    )
    func refused(error: String, change: @Sendable (inout Parameters) -> Void) async throws {
        let response = await (try World()).post("/par", .authorization(change))
        #expect(response.status == .badRequest)
        #expect(response.error == error)
    }

    @Test("The push endpoint authenticates the client, which must be the request's")
    func authentication() async throws {
        let world = try World()
        #expect(await world.post("/par", .webAuthorization()).error == "invalid_client")
        let basic: HTTPFields = [.authorization: "Basic d2ViJTIwYXBwOnAlMjVzcyUzQSUyMCUyQndvcmQ="]
        #expect(await world.post("/par", .webAuthorization(), fields: basic).status == .created)
        let unnamed = await world.post("/par", .webAuthorization { $0[.clientID] = nil }, fields: basic)
        #expect(unnamed.error == "invalid_request")
        #expect(await world.get("/par").status == .methodNotAllowed)
    }

    @Test("A client's secret is not stored with the pushed request")
    func secret() async throws {
        let world = try World()
        let request = Parameters.webAuthorization {
            $0[.clientID] = "poster"
            $0[.clientSecret] = "posted"
            $0[.scope] = "openid"
        }
        #expect(await world.post("/par", request).status == .created)
        let record = try #require(try await world.storage.records(.pushedRequest).first)
        #expect(record.value["parameters"]?.string?.contains("posted") == false)
    }

    @Test("Where pushing is required a plain authorization request is rejected")
    func required() async throws {
        for world in [
            try World { $0.requiresPushedAuthorizationRequests = true },
            try World { $0.clients[0].requiresPushedAuthorization = true },
        ] {
            #expect(await world.browser().authorize().redirectError == "invalid_request")
            #expect(await world.browser().authorize(try await pushed(at: world)).loginPage != nil)
        }
    }

    @Test("A request URI of another origin is rejected")
    func foreign() async throws {
        let request = Parameters.authorization { $0[.requestURI] = "https://app.example.com/request" }
        #expect(await (try World()).browser().authorize(request).redirectError == "request_uri_not_supported")
    }

    @Test("The metadata names the push endpoint, and whether pushing is required")
    func metadata() async throws {
        let free = await (try World()).get("/.well-known/openid-configuration").json
        #expect(free?["pushed_authorization_request_endpoint"] == .string(Fixtures.issuer + "/par"))
        #expect(free?["require_pushed_authorization_requests"] == false)
        let strict = try World { $0.requiresPushedAuthorizationRequests = true }
        let metadata = await strict.get("/.well-known/openid-configuration").json
        #expect(metadata?["require_pushed_authorization_requests"] == true)
    }

    @Test("A DPoP proof with the pushed request binds the code to its key")
    func proof() async throws {
        let world = try World()
        let prover = try Prover(world.clock)
        let response = await world.post("/par", .authorization(), fields: try prover.field("/par"))
        let uri = try #require(response.json?["request_uri"]?.string)
        let form = Parameters.codeGrant(try await world.code([.clientID: "app", .requestURI: uri]))
        let other = try Prover(world.clock)
        #expect(await world.post("/token", form, fields: try other.field()).error == "invalid_grant")
        #expect(await world.post("/token", form, fields: try prover.field()).status == .ok)
    }

    @Test("A pushed request's DPoP proof must match dpop_jkt and the endpoint")
    func contradiction() async throws {
        let world = try World()
        let prover = try Prover(world.clock)
        let agreeing = Parameters.authorization { $0[.dpopKeyThumbprint] = prover.thumbprint }
        #expect(await world.post("/par", agreeing, fields: try prover.field("/par")).status == .created)
        let other = try Prover(world.clock)
        let response = await world.post("/par", agreeing, fields: try other.field("/par"))
        #expect(response.error == "invalid_dpop_proof")
        let misplaced = await world.post("/par", agreeing, fields: try prover.field("/token"))
        #expect(misplaced.error == "invalid_dpop_proof")
    }
}
