import Foundation
import HTTPTypes
import OstiaryJOSE
import Testing

@testable import OstiaryOAuth

/// Forms that servers in the field send. None weakens a check unless the description of the server turns it on.
@Suite("Manners of servers: the token response")
struct ServerMannersTests {
    private static func client(_ manners: ServerManners) -> Client {
        var client = Fixtures.client()
        client.manners = manners
        return client
    }

    private func failure(
        _ manners: ServerManners = ServerManners(),
        changing change: (inout JSONObject) -> Void
    ) -> SignInError? {
        signInError { _ = try Fixtures.signIn(client: Self.client(manners), response: change) }
    }

    private func malformed(_ member: String) -> SignInError {
        SignInError(.token, .malformed("the token response's \(member)"))
    }

    @Test("A token response of media type text/json is read")
    func textJSON() throws {
        let exchange = try Fixtures.grant(try Fixtures.pending(AuthorizationRequest(scopes: ["a"]))).exchange()
        var response = Fixtures.tokenResponse(["access_token": "t", "token_type": "Bearer"])
        response.fields[.contentType] = "text/json; charset=utf-8"
        #expect(try exchange.output(from: response).validated(by: JSONWebKeySet([]), now: Fixtures.now).scopes == ["a"])
    }

    @Test("An empty refresh token counts as absent at sign-in")
    func emptyRefreshToken() throws {
        #expect(try Fixtures.signIn(response: { $0["refresh_token"] = "" }).refreshToken == nil)
    }

    @Test("Empty tokens count as absent at refresh, and the old ones stay")
    func emptyAtRefresh() throws {
        let before = try Fixtures.signIn()
        let after = try Fixtures.refresh(
            before,
            response: { members in
                members["refresh_token"] = ""
                members["id_token"] = ""
            }
        )
        #expect(after.refreshToken == before.refreshToken && after.identity == before.identity)
    }

    @Test("An empty ID token counts as absent, which a sign-in with openid rejects", arguments: ["", nil])
    func emptyIDToken(_ value: String?) {
        let error = failure { $0["id_token"] = value.map { .string($0) } ?? .null }
        #expect(error == mismatch(.identity, .idToken))
    }

    @Test("An empty access token is malformed")
    func emptyAccessToken() { #expect(failure { $0["access_token"] = "" } == malformed("access_token")) }

    @Test(
        "An access token with a character that is not printable ASCII is malformed",
        arguments: ["a\nb", "a\r\nb", "a\u{1B}[2Jb", "a\u{0}b", "a\u{7F}", "tok\u{E9}n", "a\u{2028}b"]
    )
    func accessTokenForm(_ token: String) {
        #expect(failure { $0["access_token"] = .string(token) } == malformed("access_token"))
    }

    @Test("A scope may be an array of strings")
    func scopeArray() throws {
        let tokens = try Fixtures.signIn(response: { $0["scope"] = ["openid", "user:read chat", "openid"] })
        #expect(tokens.scopes == [.openID, "user:read", "chat"])
        #expect(failure { $0["scope"] = ["openid", 1] } == malformed("scope"))
    }

    @Test("Commas separate scopes only where the server's manners say so")
    func commas() throws {
        let comma: (inout JSONObject) -> Void = { $0["scope"] = "repo,gist" }
        #expect(try Fixtures.signIn(response: comma).scopes == ["repo,gist"])
        let client = Self.client(ServerManners(separatesScopesWithCommas: true))
        #expect(try Fixtures.signIn(client: client, response: comma).scopes == ["repo", "gist"])
    }

    @Test("A missing token type means Bearer only where the server's manners say so", arguments: [nil, ""])
    func noTokenType(_ value: String?) throws {
        let change: (inout JSONObject) -> Void = { $0["token_type"] = value.map { .string($0) } }
        #expect(failure(changing: change) == malformed("token_type"))
        #expect(failure(ServerManners(assumesBearer: true), changing: change) == nil)
        let other = failure(ServerManners(assumesBearer: true)) { $0["token_type"] = "mac" }
        #expect(other == mismatch(.token, .tokenType))
    }

    @Test("A different name for Bearer is accepted only where the server's manners list it")
    func otherTokenType() {
        #expect(failure { $0["token_type"] = "bot" } == mismatch(.token, .tokenType))
        #expect(failure(ServerManners(bearerTokenTypes: ["Bot"])) { $0["token_type"] = "bot" } == nil)
    }

    @Test("No manners accept a bearer token where a bound token is required")
    func bound() throws {
        let client = try Client(
            id: "app",
            redirectURI: try RedirectURI("com.example.app:/callback"),
            authentication: .clientSecretPost(Secret("secret")),
            senderConstraint: .dpop,
            manners: ServerManners(assumesBearer: true, bearerTokenTypes: ["bot"])
        )
        let exchange = TokenRequest(
            try ClientCredentialsGrant(for: client),
            client: client,
            server: Fixtures.server
        )
        let none = signInError { _ = try exchange.output(from: Fixtures.tokenResponse(["access_token": "t"])) }
        #expect(none == malformed("token_type"))
        let members: JSONObject = ["access_token": "t", "token_type": "bot"]
        let bot = signInError { _ = try exchange.output(from: Fixtures.tokenResponse(members)) }
        #expect(bot == mismatch(.token, .tokenType))
    }

    @Test("A missing issued_token_type means the requested type only where the server's manners say so")
    func issuedTokenType() throws {
        var client = Fixtures.client(authentication: .clientSecretPost(Secret("secret")))
        client.manners.omitsIssuedTokenType = true
        func exchange(_ wanted: TokenType?) throws -> TokenRequest<TokenExchangeGrant> {
            let grant = try TokenExchangeGrant(
                of: .init(Secret("subject"), .accessToken),
                for: client,
                requestedType: wanted
            )
            return TokenRequest(grant, client: client, server: Fixtures.server)
        }
        var members: JSONObject = ["access_token": "t", "token_type": "Bearer"]
        let tokens = try exchange(.accessToken).output(from: Fixtures.tokenResponse(members))
            .validated(by: JSONWebKeySet([]), now: Fixtures.now)
        #expect(tokens.issuedTokenType == .accessToken)
        let unasked = signInError { _ = try exchange(nil).output(from: Fixtures.tokenResponse(members)) }
        #expect(unasked == malformed("issued_token_type is missing (RFC 8693 section 2.2.1)"))
        members["issued_token_type"] = .string(TokenType.jwt.rawValue)
        let other = signInError { _ = try exchange(.accessToken).output(from: Fixtures.tokenResponse(members)) }
        #expect(other == mismatch(.token, .issuedTokenType))
    }
}

@Suite("Manners of servers: members that no specification names")
struct AdditionalMembersTests {
    private func signIn(_ change: (inout JSONObject) -> Void) throws -> TokenSet {
        try Fixtures.signIn(response: change)
    }

