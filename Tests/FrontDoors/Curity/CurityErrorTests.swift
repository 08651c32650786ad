import Foundation
import HTTPTypes
import Ostiary
import OstiaryCurity
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Curity: errors in four fields")
struct CurityErrorTests {
    @Test(
        "Every sign-in error maps to its AppAuth domain and code",
        .covers(.curity, rows: 26),
        arguments: [
            (SignInError(.authorization, .cancelled), CurityError.Domain.general, -3),
            (SignInError(.authorization, .alreadyInProgress), .general, -17),
            (SignInError(.authorization, .configuration("No browser.")), .general, -10),
            (SignInError(.authorization, .timedOut), .general, -4),
            (SignInError(.redirect, .mismatch(.redirectURI)), .general, -16),
            (SignInError(.redirect, .mismatch(.state)), .authorization, -0xEFFF),
            (SignInError(.redirect, .mismatch(.issuer)), .general, -15),
            (SignInError(.identity, .mismatch(.issuer)), .general, -15),
            (SignInError(.redirect, .malformed("code")), .authorization, -0xEFFF),
            (SignInError(.redirect, .refused(OAuthError(code: .invalidRequest))), .authorization, -2),
            (SignInError(.redirect, .refused(OAuthError(code: .unauthorizedClient))), .authorization, -3),
            (SignInError(.redirect, .refused(OAuthError(code: .accessDenied))), .authorization, -4),
            (SignInError(.redirect, .refused(OAuthError(code: .unsupportedResponseType))), .authorization, -5),
            (SignInError(.redirect, .refused(OAuthError(code: .invalidScope))), .authorization, -6),
            (SignInError(.redirect, .refused(OAuthError(code: .serverError))), .authorization, -7),
            (SignInError(.redirect, .refused(OAuthError(code: .temporarilyUnavailable))), .authorization, -8),
            (SignInError(.redirect, .refused(OAuthError(code: .loginRequired))), .authorization, -0xF000),
            (SignInError(.token, .refused(OAuthError(code: .invalidClient))), .token, -9),
            (SignInError(.refresh, .refused(OAuthError(code: .invalidGrant))), .token, -10),
            (SignInError(.token, .refused(OAuthError(code: .unsupportedGrantType))), .token, -11),
            (SignInError(.refresh, .signInRequired), .general, -11),
            (SignInError(.identity, .malformed("the token")), .general, -14),
            (SignInError(.identity, .mismatch(.signature)), .general, -15),
            (SignInError(.token, .malformed("access_token")), .general, -8),
            (SignInError(.userInfo, .malformed("the JSON")), .general, -7),
            (SignInError(.userInfo, .refused(OAuthError(code: .insufficientScope))), .resourceServer, -0xF000),
            (SignInError(.discovery, .mismatch(.metadataIssuer)), .general, -2),
            (SignInError(.discovery, .configuration("No issuer.")), .general, -2),
            (SignInError(.registration, .unsupported("a registration_endpoint")), .general, -2),
            (SignInError(.registration, .refused(OAuthError(code: .invalidRedirectURI))), .registration, -12),
            (SignInError(.registration, .refused(OAuthError(code: .invalidClientMetadata))), .registration, -13),
            (
                SignInError(.registration, .refused(OAuthError(code: .unapprovedSoftwareStatement))), .registration,
                -0xF000
            ),
            (SignInError(.registration, .malformed("client_id")), .general, -12),
            (SignInError(.registration, .mismatch(.redirectURI)), .general, -12),
            (SignInError(.token, .server(status: 429)), .http, 429),
            (SignInError(.token, .transport(.unreachable)), .general, -5),
            (SignInError(.token, .server(status: 503)), .general, -6),
            (SignInError(.storage, .storage(.locked)), .storage, 1),
            (SignInError(.storage, .storage(.corrupted)), .storage, 3),
        ]
    )
    func table(cause: SignInError, domain: CurityError.Domain, code: Int) {
        let error = CurityError(cause)
        #expect(error.domain == domain && error.code.rawValue == code)
        #expect(error.cause == cause && !error.errorDescription.isEmpty)
    }

    @Test("The server's words are in their own fields", .covers(.curity, rows: 36))
    func words() {
        let refusal = OAuthError(code: .invalidGrant, description: "It has expired.", uri: "https://curity.io/help")
        let error = CurityError(SignInError(.refresh, .refused(refusal), retryAfter: .seconds(30)))
        #expect(error.domain.rawValue == "org.openid.appauth.oauth_token" && error.code == .init(rawValue: -10))
        #expect(error.error == "invalid_grant" && error.errorDescription == "It has expired.")
        #expect(error.errorURI == "https://curity.io/help" && error.retryAfter == .seconds(30))
        #expect(error.description == "org.openid.appauth.oauth_token / -10 / invalid_grant / It has expired.")
        #expect(CurityError(SignInError(.authorization, .cancelled)).error == nil)
    }
}

