import Foundation
import HTTPTypes
import OstiaryJOSE
import Testing

@testable import OstiaryOAuth

@Suite("A pushed authorization request")
struct PushedAuthorizationTests {
    private static var server: AuthorizationServer {
        var server = Fixtures.server
        server.pushedAuthorizationRequestEndpoint = URL(string: "https://id.example.com/par")
        return server
    }

    private func pushed(
        _ request: AuthorizationRequest = AuthorizationRequest(pushing: .always),
        client: Client = Fixtures.client(authentication: .clientSecretBasic(Secret("s"))),
        server: AuthorizationServer = server
    ) throws -> PushedAuthorizationRequest {
        var random = CountingWords()
        return try request.pushed(for: client, at: server, using: &random)
    }

    private func answer(_ members: JSONObject, status: HTTPResponse.Status = .created) -> EndpointResponse {
        EndpointResponse(status: status, fields: [.contentType: "application/json"], body: members.encoded())
    }

    private let reference: JSONObject = ["request_uri": "urn:x:1", "expires_in": 60]

    @Test("A pushed authorization request sends every parameter in the form, with the client's authentication")
    func request() throws {
        let request = try pushed().request()
        #expect(request.url.absoluteString == "https://id.example.com/par")
        #expect(request.method == .post)
        #expect(request.fields[.authorization]?.hasPrefix("Basic ") == true)
        let plain = Fixtures.query(try Fixtures.pending())
        for name in [Parameters.Name.responseType, .redirectURI, .scope, .state, .nonce, .codeChallenge] {
            #expect(request.form[name] == plain[name] && plain[name] != nil)
        }
    }

