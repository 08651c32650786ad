import Foundation
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("The answer to a refresh")
struct RefreshTests {
    private let time = Int(Fixtures.now.timeIntervalSince1970)

    private func failure(_ change: (inout JSONObject) -> Void) -> SignInError? {
        signInError {
            let tokens = try Fixtures.signIn(changing: { $0["auth_time"] = .integer(1_799_999_000) })
            _ = try Fixtures.refresh(tokens, changing: change)
        }
    }

    @Test("A refresh returns new tokens for the same subject")
    func good() throws {
        let renewed = try Fixtures.refresh(try Fixtures.signIn())
        #expect(renewed.accessToken.reveal() == "access-token-2")
        #expect(renewed.refreshToken?.reveal() == "refresh-2")
        #expect(renewed.identity?.subject == "alice")
    }

    @Test(
        "Without a new refresh token the old one is kept, without an ID token the identity, without a scope the scope"
    )
    func kept() throws {
        let tokens = try Fixtures.signIn()
        let renewed = try Fixtures.refresh(
            tokens,
            idToken: false,
            response: {
                $0["refresh_token"] = nil
                $0["scope"] = nil
            }
        )
        #expect(renewed.refreshToken == tokens.refreshToken)
        #expect(renewed.identity == tokens.identity)
        #expect(renewed.scopes == tokens.scopes)
    }