@Suite("Curity: the sample's four acts")
struct CurityAppTests {
    @Test("A user who closes the browser ends the sign-in without an error", .covers(.curity, rows: 26))
    func cancelled() async throws {
        let world = try CurityWorld()
        let closing = ScriptedUserAgent { (_, _) throws(SignInError) in throw SignInError(.authorization, .cancelled) }
        let app = CurityApp(try world.start(userAgent: closing))
        #expect(try await app.signIn() == nil)
        #expect(try await app.current() == nil)
    }

    @Test(
        "Extra parameters of CurityApp's sign-in are sent to the authorization endpoint",
        .covers(.curity, rows: 9, 10, 11)
    )
    func parameters() async throws {
        let world = try CurityWorld()
        let app = CurityApp(try world.start())
        try await app.signIn(
            acrValues: [CurityWorld.passwordContext],
            prompt: [.login],
            maximumAge: .seconds(60),
            loginHint: "alice",
            uiLocales: ["sv"],
            additionalParameters: ["for_origin": "https://app.example.test"]
        )
        let query = try #require(world.pages("/oauth/v2/oauth-authorize").first)
        #expect(query[.acrValues] == CurityWorld.passwordContext && query[.prompt] == "login")
        #expect(query[.maxAge] == "60" && query[.loginHint] == "alice" && query[.uiLocales] == "sv")
        #expect(query["for_origin"] == "https://app.example.test")
    }

    @Test("A session that has ended returns no tokens, and throws no error", .covers(.curity, rows: 32))
    func ended() async throws {
        let world = try CurityWorld()
        let app = CurityApp(try world.start())
        #expect(try await app.refresh() == nil, "Nobody is signed in.")
        try await app.signIn()
        #expect(try await app.refresh() != nil)
        world.clock.advance(by: .seconds(3601))
        #expect(try await app.refresh() == nil)
        #expect(try await app.current() == nil)
    }

    @Test(
        "A client that the server deleted ends the session without an error, so that the user signs in again",
        .covers(.curity, rows: 36)
    )
    func replaced() async throws {
        let world = try CurityWorld()
        let app = CurityApp(try world.start())
        let registration = try await app.register()
        try await app.signIn()
        try await world.loseClient(registration)
        #expect(try await app.refresh() == nil)
        #expect(try await app.signIn() != nil)
        #expect(world.registrations.count == 2)
    }

    @Test("A session without a refresh token cannot be renewed", .covers(.curity, rows: 32))
    func noRefreshToken() async throws {
        let world = try CurityWorld()
        let app = CurityApp(try world.start(.describingItself(additional: ["refresh_token_ttl": 0])))
        let session = try #require(try await app.signIn())
        #expect(!session.isRefreshable)
        let error = await thrownError { () throws(CurityError) in try await app.refresh() }
        #expect(error?.domain == .general && error?.code == .tokenRefreshError)
    }

    @Test(
        "A sign-out succeeds after a restart, and a closed page is reported without an error",
        .covers(.curity, rows: 40)
    )
    func signOut() async throws {
        let world = try CurityWorld()
        try await CurityApp(try world.start()).signIn()
        #expect(try await CurityApp(try world.start()).signOut())
        #expect(try await CurityApp(try world.start()).signOut(), "Nobody is signed in.")
        try await CurityApp(try world.start()).signIn()
        let closing = ScriptedUserAgent { (_, _) throws(SignInError) in throw SignInError(.authorization, .cancelled) }
        let app = CurityApp(try world.start(userAgent: closing))
        #expect(try await !app.signOut())
        #expect(try await app.current() == nil)
    }

    @Test("A server's refusal fills the four fields of CurityError", .covers(.curity, rows: 36))
    func refused() async throws {
        let world = try CurityWorld()
        let app = CurityApp(try world.start(.describingItself(additional: ["refresh_token_ttl": "soon"])))
        let error = try #require(await thrownError { () throws(CurityError) in try await app.register() })
        #expect(error.domain == .registration && error.code.rawValue == -13)
        #expect(error.error == "invalid_client_metadata")
        #expect(error.errorDescription == "refresh_token_ttl is not a number of seconds.")
    }
}
