import Crypto
import Foundation
import HTTPTypes
import OstiaryJOSE
import Testing

@testable import OstiaryOAuth

@Suite("Tokens without a browser")
struct GrantTests {
    private static let confidential = Fixtures.client(authentication: .clientSecretPost(Secret("s")))

    private func answer(_ members: JSONObject) -> EndpointResponse { Fixtures.tokenResponse(members) }

    @Test("A client credentials request sends scopes and resources")
    func clientCredentials() throws {
        let grant = try ClientCredentialsGrant(
            for: Self.confidential,
            scopes: ["a", "b"],
            resources: [try ResourceIndicator("https://api.example.com")]
        )
        let exchange = TokenRequest(grant, client: Self.confidential, server: Fixtures.server)
        let form = try exchange.request().form
        #expect(form[.grantType] == "client_credentials")
        #expect(form[.scope] == "a b" && form[.resource] == "https://api.example.com")
        let tokens = try exchange.output(from: answer(["access_token": "t", "token_type": "Bearer"]))
            .validated(by: JSONWebKeySet([]), now: Fixtures.now)
        #expect(tokens.scopes == ["a", "b"] && tokens.identity == nil && tokens.expiry == nil)
    }

    @Test("A client credentials request of a public client is refused")
    func publicClient() {
        guard case .configuration = signInError({ _ = try ClientCredentialsGrant(for: Fixtures.client()) })?.reason
        else {
            Issue.record("It could.")
            return
        }
    }

    private func exchange(_ wanted: TokenType?) throws -> TokenRequest<TokenExchangeGrant> {
        let grant = try TokenExchangeGrant(
            of: .init(Secret("subject"), .accessToken),
            for: Self.confidential,
            actor: .init(Secret("actor"), .idToken),
            audiences: ["one", "two"],
            resources: [try ResourceIndicator("urn:example:api")],
            scopes: ["read"],
            requestedType: wanted
        )
        return TokenRequest(grant, client: Self.confidential, server: Fixtures.server)
    }

    @Test("A token exchange request sends the tokens with their types, audiences and resource")
    func offered() throws {
        let form = try exchange(.jwt).request().form
        #expect(form[.grantType] == "urn:ietf:params:oauth:grant-type:token-exchange")
        #expect(form[.subjectToken] == "subject" && form[.subjectTokenType] == TokenType.accessToken.rawValue)
        #expect(form[.actorToken] == "actor" && form[.actorTokenType] == TokenType.idToken.rawValue)
        #expect(form.values(of: .audience) == ["one", "two"] && form[.resource] == "urn:example:api")
        #expect(form[.requestedTokenType] == TokenType.jwt.rawValue && form[.scope] == "read")
    }

    @Test("A token exchange response with another issued_token_type, or without one, is rejected")
    func issuedType() throws {
        var members: JSONObject = ["access_token": "t", "token_type": "Bearer"]
        let missing = SignInError(
            .token,
            .malformed("the token response's issued_token_type is missing (RFC 8693 section 2.2.1)")
        )
        #expect(signInError { _ = try exchange(nil).output(from: answer(members)) } == missing)
        #expect(signInError { _ = try exchange(.accessToken).output(from: answer(members)) } == missing)
        members["issued_token_type"] = .string(TokenType.jwt.rawValue)
        #expect(
            signInError { _ = try exchange(.accessToken).output(from: answer(members)) }
                == mismatch(.token, .issuedTokenType)
        )
        let tokens = try exchange(.jwt).output(from: answer(members))
            .validated(by: JSONWebKeySet([]), now: Fixtures.now)
        #expect(tokens.issuedTokenType == .jwt && tokens.scopes == ["read"])
    }

    @Test("An exchanged token that is no access token may have no token type, and an access token needs one")
    func notApplicable() throws {
        var members: JSONObject = [
            "access_token": "t", "token_type": "N_A", "issued_token_type": .string(TokenType.refreshToken.rawValue),
        ]
        _ = try exchange(nil).output(from: answer(members))
        members["issued_token_type"] = .string(TokenType.accessToken.rawValue)
        #expect(signInError { _ = try exchange(nil).output(from: answer(members)) } == mismatch(.token, .tokenType))
    }

    @Test("A refresh for a resource keeps the sign-in's own access token")
    func resources() throws {
        let api = try ResourceIndicator("https://api.example.com")
        let before = try Fixtures.signIn()
        let exchange = TokenRequest(
            try RefreshGrant(before, for: api),
            client: Fixtures.client(),
            server: Fixtures.server
        )
        #expect(try exchange.request().form[.resource] == "https://api.example.com")
        let after = try exchange.output(
            from: answer([
                "access_token": "for-api", "token_type": "Bearer", "expires_in": 60, "scope": "read",
                "refresh_token": "refresh-2",
            ])
        ).validated(by: JSONWebKeySet([]), now: Fixtures.now)
        #expect(after.access == before.access && after.identity == before.identity)
        #expect(after.access(for: api)?.value == Secret("for-api") && after.access(for: api)?.scopes == ["read"])
        #expect(after.refreshToken == Secret("refresh-2"))
        #expect(try TokenSet(stored: try after.stored()) == after)
        let again = try Fixtures.refresh(after)
        #expect(again.access(for: api) == after.access(for: api) && again.access != after.access)
    }

    @Test(
        "A resource indicator is an absolute URI without a fragment",
        arguments: ["", "api", "/api", "https://a#b", "x:"]
    )
    func resourceSyntax(text: String) { #expect(throws: SignInError.self) { try ResourceIndicator(text) } }
}

