import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Claims of the provider's tokens")
struct TokenTests {
    @Test("An ID token names the user, the sign-in's time and method, the client and the access token")
    func idToken() async throws {
        let world = try World()
        let tokens = try await world.tokens()
        let claims = try await world.verifiedClaims(try #require(tokens.id))
        let now = world.clock.now.timeIntervalSince1970
        #expect(claims["iss"]?.string == Fixtures.issuer)
        #expect(claims["sub"] == "subject-of-alice")
        #expect(claims["aud"] == "app")
        #expect(claims["iat"]?.integer == Int(now))
        #expect(claims["exp"]?.integer == Int(now) + 300)
        #expect(claims["auth_time"]?.integer == Int(now))
        #expect(claims["nonce"] == "the-nonce")
        #expect(claims["acr"] == "urn:ostiary:password")
        #expect(claims["at_hash"]?.string == HashAlgorithm.sha256.leftHalf(of: tokens.access))
        #expect(claims["sid"]?.string?.isEmpty == false)
        #expect(claims["name"] == nil)
    }

    @Test("Without a nonce in the request the ID token has none")
    func noNonce() async throws {
        let world = try World()
        let tokens = try await world.tokens(.authorization { $0[.nonce] = nil })
        #expect(try await world.verifiedClaims(try #require(tokens.id))["nonce"] == nil)
    }

    @Test("auth_time stays when a later request needs no sign-in")
    func authenticationTime() async throws {
        let world = try World()
        let browser = world.browser()
        _ = try await browser.signIn()
        world.clock.advance(by: .seconds(500))
        let code = try #require(await browser.authorize().redirect?.parameters[.code])
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        let claims = try await world.verifiedClaims(try #require(tokens.id))
        #expect(claims["iat"]?.integer == (claims["auth_time"]?.integer ?? 0) + 500)
    }

    @Test("An access token has typ at+jwt and the claims of RFC 9068")
    func accessToken() async throws {
        let world = try World()
        let token = try await world.tokens().access
        #expect(try UnverifiedJWT(token).header.type == "at+jwt")
        let claims = try await world.verifiedClaims(token)
        #expect(claims["iss"]?.string == Fixtures.issuer)
        #expect(claims["aud"]?.string == Fixtures.issuer)
        #expect(claims["sub"] == "subject-of-alice")
        #expect(claims["client_id"] == "app")
        #expect(claims["scope"] == "openid profile offline_access")
        #expect(claims["jti"]?.string?.isEmpty == false)
        #expect(claims["exp"]?.integer == (claims["iat"]?.integer ?? 0) + 900)
    }

    @Test("An access token can have several audiences")
    func audience() async throws {
        let world = try World { $0.accessTokenAudience = ["https://a.example", "https://b.example"] }
        let claims = try await world.verifiedClaims(try await world.tokens().access)
        #expect(claims["aud"] == ["https://a.example", "https://b.example"])
    }

    @Test("A client's ID tokens are signed with its registered algorithm")
    func algorithm() async throws {
        let world = try World()
        let code = try await world.code(.webAuthorization())
        let form = Parameters.codeGrant(code, redirectURI: Parameters.webAuthorization()[.redirectURI]) {
            $0[.clientID] = nil
        }
        let tokens = try Tokens(
            await world.post("/token", form, fields: [.authorization: "Basic d2ViJTIwYXBwOnAlMjVzcyUzQSUyMCUyQndvcmQ="])
        )
        #expect(try UnverifiedJWT(try #require(tokens.id)).header.algorithmName == "ES256")
        let info = await world.userInfo(tokens.access)
        #expect(info.fields[.contentType] == "application/jwt")
        let claims = try await world.verifiedClaims(String(decoding: world.provider.body(of: info), as: UTF8.self))
        #expect(claims["iss"]?.string == Fixtures.issuer)
        #expect(claims["aud"] == "web app")
        #expect(claims["sub"] == "subject-of-alice")
        #expect(claims["name"] == "Alice Adams")
    }
}