    @Test("The pushed request's page has the client and the request URI, and nothing else")
    func opened() throws {
        let pending = try pushed().output(from: answer(reference))
        #expect(
            pending.url.absoluteString == "https://id.example.com/authorize?client_id=app&request_uri=urn%3Ax%3A1"
        )
    }

    @Test("A pushed request's redirect is checked against the pushed parameters")
    func answered() throws {
        let pushed = try pushed()
        let pending = try pushed.output(from: answer(reference))
        let state = try #require(try pushed.request().form[.state])
        #expect(pending.isAnswered(by: URL(string: "com.example.app:/callback?code=c&state=\(state)")!))
        #expect(
            signInError { _ = try pending.grant(from: URL(string: "com.example.app:/callback?code=c&state=1")!) }
                == mismatch(.redirect, .state)
        )
    }

    @Test(
        "A pushed authorization response without a request URI or an expiry is rejected",
        arguments: [
            ["expires_in": 60], ["request_uri": "", "expires_in": 60], ["request_uri": 1, "expires_in": 60],
            ["request_uri": "urn:x:1"], ["request_uri": "urn:x:1", "expires_in": 0],
            ["request_uri": "urn:x:1", "expires_in": -1], ["request_uri": "urn:x:1", "expires_in": "0"],
            ["request_uri": "urn:x:1", "expires_in": "soon"],
        ] as [JSONObject]
    )
    func malformed(members: JSONObject) throws {
        let pushed = try pushed()
        let error = signInError { _ = try pushed.output(from: answer(members)) }
        guard case .malformed = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.stage == .authorization)
    }

    @Test("A pushed authorization response with status 202 is rejected, and an error with status 200 is an error")
    func status() throws {
        let pushed = try pushed()
        #expect(
            signInError { _ = try pushed.output(from: answer(reference, status: .accepted)) }
                == SignInError(.authorization, .malformed("the status is 202, not 201"))
        )
        for status in [HTTPResponse.Status.badRequest, .ok] {
            let error = signInError {
                _ = try pushed.output(from: answer(["error": "invalid_request"], status: status))
            }
            #expect(error == SignInError(.authorization, .refused(OAuthError(code: .invalidRequest))))
        }
    }

    @Test("A request URI with status 200, or with its lifetime as a string, is accepted")
    func tolerated() throws {
        let quoted: JSONObject = ["request_uri": "urn:x:1", "expires_in": "60"]
        for response in [answer(reference, status: .ok), answer(quoted)] {
            #expect(try pushed().output(from: response).url.query()?.contains("request_uri=") == true)
        }
    }

    /// Responses of endpoints that authenticate confidential clients alone.
    private static let rejections: [(HTTPResponse.Status, JSONObject?)] = [
        (.unauthorized, nil), (.forbidden, nil), (.unauthorized, ["error": "invalid_request"]),
        (.unauthorized, ["error": "invalid_client"]), (.badRequest, ["error": "invalid_client"]),
        (.badRequest, ["error": "unauthorized_client"]),
    ]

    private func rejection(_ status: HTTPResponse.Status, _ members: JSONObject?) -> EndpointResponse {
        members.map { answer($0, status: status) } ?? EndpointResponse(status: status)
    }

    @Test("A public client that the push endpoint rejects opens the same request unpushed", arguments: rejections)
    func rejectedPublicClient(status: HTTPResponse.Status, members: JSONObject?) throws {
        let pushed = try pushed(AuthorizationRequest(), client: Fixtures.client())
        let pending = try pushed.output(from: rejection(status, members))
        let sent = try pushed.request().form
        #expect(Fixtures.query(pending)[.state] == sent[.state] && Fixtures.query(pending)[.requestURI] == nil)
    }

    @Test("A confidential client that the push endpoint rejects opens nothing", arguments: rejections)
    func rejectedConfidentialClient(status: HTTPResponse.Status, members: JSONObject?) throws {
        let pushed = try pushed(AuthorizationRequest())
        #expect(signInError { _ = try pushed.output(from: rejection(status, members)) }?.stage == .authorization)
    }

    @Test(
        "A public client that the push endpoint rejects opens nothing where pushing is required",
        arguments: rejections
    )
    func rejectedRequirement(status: HTTPResponse.Status, members: JSONObject?) throws {
        var demanding = Self.server
        demanding.requiresPushedAuthorizationRequests = true
        let byServer = try pushed(AuthorizationRequest(), client: Fixtures.client(), server: demanding)
        let byApp = try pushed(client: Fixtures.client())
        for pushed in [byServer, byApp] {
            #expect(signInError { _ = try pushed.output(from: rejection(status, members)) }?.stage == .authorization)
        }
    }

    @Test("A public client whose pushed request is rejected opens nothing")
    func refusedRequest() throws {
        let pushed = try pushed(AuthorizationRequest(), client: Fixtures.client())
        for code in [OAuthError.Code.invalidRequest, .invalidScope] {
            let response = answer(["error": .string(code.rawValue)], status: .badRequest)
            #expect(
                signInError { _ = try pushed.output(from: response) }
                    == SignInError(.authorization, .refused(OAuthError(code: code)))
            )
        }
    }

    @Test("Without a push endpoint any client opens the request unpushed", arguments: [404, 405, 500, 501, 503])
    func missingEndpoint(status: Int) throws {
        let pending = try pushed(AuthorizationRequest())
            .output(from: EndpointResponse(status: .init(code: status)))
        #expect(Fixtures.query(pending)[.codeChallenge] != nil && Fixtures.query(pending)[.requestURI] == nil)
    }

    @Test("A server that requires pushed requests gets no plain one, and fails when it has no push endpoint")
    func noFallBack() throws {
        var demanding = Self.server
        demanding.requiresPushedAuthorizationRequests = true
        let client = Fixtures.client()
        #expect(try AuthorizationRequest().isPushed(by: client, to: demanding))
        #expect(try AuthorizationRequest().isPushed(by: client, to: Self.server))
        #expect(try !AuthorizationRequest().isPushed(by: client, to: Fixtures.server))
        #expect(try !AuthorizationRequest(pushing: .whenRequired).isPushed(by: client, to: Self.server))
        #expect(try !AuthorizationRequest(pushing: .never).isPushed(by: client, to: Self.server))
        #expect(try AuthorizationRequest(pushing: .always).isPushed(by: client, to: Self.server))
        for request in [AuthorizationRequest(), AuthorizationRequest(pushing: .never)] {
            let error = signInError { _ = try Fixtures.pending(request, server: demanding) }
            guard case .configuration = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(
            signInError { _ = try pushed(server: Fixtures.server) }
                == SignInError(.authorization, .unsupported("a pushed_authorization_request_endpoint"))
        )
    }
}

@Suite("Profiles")
struct SecurityProfileTests {
    private static let keyed: Client = {
        var client = Fixtures.client(authentication: .privateKeyJWT(Fixtures.key))
        client.senderConstraint = .dpop
        client.profile = .fapi2Security
        return client
    }()

    private static var server: AuthorizationServer {
        var server = Fixtures.server
        server.pushedAuthorizationRequestEndpoint = URL(string: "https://id.example.com/par")
        server.tokenEndpointAuthenticationMethods = ["private_key_jwt"]
        server.dpopSigningAlgorithms = [.es256]
        server.codeChallengeMethods = ["S256"]
        server.sendsIssuerInResponses = true
        return server
    }

