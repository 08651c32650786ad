import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Token exchange")
struct ExchangeTests {
    static let accessToken = "urn:ietf:params:oauth:token-type:access_token"
    static let refreshToken = "urn:ietf:params:oauth:token-type:refresh_token"
    static let idToken = "urn:ietf:params:oauth:token-type:id_token"
    static let jwt = "urn:ietf:params:oauth:token-type:jwt"

    private func exchange(
        _ token: String,
        at world: World,
        _ change: (inout Parameters) -> Void = { _ in }
    ) async -> ProviderResponse {
        var form = Parameters([
            .grantType: "urn:ietf:params:oauth:grant-type:token-exchange", .clientID: "service",
            .clientSecret: "served", .subjectToken: token, .subjectTokenType: Self.accessToken,
        ])
        change(&form)
        return await world.post("/token", form)
    }

    /// As the public client that the tokens were issued to.
    private func ownExchange(_ token: String, at world: World, _ change: (inout Parameters) -> Void) async
        -> ProviderResponse
    {
        await exchange(token, at: world) {
            $0[.clientID] = "app"
            $0[.clientSecret] = nil
            change(&$0)
        }
    }

    private func appWorld(scenario: Scenario = .none) throws -> World {
        try World(scenario: scenario) { $0.clients[0].grantTypes.insert(.tokenExchange) }
    }

    @Test("An exchanged access token has the same subject, and no other token is issued")
    func accessToken() async throws {
        let world = try World()
        let tokens = try Tokens(await exchange(try await world.tokens().access, at: world))
        #expect(tokens.response["issued_token_type"]?.string == Self.accessToken)
        #expect(tokens.response["token_type"] == "Bearer")
        #expect(tokens.response["expires_in"] == 900)
        #expect(tokens.response["scope"] == "openid profile")
        #expect(tokens.refresh == nil)
        #expect(tokens.id == nil)
        let claims = try await world.verifiedClaims(tokens.access)
        #expect(claims["sub"] == "subject-of-alice")
        #expect(claims["client_id"] == "service")
        #expect(claims["act"] == nil)
        #expect(await world.userInfo(tokens.access).status == .ok)
    }

    @Test("A token exchange may request a token of type jwt")
    func jwt() async throws {
        let world = try World()
        let response = await exchange(try await world.tokens().access, at: world) {
            $0[.subjectTokenType] = Self.jwt
            $0[.requestedTokenType] = Self.jwt
        }
        #expect(response.json?["issued_token_type"]?.string == Self.jwt)
        #expect(response.json?["token_type"] == "Bearer")
    }

    @Test("An exchanged refresh token has no token type, and refreshes like any other")
    func refreshToken() async throws {
        let world = try World()
        let response = await exchange(try await world.tokens().access, at: world) {
            $0[.requestedTokenType] = Self.refreshToken
            $0[.audience] = "poster"
        }
        let tokens = try Tokens(response)
        #expect(tokens.response["issued_token_type"]?.string == Self.refreshToken)
        #expect(tokens.response["token_type"] == "N_A")
        #expect(tokens.response["expires_in"] == nil)
        let refreshed = try Tokens(
            await world.refresh(tokens.access) {
                $0[.clientID] = "service"
                $0[.clientSecret] = "served"
            }
        )
        #expect(refreshed.id == nil)
        #expect(refreshed.refresh != nil)
        let claims = try await world.verifiedClaims(refreshed.access)
        #expect(claims["aud"] == "poster")
        #expect(claims["client_id"] == "service")
    }

    @Test("A token exchange for a refresh token requires offline_access in the subject token")
    func noRefreshToken() async throws {
        let world = try World()
        let tokens = try await world.tokens(.authorization { $0[.scope] = "openid profile" })
        let response = await exchange(tokens.access, at: world) { $0[.requestedTokenType] = Self.refreshToken }
        #expect(response.error == "invalid_scope")
    }

    @Test("A token exchange for a refresh token is rejected for a client without that grant")
    func refreshTokenNotRegistered() async throws {
        let world = try World { $0.clients[5].grantTypes.remove(.refreshToken) }
        let response = await exchange(try await world.tokens().access, at: world) {
            $0[.requestedTokenType] = Self.refreshToken
        }
        #expect(response.error == "unauthorized_client")
    }