    @Test("A refreshed ID token of another issuer is rejected")
    func issuer() { #expect(failure { $0["iss"] = "https://id.example.com1" } == mismatch(.identity, .issuer)) }

    @Test("A refresh at another issuer is refused, and its ID token rejected")
    func otherServer() throws {
        let tokens = try Fixtures.signIn()
        var server = Fixtures.server
        server.issuer = try Issuer("https://other.example.com")
        var claims = Fixtures.claims()
        claims["iss"] = "https://other.example.com"
        let members = Fixtures.goodMembers(idToken: try Fixtures.key.sign(claims: claims))
        let exchange = TokenRequest(try RefreshGrant(tokens), client: Fixtures.client(), server: server)
        #expect(signInError { _ = try exchange.request() } == mismatch(.refresh, .issuer))
        let response = try exchange.output(from: Fixtures.tokenResponse(members))
        let error = signInError { _ = try response.validated(by: Fixtures.keys, now: Fixtures.now) }
        #expect(error == mismatch(.identity, .issuer))
    }

    @Test("A refresh token is not sent for another client")
    func otherClient() throws {
        let tokens = try Fixtures.signIn()
        let exchange = TokenRequest(
            try RefreshGrant(tokens),
            client: Fixtures.client(id: "other"),
            server: Fixtures.server
        )
        #expect(signInError { _ = try exchange.request() } == mismatch(.refresh, .authorizedParty))
    }

    @Test("A refreshed ID token of another subject is rejected")
    func subject() { #expect(failure { $0["sub"] = "alice1" } == mismatch(.identity, .subject)) }

    @Test("A refreshed ID token with another audience is rejected, even one that a sign-in would accept")
    func audience() throws {
        let policy = Client.ValidationPolicy(trustedAudiences: ["api"])
        let client = Fixtures.client(validation: policy)
        let tokens = try Fixtures.signIn(client: client)
        let error = signInError {
            _ = try Fixtures.refresh(
                tokens,
                client: client,
                changing: {
                    $0["aud"] = .array(["app", "api"])
                    $0["azp"] = "app"
                }
            )
        }
        #expect(error == mismatch(.identity, .audience))
    }

    @Test("A refreshed ID token with an earlier auth_time is rejected; one with the same, a later or none is accepted")
    func authenticationTime() {
        #expect(failure { $0["auth_time"] = .integer(1_799_998_999) } == mismatch(.identity, .authenticationTime))
        #expect(failure { $0["auth_time"] = "1799999001" } == mismatch(.identity, .authenticationTime))
        #expect(failure { $0["auth_time"] = .integer(1_799_999_000) } == nil)
        #expect(failure { $0["auth_time"] = .integer(time) } == nil)
        #expect(failure { _ in } == nil)
    }

    @Test("After a later auth_time was accepted, an earlier one is rejected")
    func movedAuthenticationTime() throws {
        let tokens = try Fixtures.signIn(changing: { $0["auth_time"] = .integer(1_799_999_000) })
        let moved = try Fixtures.refresh(tokens, changing: { $0["auth_time"] = .integer(1_799_999_500) })
        let error = signInError {
            _ = try Fixtures.refresh(moved, changing: { $0["auth_time"] = .integer(1_799_999_000) })
        }
        #expect(error == mismatch(.identity, .authenticationTime))
    }

    @Test("A refreshed ID token with a new azp is rejected")
    func authorizedParty() { #expect(failure { $0["azp"] = "app" } == mismatch(.identity, .authorizedParty)) }

    @Test("A refreshed ID token with a nonce other than the sign-in's is rejected")
    func nonce() throws {
        #expect(failure { $0["nonce"] = "fresh" } == mismatch(.identity, .nonce))
        let tokens = try Fixtures.signIn()
        let nonce = tokens.identity?.claims["nonce"]
        #expect(signInError { _ = try Fixtures.refresh(tokens, changing: { $0["nonce"] = nonce }) } == nil)
    }

    @Test("A refreshed ID token may add a nonce where the earlier one had none, as text")
    func unknownNonce() throws {
        let tokens = try Fixtures.refresh(try Fixtures.signIn())
        #expect(tokens.identity?.claims["nonce"] == nil)
        #expect(signInError { _ = try Fixtures.refresh(tokens, changing: { $0["nonce"] = "of the sign-in" }) } == nil)
        let number = signInError { _ = try Fixtures.refresh(tokens, changing: { $0["nonce"] = 1 }) }
        #expect(number == mismatch(.identity, .nonce))
    }

    @Test("A new refresh token without a lifetime does not inherit the expiry of the old one")
    func refreshTokenExpiry() throws {
        let tokens = try Fixtures.signIn(response: { $0["refresh_expires_in"] = 1000 })
        #expect(tokens.refreshTokenExpiry == Fixtures.now.addingTimeInterval(1000))
        #expect(try Fixtures.refresh(tokens).refreshTokenExpiry == nil)
        let unrotated = try Fixtures.refresh(tokens, response: { $0["refresh_token"] = nil })
        #expect(unrotated.refreshTokenExpiry == tokens.refreshTokenExpiry)
    }

    @Test("A refreshed ID token that is old, expired or forged is rejected as at sign-in")
    func sameChecks() throws {
        #expect(failure { $0["iat"] = .integer(time - 700) } == mismatch(.identity, .issuedAt))
        #expect(failure { $0["exp"] = nil } == mismatch(.identity, .expiry))
        let tokens = try Fixtures.signIn()
        let forged = try Fixtures.otherKey.sign(claims: Fixtures.claims())
        let error = signInError { _ = try Fixtures.refresh(tokens, response: { $0["id_token"] = .string(forged) }) }
        #expect(error == mismatch(.identity, .key))
    }

    @Test("Tokens without a refresh token cannot be refreshed")
    func noRefreshToken() throws {
        let tokens = try Fixtures.signIn(response: { $0["refresh_token"] = nil })
        #expect(signInError { _ = try RefreshGrant(tokens) } == SignInError(.refresh, .signInRequired))
    }

    @Test("A refresh error ends the session only when it is invalid_grant")
    func endsSession() {
        #expect(SignInError(.refresh, .refused(OAuthError(code: .invalidGrant))).endsSession)
        #expect(!SignInError(.token, .refused(OAuthError(code: .invalidGrant))).endsSession)
        #expect(!SignInError(.refresh, .refused(OAuthError(code: .invalidClient))).endsSession)
        #expect(!SignInError(.refresh, .server(status: 400)).endsSession)
        #expect(!SignInError(.refresh, .transport(.unreachable)).endsSession)
    }
}
