import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("Access tokens of an issuer that states no lifetime", .timeLimit(.minutes(5)))
struct UnstatedLifetimeTests {
    private func signedIn(opaque: Bool) async throws -> (BrowserWorld, ServerSession) {
        let world = try BrowserWorld(readsUserInfo: false)
        world.network.change("/token") { $0["expires_in"] = nil }
        let browser = TestBrowser(world)
        try await browser.signIn()
        let cookie = "__Host-ostiary=" + (try #require(browser.session))
        let request = ServerRequest(method: .get, target: "/", fields: [.cookie: cookie])
        let session = try await world.web.session(of: request)
        guard opaque else { return (world, session) }
        // An ID token would have a digest of the access token.
        world.network.change("/token") { object in
            object["access_token"] = object["refresh_token"].map { .string("opaque-\($0.string ?? "")") }
            for name in ["expires_in", "id_token"] { object[name] = nil }
        }
        let token = try await world.sessions.accessToken(of: session)
        #expect(try await world.sessions.accessToken(of: session, insteadOf: token).reveal().hasPrefix("opaque-"))
        return (world, session)
    }

    @Test("A JWT is refreshed a minute before its own exp, and not before that")
    func ownExpiry() async throws {
        let (world, session) = try await signedIn(opaque: false)
        let token = try await world.sessions.accessToken(of: session)
        let claims = try #require(token.reveal().split(separator: ".").dropFirst().first)
        let expiry = try JSONObject(parsing: Base64URL.decode(String(claims)))["exp"]?.number ?? 0
        world.clock.advance(by: .seconds(expiry - world.clock.now.timeIntervalSince1970 - 61))
        #expect(try await world.sessions.accessToken(of: session) == token)
        world.clock.advance(by: .seconds(2))
        #expect(try await world.sessions.accessToken(of: session) != token)
        #expect(world.network.count("/token") == 2)
    }

    @Test("An opaque token is refreshed an hour after it was received, and then an hour later again")
    func opaque() async throws {
        let (world, session) = try await signedIn(opaque: true)
        world.clock.advance(by: .seconds(3590))
        _ = try await world.sessions.accessToken(of: session)
        #expect(world.network.count("/token") == 2)
        world.clock.advance(by: .seconds(11))
        _ = try await world.sessions.accessToken(of: session)
        #expect(world.network.count("/token") == 3)
        world.clock.advance(by: .seconds(3000))
        _ = try await world.sessions.accessToken(of: session)
        #expect(world.network.count("/token") == 3)
    }

    @Test("A failed refresh leaves a token of unstated lifetime in use")
    func failing() async throws {
        let (world, session) = try await signedIn(opaque: true)
        let token = try await world.sessions.accessToken(of: session)
        world.clock.advance(by: .seconds(3700))
        world.network.fail("/token")
        #expect(try await world.sessions.accessToken(of: session) == token)
    }

    /// A session whose access token is a JWT of 60 seconds, without `expires_in`.
    private func short() async throws -> (BrowserWorld, ServerSession) {
        let (world, session) = try await signedIn(opaque: true)
        let clock = world.clock
        world.network.change("/token") { object in
            let time = Int(clock.now.timeIntervalSince1970)
            let header: JSONObject = ["alg": "ES256"]
            let claims: JSONObject = [
                "jti": object["refresh_token"] ?? "none", "iat": .integer(time), "exp": .integer(time + 60),
            ]
            let parts = [header, claims].map { Base64URL.encode($0.encoded()) } + ["c2ln"]
            object["access_token"] = .string(parts.joined(separator: "."))
            for name in ["expires_in", "id_token"] { object[name] = nil }
        }
        let token = try await world.sessions.accessToken(of: session)
        _ = try await world.sessions.accessToken(of: session, insteadOf: token)
        return (world, session)
    }

    @Test("A JWT of a minute is refreshed after half its lifetime, and not before that")
    func shortLifetime() async throws {
        let (world, session) = try await short()
        let token = try await world.sessions.accessToken(of: session)
        world.clock.advance(by: .seconds(29))
        #expect(try await world.sessions.accessToken(of: session) == token)
        world.clock.advance(by: .seconds(2))
        #expect(try await world.sessions.accessToken(of: session) != token)
    }

    @Test("A failed refresh leaves a JWT in use until its own exp, and not after that")
    func expired() async throws {
        let (world, session) = try await short()
        let token = try await world.sessions.accessToken(of: session)
        world.clock.advance(by: .seconds(50))
        world.network.fail("/token")
        #expect(try await world.sessions.accessToken(of: session) == token)
        world.clock.advance(by: .seconds(11))
        await #expect(throws: SignInError.self) { _ = try await world.sessions.accessToken(of: session) }
    }

    @Test("A session with an opaque token that is due ends when its refresh token may be used up")
    func lost() async throws {
        let (world, session) = try await signedIn(opaque: true)
        let token = try await world.sessions.accessToken(of: session)
        world.clock.advance(by: .seconds(3700))
        world.network.fail("/token", .timedOut)
        #expect(try await world.sessions.accessToken(of: session) == token)
        world.clock.advance(by: .seconds(200))
        world.network.fail(nil)
        await #expect(throws: SignInError(.refresh, .signInRequired)) {
            _ = try await world.sessions.accessToken(of: session)
        }
    }
}
