import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("The authorization request")
struct AuthorizationTests {
    @Test(
        "An authorization request with a wrong client or redirect URI gets an error page and no redirect",
        arguments: [
            Parameters.authorization { $0[.clientID] = nil },
            .authorization { $0[.clientID] = "nobody" },
            .authorization { $0[.clientID] = "App" },
            .authorization { $0.append("app", for: .clientID) },
            .authorization { $0[.redirectURI] = nil },
            .authorization { $0[.redirectURI] = "https://evil.example/callback" },
            .authorization { $0.append(Fixtures.redirectURI, for: .redirectURI) },
        ]
    )
    func errorPage(request: Parameters) async throws {
        let response = await (try World()).browser().authorize(request)
        #expect(response.status == .badRequest)
        #expect(response.errorSentence != nil)
        #expect(response.fields[.location] == nil)
    }

    @Test(
        "An authorization request's empty parameter is treated as omitted",
        arguments: [
            Parameters.Name.maxAge, .idTokenHint, .responseMode, .dpopKeyThumbprint, .resource, .requestURI, "request",
            "registration", .nonce, .state,
        ]
    )
    func emptyParameter(name: Parameters.Name) async throws {
        let world = try World()
        let response = try await world.browser().signIn(.authorization { $0[name] = "" })
        let parameters = try #require(response.redirect?.parameters)
        #expect(name != .state || parameters[.state] == nil)
        let code = try #require(parameters[.code])
        let tokens = try Tokens(await world.post("/token", .codeGrant(code) { $0[.resource] = "" }))
        let claims = try await world.verifiedClaims(try #require(tokens.id))
        #expect(name != .nonce || claims["nonce"] == nil)
    }

    @Test(
        "A redirect URI is compared byte by byte",
        arguments: [
            "com.example.app:/callback/", "com.example.app:/Callback", "com.example.app://callback",
            "COM.example.app:/callback", "com.example.app:/callback?a=b", "com.example.app:/callback#a",
            "https://app.example.com/callback",
        ]
    )
    func exactRedirectURI(uri: String) async throws {
        let response = await (try World()).browser().authorize(.authorization { $0[.redirectURI] = uri })
        #expect(response.errorSentence != nil)
    }

    @Test("A loopback redirect URI may have any port", arguments: [":1", ":49152", ":65535", ""])
    func loopbackPort(port: String) async throws {
        let uri = "http://127.0.0.1\(port)/callback"
        let world = try World()
        let response = try await world.browser().signIn(.authorization { $0[.redirectURI] = uri })
        #expect(response.redirect?.place == uri)
    }

    @Test(
        "A loopback redirect URI must match in everything but the port",
        arguments: [
            "http://127.0.0.1:80@evil.example/callback", "http://127.0.0.1.evil.example/callback",
            "http://localhost:8000/callback", "http://[::1]:8000/callback", "https://127.0.0.1:8000/callback",
            "http://127.0.0.1:8000/Callback", "http://127.0.0.1:8000/callback/", "http://127.0.0.1:99999/callback",
            "http://127.0.0.1:/callback", "http://127.0.0.1:8000/callback?a=b",
            "http://127.0.0.1:8000\\@evil.example/callback",
            "http://127.0.0.2/callback",
        ]
    )
    func loopbackRest(uri: String) async throws {
        let response = await (try World()).browser().authorize(.authorization { $0[.redirectURI] = uri })
        #expect(response.errorSentence != nil)
    }

    @Test("A registered localhost redirect URI must match in its port")
    func localhost() async throws {
        let world = try World { $0.clients[0].redirectURIs = [try! RedirectURI("http://localhost/callback")] }
        let response = await world.browser().authorize(
            .authorization { $0[.redirectURI] = "http://localhost:8000/callback" }
        )
        #expect(response.errorSentence != nil)
    }

    @Test(
        "An authorization request's other errors are sent to the redirect URI",
        arguments: [
            ("invalid_request", Parameters.authorization { $0[.responseType] = nil }),
            ("unsupported_response_type", .authorization { $0[.responseType] = "token" }),
            ("unsupported_response_type", .authorization { $0[.responseType] = "code id_token" }),
            ("invalid_request", .authorization { $0[.responseMode] = "fragment" }),
            ("invalid_request", .authorization { $0[.codeChallenge] = nil }),
            ("invalid_request", .authorization { $0[.codeChallengeMethod] = nil }),
            ("invalid_request", .authorization { $0[.codeChallengeMethod] = "plain" }),
            ("invalid_request", .authorization { $0[.codeChallenge] = "short" }),
            ("invalid_request", .authorization { $0[.codeChallenge] = Fixtures.challenge + "=" }),
            ("invalid_scope", .authorization { $0[.scope] = nil }),
            ("invalid_scope", .authorization { $0[.scope] = "openid unheard_of" }),
            ("invalid_scope", .authorization { $0[.scope] = "openid \u{e9}" }),
            ("invalid_scope", .authorization { $0[.scope] = "notes" }),
            ("request_not_supported", .authorization { $0["request"] = "a.b.c" }),
            ("request_uri_not_supported", .authorization { $0["request_uri"] = "urn:a" }),
            ("registration_not_supported", .authorization { $0["registration"] = "{}" }),
            ("invalid_request", .authorization { $0[.prompt] = "none login" }),
            ("invalid_request", .authorization { $0[.prompt] = "dance" }),
            ("invalid_request", .authorization { $0[.maxAge] = "-1" }),
            ("invalid_request", .authorization { $0[.maxAge] = "soon" }),
            ("invalid_request", .authorization { $0[.maxAge] = "+60" }),
            ("invalid_request", .authorization { $0[.idTokenHint] = "a.b.c" }),
            ("invalid_request", .authorization { $0.append("other", for: .nonce) }),
            ("invalid_request", .authorization { $0.append("openid", for: .scope) }),
            ("login_required", .authorization { $0[.prompt] = "none" }),
        ]
    )
    func redirectedErrors(error: String, request: Parameters) async throws {
        let response = await (try World()).browser().authorize(request)
        #expect(response.redirect?.place == Fixtures.redirectURI)
        #expect(response.redirectError == error)
        #expect(response.redirect?.parameters[.state] == "the state")
        #expect(response.redirect?.parameters[.issuer] == Fixtures.issuer)
        #expect(response.redirect?.parameters[.code] == nil)
    }

    @Test("An authorization request with a repeated state is rejected, and the state not echoed")
    func repeatedState() async throws {
        let response = await (try World()).browser().authorize(.authorization { $0.append("other", for: .state) })
        #expect(response.redirectError == "invalid_request")
        #expect(response.redirect?.parameters[.state] == nil)
    }

    @Test("A client that is not registered for codes gets none")
    func grantType() async throws {
        let response = await (try World()).browser().authorize(.webAuthorization { $0[.clientID] = "idle" })
        #expect(response.redirectError == "unauthorized_client")
    }

    @Test("An authorization request may be a form")
    func post() async throws {
        let response = await (try World()).browser().send(.post, "/authorize", .authorization())
        #expect(response.loginPage?.clientName == "The App")
    }

    @Test("An authorization request in another media type is not read")
    func mediaType() async throws {
        let response = await (try World()).post("/authorize", .authorization(), fields: [.contentType: "text/plain"])
        #expect(response.errorSentence != nil)
    }

    @Test("A redirect carries code, state and issuer, and keeps the redirect URI's own query")
    func answer() async throws {
        let redirect = try #require(try await World().browser().signIn(.webAuthorization()).redirect)
        #expect(redirect.place == "https://app.example.com/callback")
        #expect(redirect.parameters.names == ["from", .code, .state, .issuer])
        #expect(redirect.parameters["from"] == "provider")
        #expect(redirect.parameters[.state] == "the state")
        #expect(redirect.parameters[.issuer] == Fixtures.issuer)
    }

    @Test("A request without state gets a redirect without state")
    func noState() async throws {
        let response = try await World().browser().signIn(.authorization { $0[.state] = nil })
        #expect(response.redirect?.parameters.names == [.code, .issuer])
    }

    @Test("Unknown authorization parameters are ignored")
    func unknownParameters() async throws {
        let response = await (try World()).browser().authorize(.authorization { $0["x_campaign"] = "spring" })
        #expect(response.loginPage != nil)
    }

    @Test("A scope that the client may not have is left out, and the token response says so")
    func narrowedScope() async throws {
        let world = try World()
        let tokens = try await world.tokens(.authorization { $0[.scope] = "openid notes email" })
        #expect(tokens.response["scope"] == "openid email")
    }

    @Test("The login_hint fills the sign-in page's name field")
    func loginHint() async throws {
        let response = await (try World()).browser().authorize(.authorization { $0[.loginHint] = "alice" })
        #expect(response.loginPage?.userName == "alice")
    }
}
