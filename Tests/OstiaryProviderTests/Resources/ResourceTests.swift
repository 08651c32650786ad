import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Resource indicators")
struct ResourceTests {
    private static let notes = "https://notes.example/api"
    private static let files = "https://files.example"
    private let world: World

    init() throws {
        world = try World {
            $0.resources = [
                ProviderResource(identifier: Self.notes, name: "Notes", scopes: [.profile, .offlineAccess]),
                ProviderResource(identifier: Self.files, name: "Files"),
            ]
        }
    }

    private func request(_ resources: String..., change: (inout Parameters) -> Void = { _ in }) -> Parameters {
        .authorization {
            for resource in resources { $0.append(resource, for: .resource) }
            change(&$0)
        }
    }

    private func trade(_ code: String, _ resources: String...) async -> ProviderResponse {
        await world.post("/token", .codeGrant(code) { for name in resources { $0.append(name, for: .resource) } })
    }

    @Test("A token is for the resource that the token request names")
    func one() async throws {
        let code = try await world.code(request(Self.notes, Self.files))
        let tokens = try Tokens(await trade(code, Self.files))
        #expect(try await world.verifiedClaims(tokens.access)["aud"] == .string(Self.files))
    }

    @Test("A token for several resources names each once")
    func several() async throws {
        let code = try await world.code(request(Self.notes, Self.files))
        let tokens = try Tokens(await trade(code, Self.files, Self.notes, Self.files))
        let audience: JSONValue = [.string(Self.files), .string(Self.notes)]
        #expect(try await world.verifiedClaims(tokens.access)["aud"] == audience)
    }