@Suite("The device grant")
struct DeviceTests {
    private static var server: AuthorizationServer {
        var server = Fixtures.server
        server.deviceAuthorizationEndpoint = URL(string: "https://id.example.com/device")
        return server
    }

    private let codes: JSONObject = [
        "device_code": "secret-device-code", "user_code": "BCDF-GHJK",
        "verification_uri": "https://id.example.com/device", "expires_in": 600,
    ]

    private func authorization(
        scopes: [Scope]? = nil,
        resources: [ResourceIndicator] = []
    ) throws -> DeviceAuthorizationRequest {
        var random = CountingWords()
        return try DeviceAuthorizationRequest(
            scopes: scopes,
            resources: resources,
            client: Fixtures.client(),
            server: Self.server,
            using: &random
        )
    }

    @Test("A device request carries an S256 challenge, and each poll its verifier")
    func proofKey() throws {
        let authorization = try authorization()
        let form = try authorization.request().form
        let verifier = try #require(
            try authorization.output(from: Fixtures.tokenResponse(codes)).exchange().request().form[.codeVerifier]
        )
        #expect(form[.codeChallengeMethod] == "S256" && form[.codeVerifier] == nil)
        #expect(form[.codeChallenge] == Base64URL.encode(Array(SHA256.hash(data: Data(verifier.utf8)))))
        let plain = authorization.withoutProofKey
        #expect(try plain.request().form[.codeChallenge] == nil)
        let poll = try plain.output(from: Fixtures.tokenResponse(codes)).exchange().request().form
        #expect(poll[.codeVerifier] == nil)
    }

    @Test("The one resource of a device request without openid goes with each poll")
    func resource() throws {
        let api = try ResourceIndicator("https://api.example.com")
        for (scopes, sent) in [(["a"], api.description), ([.openID, "a"], nil)] as [([Scope], String?)] {
            let pending = try authorization(scopes: scopes, resources: [api])
                .output(from: Fixtures.tokenResponse(codes))
            #expect(try pending.exchange().request().form[.resource] == sent)
        }
    }

    private func pending(_ change: (inout JSONObject) -> Void = { _ in }) throws -> PendingDeviceAuthorization {
        var members = codes
        change(&members)
        return try authorization().output(from: Fixtures.tokenResponse(members))
    }

    @Test("A device request sends scopes and the client")
    func request() throws {
        let request = try authorization(
            scopes: [.openID, "a"],
            resources: [try ResourceIndicator("https://api.example.com")]
        ).request()
        #expect(request.method == .post && request.url.absoluteString == "https://id.example.com/device")
        #expect(request.form[.clientID] == "app" && request.form[.scope] == "openid a")
        #expect(request.form[.resource] == "https://api.example.com")
    }

    @Test("A device response without an interval is polled every five seconds")
    func codesAreRead() throws {
        let pending = try pending()
        #expect(pending.userCode == "BCDF-GHJK" && pending.interval == .seconds(5) && pending.lifetime == .seconds(600))
        #expect(pending.completeVerificationURI == nil)
        #expect(try self.pending { $0["interval"] = 31 }.interval == .seconds(31))
        let form = try pending.exchange().request().form
        #expect(form[.deviceCode] == "secret-device-code")
        #expect(form[.grantType] == "urn:ietf:params:oauth:grant-type:device_code")
        #expect(!"\(pending)".contains("secret") && !"\(pending)".contains("BCDF"))
    }

    @Test(
        "A device response that lacks a code, a page or an expiry is rejected",
        arguments: ["device_code", "user_code", "verification_uri", "expires_in"]
    )
    func lacking(name: String) {
        #expect(
            signInError { _ = try pending { $0[name] = nil } }
                == SignInError(.device, .malformed("the response's \(name)"))
        )
    }

    @Test(
        "A device response whose page is not https is rejected",
        arguments: ["verification_uri", "verification_uri_complete"]
    )
    func insecurePage(name: String) {
        #expect(
            signInError { _ = try pending { $0[name] = "http://id.example.com/device" } }
                == SignInError(.device, .malformed("the response's \(name)"))
        )
    }

    private func refused(_ code: OAuthError.Code, retryAfter: Duration? = nil) -> SignInError {
        SignInError(.device, .refused(OAuthError(code: code)), retryAfter: retryAfter)
    }

    @Test("A device polls at its interval while the authorization is pending")
    func waiting() throws {
        var polling = PendingDeviceAuthorization.Polling(try pending(), now: Fixtures.now)
        #expect(polling.step(after: refused(.authorizationPending), now: Fixtures.now) == .wait(.seconds(5)))
        #expect(polling.step(after: refused(.authorizationPending), now: Fixtures.now) == .wait(.seconds(5)))
    }

    @Test("Every slow_down adds five seconds to the polling interval for good")
    func slowDown() throws {
        var polling = PendingDeviceAuthorization.Polling(try pending(), now: Fixtures.now)
        #expect(polling.step(after: refused(.slowDown), now: Fixtures.now) == .wait(.seconds(10)))
        #expect(polling.step(after: refused(.authorizationPending), now: Fixtures.now) == .wait(.seconds(10)))
        #expect(polling.step(after: refused(.slowDown), now: Fixtures.now) == .wait(.seconds(15)))
    }

    @Test("Device polling keeps to Retry-After, and slows down while the server fails")
    func trouble() throws {
        var polling = PendingDeviceAuthorization.Polling(try pending(), now: Fixtures.now)
        let busy = SignInError(.device, .server(status: 503), retryAfter: .seconds(42))
        #expect(polling.step(after: busy, now: Fixtures.now) == .wait(.seconds(42)))
        #expect(polling.step(after: refused(.authorizationPending), now: Fixtures.now) == .wait(.seconds(10)))
        let lost = SignInError(.device, .transport(.timedOut))
        #expect(polling.step(after: lost, now: Fixtures.now) == .wait(.seconds(20)))
    }

    @Test(
        "A final error ends device polling",
        arguments: [
            SignInError(.device, .refused(OAuthError(code: .accessDenied))),
            SignInError(.device, .refused(OAuthError(code: .expiredToken))),
            SignInError(.device, .refused(OAuthError(code: .invalidGrant))),
            SignInError(.device, .server(status: 404)), SignInError(.device, .transport(.tls)),
            SignInError(.device, .mismatch(.tokenType)), SignInError(.device, .cancelled),
        ]
    )
    func final(error: SignInError) throws {
        var polling = PendingDeviceAuthorization.Polling(try pending(), now: Fixtures.now)
        #expect(polling.step(after: error, now: Fixtures.now) == .stop(error))
    }

    @Test("Device polling stops when the code would expire before the next request")
    func expiry() throws {
        var polling = PendingDeviceAuthorization.Polling(try pending(), now: Fixtures.now)
        let late = Fixtures.now.addingTimeInterval(594)
        #expect(polling.step(after: refused(.authorizationPending), now: late) == .wait(.seconds(5)))
        #expect(
            polling.step(after: refused(.authorizationPending), now: late.addingTimeInterval(1))
                == .stop(refused(.expiredToken))
        )
    }

    @Test("A device response with interval 0 is polled once a second")
    func noPause() throws {
        #expect(
            PendingDeviceAuthorization.Polling(try pending { $0["interval"] = 0 }, now: Fixtures.now).interval
                == .seconds(1)
        )
    }
}