    private func shortcomings(
        client change: (inout Client) throws -> Void = { _ in },
        server changeServer: (inout AuthorizationServer) -> Void = { _ in }
    ) throws -> [String] {
        var client = Self.keyed
        var server = Self.server
        try change(&client)
        changeServer(&server)
        return client.profile.shortcomings(of: client, at: server)
    }

    @Test("A server and a client that meet FAPI 2.0 have no shortcomings")
    func whole() throws { #expect(try shortcomings() == []) }

    @Test("Every FAPI 2.0 shortcoming of a server is reported before anything is sent")
    func server() throws {
        #expect(try shortcomings(server: { $0.codeChallengeMethods = nil }).count == 1)
        #expect(try shortcomings(server: { $0.codeChallengeMethods = ["plain"] }).count == 1)
        #expect(try shortcomings(server: { $0.pushedAuthorizationRequestEndpoint = nil }).count == 1)
        #expect(
            try shortcomings(server: { $0.tokenEndpointAuthenticationMethods = ["client_secret_basic"] }).count == 1
        )
        #expect(try shortcomings(server: { $0.dpopSigningAlgorithms = [.rs256] }).count == 1)
        #expect(try shortcomings(server: { $0.dpopSigningAlgorithms = nil }).count == 1)
        #expect(try shortcomings(server: { $0.sendsIssuerInResponses = false }).count == 1)
        let error = signInError {
            var random = CountingWords()
            _ = try AuthorizationRequest().pushed(for: Self.keyed, at: Fixtures.server, using: &random)
        }
        guard case .unsupported = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("Every FAPI 2.0 shortcoming of a client is reported")
    func client() throws {
        let rsa = try SigningKey.generate(.rs256)
        #expect(try shortcomings(client: { $0.authentication = .none }).count == 1)
        #expect(try shortcomings(client: { $0.authentication = .clientSecretBasic(Secret("s")) }).count == 1)
        #expect(try shortcomings(client: { $0.authentication = .privateKeyJWT(rsa) }).count == 1)
        #expect(try shortcomings(client: { $0.senderConstraint = .none }).count == 1)
        #expect(try shortcomings(client: { $0.redirectURI = try RedirectURI("http://localhost/cb") }).count == 1)
    }

    @Test("FAPI 2.0 pushes every request and accepts no redirect without its issuer")
    func tightens() throws {
        #expect(try AuthorizationRequest().isPushed(by: Self.keyed, to: Self.server))
        var random = CountingWords()
        let pushed = try AuthorizationRequest().pushed(for: Self.keyed, at: Self.server, using: &random)
        let pending = try pushed.output(
            from: EndpointResponse(
                status: .created,
                fields: [.contentType: "application/json"],
                body: (["request_uri": "urn:x:1", "expires_in": 60] as JSONObject).encoded()
            )
        )
        let state = try #require(try pushed.request().form[.state])
        let redirect = URL(string: "com.example.app:/callback?code=c&state=\(state)")!
        #expect(signInError { _ = try pending.grant(from: redirect) } == mismatch(.redirect, .issuer))
    }

    @Test("FAPI 2.0 restricts the signature algorithms")
    func algorithms() {
        #expect(Self.keyed.idTokenAlgorithms(at: Self.server) == [.ps256, .es256, .edDSA, .ed25519])
        var server = Self.server
        server.idTokenSigningAlgorithms = [.rs256, .es256]
        #expect(Self.keyed.idTokenAlgorithms(at: server) == [.es256])
    }

    @Test("FAPI 2.0 sends no token request without a DPoP key")
    func bound() throws {
        var bearer = Self.keyed
        bearer.senderConstraint = .none
        let exchange = TokenRequest(
            try ClientCredentialsGrant(for: bearer),
            client: bearer,
            server: Self.server
        )
        guard case .configuration = signInError({ _ = try exchange.request() })?.reason else {
            Issue.record("It was sent.")
            return
        }
    }

    @Test("OAuth 2.1 requires PKCE support and loopback IP addresses")
    func oauth21() throws {
        var client = Fixtures.client()
        client.profile = .oauth21
        #expect(client.profile.shortcomings(of: client, at: Self.server) == [])
        #expect(client.profile.shortcomings(of: client, at: Fixtures.server).count == 1)
        client.redirectURI = try RedirectURI("http://localhost/cb")
        #expect(client.profile.shortcomings(of: client, at: Self.server).count == 1)
        client.redirectURI = try RedirectURI("http://127.0.0.1/cb")
        #expect(client.profile.shortcomings(of: client, at: Self.server) == [])
    }
}

@Suite("An assertion as a client's authentication")
struct PrivateKeyJWTTests {
    private func claims(at time: Date = Fixtures.now) throws -> JSONObject {
        let client = Fixtures.client(id: "a b", authentication: .privateKeyJWT(Fixtures.key))
        let exchange = TokenRequest(try ClientCredentialsGrant(for: client), client: client, server: Fixtures.server)
        let request = try exchange.request(at: time)
        #expect(request.form[.clientAssertionType] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        #expect(request.form[.clientID] == "a b")
        #expect(request.form[.clientSecret] == nil && request.fields[.authorization] == nil)
        let token = try UnverifiedJWT(try #require(request.form[.clientAssertion]))
        return try token.verified(by: Fixtures.keys, algorithms: [.es256]).claims
    }

    @Test("A client assertion has iss and sub of the client, the issuer as audience, and expires after a minute")
    func content() throws {
        let claims = try claims()
        #expect(claims["iss"] == "a b" && claims["sub"] == "a b")
        #expect(claims["aud"] == "https://id.example.com")
        #expect(claims["iat"] == 1_800_000_000 && claims["nbf"] == 1_800_000_000 && claims["exp"] == 1_800_000_060)
        #expect(claims["jti"]?.string?.utf8.count == 43)
    }

    private func request(
        to exchange: some Exchange
    ) throws -> JSONObject {
        let request = try exchange.request()
        let token = try UnverifiedJWT(try #require(request.form[.clientAssertion]))
        return try token.verified(by: Fixtures.keys, algorithms: [.es256]).claims
    }

    @Test("A client assertion for the token endpoint has it as its one audience, at each endpoint of that origin")
    func tokenEndpointAudience() throws {
        let client = Fixtures.client(authentication: .privateKeyJWT(Fixtures.key, audience: .tokenEndpoint))
        let revocation = RevocationRequest(Secret("t"), kind: .refreshToken, client: client, server: Fixtures.server)
        #expect(try request(to: revocation)["aud"] == "https://id.example.com/token")
        let usual = Fixtures.client(authentication: .privateKeyJWT(Fixtures.key))
        let other = RevocationRequest(Secret("t"), kind: .refreshToken, client: usual, server: Fixtures.server)
        #expect(try request(to: other)["aud"] == "https://id.example.com")
    }

    @Test("A client assertion for the token endpoint is not sent to another origin")
    func tokenEndpointOrigin() throws {
        let client = Fixtures.client(authentication: .privateKeyJWT(Fixtures.key, audience: .tokenEndpoint))
        for endpoint in ["https://evil.example.com/revoke", "https://id.example.com:8443/revoke"] {
            var server = Fixtures.server
            server.revocationEndpoint = URL(string: endpoint)
            let revocation = RevocationRequest(Secret("t"), kind: .refreshToken, client: client, server: server)
            guard case .configuration(let sentence) = signInError({ _ = try revocation.request() })?.reason else {
                Issue.record("It was sent to \(endpoint).")
                continue
            }
            #expect(sentence.contains(endpoint))
        }
    }

    @Test("FAPI 2.0 refuses client assertions for the token endpoint")
    func profile() {
        var client = Fixtures.client(authentication: .privateKeyJWT(Fixtures.key, audience: .tokenEndpoint))
        client.senderConstraint = .dpop
        client.profile = .fapi2Security
        let found = client.profile.shortcomings(of: client, at: Fixtures.server)
        #expect(found.contains { $0.contains("audience") })
        let renewable = ClientAuthentication.renewable { [authentication = client.authentication] in authentication }
        #expect(renewable.assertionAudience == .tokenEndpoint)
    }

    @Test("Two client assertions have two identifiers")
    func fresh() throws {
        let client = Fixtures.client(authentication: .privateKeyJWT(Fixtures.key))
        let exchange = TokenRequest(try ClientCredentialsGrant(for: client), client: client, server: Fixtures.server)
        var fresh = Freshness(now: Fixtures.now, random: CountingWords())
        let first = try exchange.request(&fresh).form[.clientAssertion]
        let second = try exchange.request(&fresh).form[.clientAssertion]
        #expect(first != second)
    }
}