    @Test("Additional members are returned as secrets, apart from the claims of the ID token")
    func handedOut() throws {
        let tokens = try signIn { members in
            members["sub"] = "did:plc:alice"
            members["authed_user"] = ["access_token": "second-token"]
            members["ok"] = true
            members["nothing"] = .null
        }
        let additional = tokens.additionalMembers
        #expect(additional.names == ["sub", "authed_user", "ok"])
        #expect(additional["sub"] == Secret("did:plc:alice"))
        #expect(additional["authed_user"] == Secret(#"{"access_token":"second-token"}"#))
        #expect(additional["ok"] == Secret("true"))
        #expect(additional["access_token"] == nil && additional["nothing"] == nil)
        #expect(tokens.identity?.subject == "alice")
        var shown = "\(additional) \(tokens)"
        dump(additional, to: &shown)
        dump(tokens, to: &shown)
        #expect(!shown.contains("did:plc") && !shown.contains("second-token"))
    }

    @Test("Additional members are limited in number and in size")
    func bounded() throws {
        let many = try signIn { members in for index in 0..<100 { members["x\(index)"] = "v" } }
        #expect(many.additionalMembers.names.count == 32)
        let large = try signIn { members in
            members["large"] = .string(String(repeating: "a", count: 20_000))
            members["small"] = "kept"
        }
        #expect(large.additionalMembers.names == ["small"])
    }

    @Test("Additional members are stored with the session at any depth and with any number")
    func stored() throws {
        var deep: JSONValue = .array([.number(5), .number(-0.0), .integer(.max), .number(1e300)])
        for _ in 0..<12 { deep = .array([deep]) }
        let tokens = try signIn { members in
            members["sub"] = "did:plc:alice"
            members["deep"] = deep
        }
        let bytes = try tokens.stored().encoded()
        #expect(try TokenSet(stored: try JSONObject(parsing: bytes)) == tokens)
        #expect(try TokenSet(stored: try tokens.stored()) == tokens)
        #expect(tokens.rotated(to: Secret("next")).additionalMembers == tokens.additionalMembers)
    }

    @Test("A refresh replaces the additional members that it names, and leaves the others")
    func refreshed() throws {
        let before = try signIn { members in
            members["sub"] = "did:plc:alice"
            members["team"] = "one"
        }
        let after = try Fixtures.refresh(before, response: { $0["team"] = "two" })
        #expect(after.additionalMembers["sub"] == Secret("did:plc:alice"))
        #expect(after.additionalMembers["team"] == Secret("two"))
    }

    @Test("A refresh response whose members name another sub is rejected with its refresh token")
    func otherUser() throws {
        let before = try signIn { $0["sub"] = "did:plc:alice" }
        var verdict = Verdict(.identity)
        let exchange = TokenRequest(try RefreshGrant(before), client: Fixtures.client(), server: Fixtures.server)
        var members = Fixtures.goodMembers(idToken: nil)
        members["sub"] = "did:plc:mallory"
        let response = try exchange.output(from: Fixtures.tokenResponse(members))
        let error = signInError {
            _ = try response.validated(by: Fixtures.keys, now: Fixtures.now, recording: &verdict)
        }
        #expect(error == mismatch(.identity, .subject) && verdict.failure?.name == "refresh.response.sub")
        members["token_type"] = nil
        let malformed = signInError { _ = try exchange.output(from: Fixtures.tokenResponse(members)) }
        #expect(malformed == SignInError(.refresh, .malformed("the token response's token_type")))
        members["token_type"] = "Bearer"
        members["sub"] = "did:plc:alice"
        _ = try exchange.output(from: Fixtures.tokenResponse(members)).validated(by: Fixtures.keys, now: Fixtures.now)
    }
}