@Suite("Introspection")
struct IntrospectionTests {
    private static var server: AuthorizationServer {
        var server = Fixtures.server
        server.introspectionEndpoint = URL(string: "https://id.example.com/introspect")
        return server
    }

    private let exchange = IntrospectionRequest(
        Secret("t"),
        hint: .accessToken,
        client: Fixtures.client(authentication: .clientSecretPost(Secret("s"))),
        server: server
    )

    @Test("An introspection request sends the token in the form")
    func request() throws {
        let form = try exchange.request().form
        #expect(form[.token] == "t" && form[.tokenTypeHint] == "access_token" && form[.clientSecret] == "s")
    }

    @Test("An active token's introspection response is read, and any other token is inactive")
    func answers() throws {
        let active = try exchange.output(
            from: Fixtures.tokenResponse([
                "active": true, "scope": "a b", "client_id": "app", "sub": "alice", "exp": 1_800_000_000,
                "aud": ["x"], "cnf": ["jkt": "thumb"],
            ])
        )
        guard case .active(let claims) = active else {
            Issue.record("not active")
            return
        }
        #expect(claims.scopes == ["a", "b"] && claims.clientID == "app" && claims.subject == "alice")
        #expect(claims.expiry == Fixtures.now && claims.audience == ["x"] && claims.dpopKeyThumbprint == "thumb")
        #expect(try exchange.output(from: Fixtures.tokenResponse(["active": false, "sub": "x"])) == .inactive)
    }

    @Test(
        "An introspection response without the Boolean active is malformed",
        arguments: [[:], ["active": "true"], ["active": 1]] as [JSONObject]
    )
    func malformed(members: JSONObject) {
        #expect(
            signInError { _ = try exchange.output(from: Fixtures.tokenResponse(members)) }
                == SignInError(.introspection, .malformed("the response's active"))
        )
    }
}