    @Test("A token request without a resource gets a token for user info, and a refresh can get the resource's")
    func refresh() async throws {
        let first = try Tokens(await trade(try await world.code(request(Self.files))))
        #expect(await world.userInfo(first.access).status == .ok)
        let response = await world.refresh(try #require(first.refresh)) { $0[.resource] = Self.files }
        let second = try Tokens(response)
        #expect(try await world.verifiedClaims(second.access)["aud"] == .string(Self.files))
        let third = try Tokens(await world.refresh(try #require(second.refresh)))
        #expect(try await world.verifiedClaims(third.access)["aud"] == .string(Fixtures.issuer))
    }

    @Test("User info rejects a token for another resource")
    func userInfo() async throws {
        let tokens = try Tokens(await trade(try await world.code(request(Self.files)), Self.files))
        let response = await world.userInfo(tokens.access)
        #expect(response.status == .unauthorized)
        #expect(AuthenticateChallenge.list(in: response.fields).first?.error?.code == .invalidToken)
    }

    @Test("A token for a resource has the resource's scopes, and the ID token is still issued")
    func scopes() async throws {
        let tokens = try Tokens(await trade(try await world.code(request(Self.notes)), Self.notes))
        #expect(tokens.response["scope"] == "profile offline_access")
        #expect(try await world.verifiedClaims(tokens.access)["scope"] == "profile offline_access")
        #expect(tokens.id != nil)
        let rest = try Tokens(await world.refresh(try #require(tokens.refresh)))
        #expect(rest.response["scope"] == "openid profile offline_access")
    }

    @Test(
        "A resource that is unknown or no absolute URI without a fragment is rejected",
        arguments: [
            "", "/api", "notes.example", "https://files.example#part", "https://files.example#",
            "https://files.example/",
            "https://FILES.example", "https://other.example", "https:",
        ]
    )
    func invalid(resource: String) async throws {
        #expect(await world.browser().authorize(request(Self.files, resource)).redirectError == "invalid_target")
        let code = try await world.code(request(Self.files))
        let response = await trade(code, Self.files, resource)
        #expect(response.status == .badRequest)
        #expect(response.error == "invalid_target")
        #expect(await trade(code, Self.files).status == .ok)
    }

    @Test("A configured resource with a fragment is rejected")
    func configuredFragment() async throws {
        let name = "https://files.example#part"
        let world = try World { $0.resources = [ProviderResource(identifier: name, name: "Files")] }
        #expect(await world.browser().authorize(request(name)).redirectError == "invalid_target")
    }

    @Test("A token request for a resource that was not authorized is rejected, and the code stays valid")
    func subset() async throws {
        let code = try await world.code(request(Self.files))
        #expect(await trade(code, Self.notes).error == "invalid_target")
        let tokens = try Tokens(await trade(code))
        let token = try #require(tokens.refresh)
        #expect(await world.refresh(token) { $0[.resource] = Self.notes }.error == "invalid_target")
        #expect(await world.refresh(token).status == .ok)
    }

    @Test("The consent page lists the resources, and is shown again for another one")
    func consent() async throws {
        let browser = world.browser()
        let first = try await browser.signIn(request(Self.files) { $0[.clientID] = "stranger" })
        let page = try #require(try await browser.follow(first).consentPage)
        #expect(page.scopes.contains { $0.scope == Self.files && $0.sentence == "Use these permissions at Files" })
        _ = await browser.submit(page.form)
        let again = await browser.authorize(request(Self.files) { $0[.clientID] = "stranger" })
        #expect(again.redirect?.parameters[.code] != nil)
        let other = await browser.authorize(request(Self.files, Self.notes) { $0[.clientID] = "stranger" })
        _ = await browser.submit(try #require(other.consentPage).form)
        let both = await browser.authorize(request(Self.notes, Self.files) { $0[.clientID] = "stranger" })
        #expect(both.redirect?.parameters[.code] != nil)
    }

    @Test("A pushed request keeps its resources")
    func pushed() async throws {
        let pushed = await world.post("/par", request(Self.files, Self.notes))
        let uri = try #require(pushed.json?["request_uri"]?.string)
        let code = try await world.code([.clientID: "app", .requestURI: uri])
        let tokens = try Tokens(await trade(code, Self.notes))
        #expect(try await world.verifiedClaims(tokens.access)["aud"] == .string(Self.notes))
    }
}

@Suite("Resources of a grant without openid")
struct PlainResourceTests {
    private static let api = "https://api.example.com"
    private static let files = "https://files.example"
    private let world: World

    init() throws {
        world = try World {
            $0.resources = [
                ProviderResource(identifier: Self.api, name: "API"),
                ProviderResource(identifier: Self.files, name: "F"),
            ]
        }
    }

    @Test("A plain OAuth token request without a resource gets the grant's, and so does each refresh")
    func inherited() async throws {
        let request = Parameters.authorization {
            $0[.scope] = "profile offline_access"
            $0[.resource] = Self.api
        }
        let tokens = try await world.tokens(request)
        #expect(try await world.verifiedClaims(tokens.access)["aud"] == .string(Self.api))
        let next = try Tokens(await world.refresh(try #require(tokens.refresh)))
        #expect(try await world.verifiedClaims(next.access)["aud"] == .string(Self.api))
    }

    @Test("A plain OAuth grant for several resources gives a token for all of them")
    func several() async throws {
        let tokens = try await world.tokens(
            .authorization {
                $0[.scope] = "profile"
                $0.append(Self.api, for: .resource)
                $0.append(Self.files, for: .resource)
            }
        )
        #expect(try await world.verifiedClaims(tokens.access)["aud"] == [.string(Self.api), .string(Self.files)])
    }
}

@Suite("A redirect URI that is left out")
struct ImpliedRedirectURITests {
    private static let request = Parameters.authorization {
        $0[.redirectURI] = nil
        $0[.scope] = "profile"
    }

    private func world(_ rules: ProviderRules, _ change: (inout RegisteredClient) -> Void = { _ in }) throws -> World {
        try World {
            $0.rules = rules
            $0.clients[0].redirectURIs = [try! RedirectURI(Fixtures.redirectURI)]
            change(&$0.clients[0])
        }
    }

    @Test(
        "A plain OAuth client with one redirect URI may omit it in both requests, under oidc and mcp",
        arguments: [ProviderRules.oidc, .mcp]
    )
    func implied(rules: ProviderRules) async throws {
        let world = try world(rules)
        let code = try await world.code(Self.request)
        #expect(world.log.admitted.contains(.missingRedirectURI))
        #expect(await world.post("/token", .codeGrant(code) { $0[.redirectURI] = nil }).status == .ok)
        let other = try await world.code(Self.request)
        let wrong = Parameters.codeGrant(other, redirectURI: "http://127.0.0.1:1/callback")
        #expect(await world.post("/token", wrong).error == "invalid_grant")
    }

    @Test(
        "A request without a redirect URI is rejected by strict and fapi2",
        arguments: [ProviderRules.strict, .fapi2]
    )
    func refused(rules: ProviderRules) async throws {
        let world = try world(rules)
        let response = await world.browser().authorize(Self.request)
        #expect(response.errorSentence?.hasSuffix("--rules oidc accepts it.") == true)
        #expect(world.log.refusal?.rule == .missingRedirectURI)
    }

    @Test("A client with two redirect URIs may not omit it")
    func severalURIs() async throws {
        let world = try World { $0.rules = .oidc }
        #expect(await world.browser().authorize(Self.request).errorSentence != nil)
    }

    @Test(
        "A request that is granted openid may not omit the redirect URI, whether it names the scope or not",
        arguments: ["openid", nil]
    )
    func openID(scope: String?) async throws {
        let world = try world(.oidc)
        let response = await world.browser().authorize(
            .authorization {
                $0[.redirectURI] = nil
                $0[.scope] = scope
            }
        )
        #expect(response.errorSentence?.contains("--rules") == false)
    }

    @Test("A request without scope of a client without openid may omit the redirect URI under oidc")
    func noScope() async throws {
        let world = try world(.oidc) { $0.allowedScopes = [.profile] }
        let request = Parameters.authorization {
            $0[.redirectURI] = nil
            $0[.scope] = nil
        }
        #expect(await world.browser().authorize(request).loginPage != nil)
        #expect(Set(world.log.admitted) == [.missingRedirectURI, .missingScope])
    }
}
