import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("Token request and token response")
struct TokenResponseTests {
    private func failure(_ response: EndpointResponse) -> SignInError? {
        signInError { _ = try Fixtures.grant(try Fixtures.pending()).exchange().output(from: response) }
    }

    private func failure(changing change: (inout JSONObject) -> Void) -> SignInError? {
        signInError { _ = try Fixtures.signIn(response: change) }
    }

    private func malformed(_ member: String) -> SignInError {
        SignInError(.token, .malformed("the token response's \(member)"))
    }

    @Test("A token request carries the code, its redirect URI and its verifier in the form")
    func request() throws {
        let request = try Fixtures.grant(try Fixtures.pending()).exchange().request()
        #expect(request.method == .post)
        #expect(request.url.absoluteString == "https://id.example.com/token")
        #expect(
            request.form.names.map(\.rawValue) == ["grant_type", "code", "redirect_uri", "code_verifier", "client_id"]
        )
        #expect(request.form[.grantType] == "authorization_code")
        #expect(request.form[.redirectURI] == "com.example.app:/callback")
        #expect(request.allFields[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test(
        "A token response without access_token or token_type, or with another type of them, is malformed",
        arguments: ["access_token", "token_type"]
    )
    func required(_ member: String) {
        for value in [nil, "", .integer(1), .null] as [JSONValue?] {
            #expect(failure { $0[member] = value } == malformed(member))
        }
    }

    @Test(
        "A token response may omit optional members, and rejects another type of them",
        arguments: ["refresh_token", "scope", "expires_in"]
    )
    func optional(_ member: String) {
        #expect(failure { $0[member] = nil } == nil)
        #expect(failure { $0[member] = .null } == nil)
        #expect(failure { $0[member] = .object([:]) } == malformed(member))
    }

    @Test("A token response's token type is compared without case, and another type is rejected")
    func tokenType() {
        for type in ["bearer", "BEARER", "bEaReR"] { #expect(failure { $0["token_type"] = .string(type) } == nil) }
        for type in ["DPoP", "mac", "N_A"] {
            #expect(failure { $0["token_type"] = .string(type) } == mismatch(.token, .tokenType))
        }
    }

    @Test("A token response's lifetime may be text, and is never negative")
    func lifetime() throws {
        let tokens = try Fixtures.signIn(response: { $0["expires_in"] = "60" })
        #expect(tokens.expiry == Fixtures.now.addingTimeInterval(60))
        #expect(try Fixtures.signIn(response: { $0["expires_in"] = nil }).expiry == nil)
        for value in ["soon", "-1", "nan", "inf", .integer(-1)] as [JSONValue] {
            #expect(failure { $0["expires_in"] = value } == malformed("expires_in"))
        }
    }

    @Test("A token lifetime beyond a century is reported as a century, and the number itself is stored")
    func endlessLifetime() throws {
        let tokens = try Fixtures.signIn(response: { $0["expires_in"] = .number(1e300) })
        #expect(tokens.access.lifetime == .seconds(3_153_600_000))
        let stored = try tokens.stored()
        #expect(stored["expires_in"]?.number == 1e300)
        #expect(try TokenSet(stored: stored).access == tokens.access)
    }

    @Test("An access token's lifetime counts from the request")
    func lifetimeFromRequest() throws {
        let pending = try Fixtures.pending(AuthorizationRequest(scopes: ["api"]))
        let response = try Fixtures.grant(pending).exchange().output(
            from: Fixtures.tokenResponse(Fixtures.goodMembers(idToken: nil))
        )
        let tokens = try response.validated(
            by: JSONWebKeySet([]),
            now: Fixtures.now,
            requested: Fixtures.now.addingTimeInterval(-20)
        )
        #expect(tokens.expiry == Fixtures.now.addingTimeInterval(880))
    }

    @Test("A token response without scope grants the requested scopes, and a narrower scope is reported")
    func scope() throws {
        #expect(try Fixtures.signIn(response: { $0["scope"] = nil }).scopes == [.openID, .profile, .offlineAccess])
        #expect(try Fixtures.signIn(response: { $0["scope"] = "openid" }).scopes == [.openID])
        #expect(try Fixtures.signIn(response: { $0["scope"] = "" }).scopes == [])
    }

    @Test("Unknown members of a token response are ignored")
    func unknownMembers() { #expect(failure { $0["foo"] = .object(["bar": .array([1])]) } == nil) }

    @Test("Only status 200 is a successful token response", arguments: [201, 204, 400, 500])
    func status(_ code: Int) {
        let body = Fixtures.goodMembers(idToken: nil).encoded()
        let response = EndpointResponse(
            status: .init(code: code),
            fields: [.contentType: "application/json"],
            body: body
        )
        #expect(failure(response) == SignInError(.token, .server(status: code)))
    }

    @Test("An OAuth error of the token endpoint is reported with its description and page")
    func oauthError() {
        let body: JSONObject = [
            "error": "invalid_grant", "error_description": "used\u{0007} twice", "error_uri": "https://e.example.com",
        ]
        let response = EndpointResponse(
            status: .badRequest,
            fields: [.contentType: "application/json;charset=UTF-8"],
            body: body.encoded()
        )
        #expect(
            failure(response)
                == SignInError(
                    .token,
                    .refused(OAuthError(code: .invalidGrant, description: "used twice", uri: "https://e.example.com"))
                )
        )
    }

    @Test("An error response without a body is reported by its status")
    func emptyError() {
        #expect(failure(EndpointResponse(status: .forbidden)) == SignInError(.token, .server(status: 403)))
    }

    @Test("An error in WWW-Authenticate is reported when the body has none")
    func challengeError() {
        let response = EndpointResponse(
            status: .unauthorized,
            fields: [.wwwAuthenticate: "Basic realm=\"x\", Bearer error=\"invalid_client\""]
        )
        #expect(failure(response) == SignInError(.token, .refused(OAuthError(code: .invalidClient))))
    }

    @Test("A web page instead of a token response is rejected", arguments: ["text/html", "text/plain", nil])
    func page(_ type: String?) {
        var fields: HTTPFields = [:]
        fields[.contentType] = type
        #expect(
            failure(EndpointResponse(fields: fields, body: Fixtures.goodMembers(idToken: nil).encoded()))
                == SignInError(.token, .malformed("the media type is not application/json"))
        )
    }

    @Test("A token response that repeats a member is rejected")
    func duplicate() {
        let body = Array(#"{"access_token":"a","access_token":"b","token_type":"Bearer"}"#.utf8)
        #expect(
            failure(EndpointResponse(fields: [.contentType: "application/json"], body: body))
                == SignInError(.token, .malformed("the JSON has a member twice"))
        )
    }

    @Test("A server without a token endpoint is refused before anything is sent")
    func noEndpoint() {
        var server = Fixtures.server
        server.tokenEndpoint = nil
        let error = signInError { _ = try Fixtures.grant(try Fixtures.pending(server: server)).exchange().request() }
        #expect(error == SignInError(.token, .unsupported("a token_endpoint")))
    }

    @Test("Printing tokens, responses and requests shows no secret")
    func redacted() throws {
        let tokens = try Fixtures.signIn()
        let exchange = try Fixtures.grant(try Fixtures.pending()).exchange()
        let request = try exchange.request()
        let members = Fixtures.goodMembers(idToken: nil)
        let response = Fixtures.tokenResponse(members)
        var shown = "\(tokens) \(request) \(response) \(request.form) \(tokens.identity as Any)"
        dump(tokens, to: &shown)
        dump(request, to: &shown)
        dump(response, to: &shown)
        dump(tokens.identity, to: &shown)
        let secrets = [
            Fixtures.accessToken, "refresh-1", "code-1", try #require(request.form[.codeVerifier]),
            try #require(tokens.identity?.compact.reveal()), "alice",
        ]
        for secret in secrets { #expect(!shown.contains(secret)) }
    }
}