    @Test("A token exchange may narrow the scope, and not widen it")
    func scope() async throws {
        let world = try World()
        let subject = try await world.tokens(.authorization { $0[.scope] = "openid profile" }).access
        let narrow = await exchange(subject, at: world) { $0[.scope] = "profile" }
        #expect(narrow.json?["scope"] == "profile")
        #expect(await exchange(subject, at: world) { $0[.scope] = "profile notes" }.error == "invalid_scope")
        // A parameter without a value is treated as omitted (RFC 6749 section 3.2).
        #expect(await exchange(subject, at: world) { $0[.scope] = "" }.json?["scope"] == "openid profile")
    }

    @Test("A token exchange leaves out scopes that the client may not have")
    func clientScope() async throws {
        let world = try World { $0.clients[5].allowedScopes = [.profile] }
        #expect(await exchange(try await world.tokens().access, at: world).json?["scope"] == "profile")
        let other = try World { $0.clients[5].allowedScopes = ["notes"] }
        #expect(await exchange(try await other.tokens().access, at: other).error == "invalid_scope")
    }

    @Test("An exchanged token is for the audience that the client names, if it is known")
    func audience() async throws {
        let world = try World { $0.accessTokenAudience = ["https://api.example"] }
        let subject = try await world.tokens().access
        let named = try Tokens(await exchange(subject, at: world) { $0[.audience] = "poster" })
        #expect(try await world.verifiedClaims(named.access)["aud"] == "poster")
        let resource = try Tokens(await exchange(subject, at: world) { $0[.audience] = "https://api.example" })
        #expect(try await world.verifiedClaims(resource.access)["aud"] == "https://api.example")
        #expect(await exchange(subject, at: world) { $0[.audience] = "unknown" }.error == "invalid_target")
        #expect(
            await exchange(subject, at: world) { $0[.resource] = "https://unknown.example" }.error == "invalid_target"
        )
    }

    @Test("An exchanged token names the actor in act, with earlier actors nested")
    func actor() async throws {
        let world = try World()
        let own = try Tokens(
            await world.post(
                "/token",
                Parameters([.grantType: "client_credentials", .clientID: "service", .clientSecret: "served"])
            )
        )
        let first = try Tokens(
            await exchange(try await world.tokens().access, at: world) {
                $0[.actorToken] = own.access
                $0[.actorTokenType] = Self.accessToken
            }
        )
        #expect(try await world.verifiedClaims(first.access)["act"] == ["sub": "service"])
        let second = try Tokens(
            await exchange(first.access, at: world) {
                $0[.actorToken] = own.access
                $0[.actorTokenType] = Self.accessToken
            }
        )
        let nested: JSONValue = ["sub": "service", "act": ["sub": "service"]]
        #expect(try await world.verifiedClaims(second.access)["act"] == nested)
        let third = try Tokens(await exchange(second.access, at: world))
        #expect(try await world.verifiedClaims(third.access)["act"] == nested)
    }

    @Test("An actor token needs its type, and an actor type needs its token")
    func actorRefused() async throws {
        let world = try World()
        let access = try await world.tokens().access
        let changes: [@Sendable (inout Parameters) -> Void] = [
            { $0[.actorToken] = "unknown" },
            { $0[.actorTokenType] = Self.accessToken },
            {
                $0[.actorToken] = "unknown"
                $0[.actorTokenType] = Self.accessToken
            },
            {
                $0[.actorToken] = access
                $0[.actorTokenType] = Self.accessToken
            },
        ]
        for change in changes {
            #expect(await exchange(access, at: world, change).error == "invalid_request")
        }
    }

    @Test("A token exchanged for an ID token has the scope openid and expires with it")
    func idToken() async throws {
        let world = try appWorld()
        let id = try #require(try await world.tokens().id)
        let tokens = try Tokens(await ownExchange(id, at: world) { $0[.subjectTokenType] = Self.idToken })
        #expect(tokens.response["scope"] == "openid")
        #expect(tokens.response["expires_in"] == 300)
        #expect(await world.userInfo(tokens.access).json == ["sub": "subject-of-alice"])
    }

    @Test("An exchanged token has the authentication context of the subject token")
    func context() async throws {
        let world = try World.withSecondFactor { $0.clients[0].grantTypes.insert(.tokenExchange) }
        let browser = world.browser()
        let response = await browser.enter(try world.oneTimePassword(), try await browser.passwordFirst())
        let code = try #require(response.redirect?.parameters[.code])
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        let id = try #require(tokens.id)
        for answer in [
            await exchange(tokens.access, at: world),
            await ownExchange(id, at: world) { $0[.subjectTokenType] = Self.idToken },
        ] {
            #expect(try await world.verifiedClaims(try Tokens(answer).access)["acr"] == "urn:ostiary:mfa")
        }
    }

    @Test("An ID token is exchanged by its own client until it expires")
    func idTokenRefused() async throws {
        let world = try appWorld()
        let id = try #require(try await world.tokens().id)
        #expect(await exchange(id, at: world) { $0[.subjectTokenType] = Self.idToken }.error == "invalid_request")
        world.clock.advance(by: .seconds(300))
        let late = await ownExchange(id, at: world) { $0[.subjectTokenType] = Self.idToken }
        #expect(late.error == "invalid_request")
    }

    @Test("Signed user info is rejected as an ID token in a token exchange")
    func userInfo() async throws {
        let world = try World {
            $0.clients[0].grantTypes.insert(.tokenExchange)
            $0.clients[0].userInfoAlgorithm = .es256
        }
        let info = await world.userInfo(try await world.tokens().access)
        let token = String(decoding: world.provider.body(of: info), as: UTF8.self)
        let response = await ownExchange(token, at: world) { $0[.subjectTokenType] = Self.idToken }
        #expect(response.error == "invalid_request")
    }

    @Test("A subject token that is unknown, revoked, expired or of another type is rejected")
    func subject() async throws {
        let world = try World()
        let tokens = try await world.tokens()
        let refresh = try #require(tokens.refresh)
        #expect(await exchange("unknown", at: world).error == "invalid_request")
        #expect(await exchange(refresh, at: world).error == "invalid_request")
        #expect(
            await exchange(refresh, at: world) { $0[.subjectTokenType] = Self.refreshToken }.error == "invalid_request"
        )
        #expect(await exchange(tokens.access, at: world) { $0[.subjectTokenType] = Self.idToken }.error != nil)
        #expect(await exchange(tokens.access, at: world) { $0[.subjectTokenType] = nil }.error == "invalid_request")
        world.clock.advance(by: .seconds(900))
        #expect(await exchange(tokens.access, at: world).error == "invalid_request")
        let second = try await world.tokens()
        _ = await world.post("/revoke", Parameters([.token: try #require(second.refresh), .clientID: "app"]))
        #expect(await exchange(second.access, at: world).error == "invalid_request")
    }

    @Test("A token exchange for an ID token or an unknown type is rejected")
    func requestedType() async throws {
        let world = try World()
        let access = try await world.tokens().access
        for type in [Self.idToken, "urn:ietf:params:oauth:token-type:saml2"] {
            #expect(await exchange(access, at: world) { $0[.requestedTokenType] = type }.error == "invalid_request")
        }
    }

    @Test("A public client exchanges its own tokens only")
    func publicClient() async throws {
        let world = try World {
            $0.clients[0].grantTypes.insert(.tokenExchange)
            $0.clients[1].grantTypes.insert(.tokenExchange)
        }
        let access = try await world.tokens().access
        #expect(await ownExchange(access, at: world) { _ in }.status == .ok)
        #expect(await ownExchange(access, at: world) { $0[.clientID] = "stranger" }.error == "invalid_request")
    }

    @Test("An exchanged token expires with the subject token, and is revoked with its grant")
    func end() async throws {
        let world = try World()
        let tokens = try await world.tokens()
        world.clock.advance(by: .seconds(600))
        let exchanged = try Tokens(await exchange(tokens.access, at: world))
        #expect(exchanged.response["expires_in"] == 300)
        _ = await world.post("/revoke", Parameters([.token: try #require(tokens.refresh), .clientID: "app"]))
        #expect(await world.userInfo(exchanged.access).status == .unauthorized)
    }

    @Test("Revoking an exchanged token keeps the subject token")
    func revocation() async throws {
        let world = try World()
        let tokens = try await world.tokens()
        let exchanged = try Tokens(await exchange(tokens.access, at: world))
        let form = Parameters([.token: exchanged.access, .clientID: "service", .clientSecret: "served"])
        #expect(await world.post("/revoke", form).status == .ok)
        #expect(await world.userInfo(exchanged.access).status == .unauthorized)
        #expect(await world.userInfo(tokens.access).status == .ok)
    }

    @Test("A token is exchanged at most eight times in a chain")
    func depth() async throws {
        let world = try World()
        var token = try await world.tokens().access
        for _ in 0..<8 { token = try Tokens(await exchange(token, at: world)).access }
        #expect(await exchange(token, at: world).error == "invalid_request")
    }

    @Test("A token exchange scenario changes the exchange response alone")
    func scenarios() async throws {
        func answer(_ scenario: Scenario) async throws -> JSONObject? {
            let world = try World(scenario: scenario)
            return await exchange(try await world.tokens().access, at: world).json
        }
        #expect(try await answer(.missingIssuedTokenType)?["issued_token_type"] == nil)
        #expect(try await answer(.otherIssuedTokenType)?["issued_token_type"] != .string(Self.accessToken))
        #expect(try await answer(.exchangedTokenNotForUse)?["token_type"] == "N_A")
        #expect(try await World(scenario: .exchangedTokenNotForUse).tokens().response["token_type"] == "Bearer")
    }

    @Test("An exchanged token is for the named resources or audiences, and not for user info")
    func resource() async throws {
        let world = try World {
            $0.resources = [
                ProviderResource(identifier: "https://api.example", name: "The API", scopes: [.openID])
            ]
        }
        let subject = try await world.tokens().access
        let one = try Tokens(await exchange(subject, at: world) { $0[.resource] = "https://api.example" })
        #expect(try await world.verifiedClaims(one.access)["aud"] == "https://api.example")
        #expect(one.response["scope"] == "openid")
        #expect(await world.userInfo(one.access).status == .unauthorized)
        let several = try Tokens(
            await exchange(subject, at: world) {
                $0.append("poster", for: .audience)
                $0.append("https://api.example", for: .audience)
                $0.append("https://api.example", for: .resource)
            }
        )
        #expect(try await world.verifiedClaims(several.access)["aud"] == ["poster", "https://api.example"])
    }

    @Test("A bound token is exchanged by its public client with its key alone")
    func bound() async throws {
        let world = try appWorld()
        let prover = try Prover(world.clock)
        let bound = try await world.boundTokens(prover)
        let form = Parameters([
            .grantType: "urn:ietf:params:oauth:grant-type:token-exchange", .clientID: "app",
            .subjectToken: bound.access, .subjectTokenType: Self.accessToken,
        ])
        #expect(await world.post("/token", form).error == "invalid_dpop_proof")
        let other = try Prover(world.clock)
        #expect(await world.post("/token", form, fields: try other.field()).error == "invalid_grant")
        let tokens = try Tokens(await world.post("/token", form, fields: try prover.field()))
        #expect(tokens.response["token_type"] == "DPoP")
        #expect(try await world.userInfo(tokens.access, prover).status == .ok)
        #expect(await exchange(bound.access, at: world).status == .ok)
    }

    @Test("An exchanged refresh token of a public client is bound to its key")
    func boundRefreshToken() async throws {
        let world = try appWorld()
        let prover = try Prover(world.clock)
        let bound = try await world.boundTokens(prover)
        let form = Parameters([
            .grantType: "urn:ietf:params:oauth:grant-type:token-exchange", .clientID: "app",
            .subjectToken: bound.access, .subjectTokenType: Self.accessToken,
            .requestedTokenType: Self.refreshToken,
        ])
        let tokens = try Tokens(await world.post("/token", form, fields: try prover.field()))
        #expect(await world.refresh(tokens.access).error == "invalid_dpop_proof")
        #expect(await world.refresh(tokens.access, try prover.field()).status == .ok)
    }
}
