import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("A session")
struct SessionTests {
    @Test("A valid access token is handed out without a request")
    func fresh() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let before = world.network.requests.count
        let token = try await session.accessToken()
        world.clock.advance(by: .seconds(860))
        #expect(try await session.accessToken() == token)
        #expect(world.network.requests.count == before)
    }

    @Test("An expiring access token is refreshed and stored before it is handed out")
    func renewed() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let token = try await session.accessToken()
        world.clock.advance(by: .seconds(871))
        let renewed = try await session.accessToken()
        #expect(renewed != token)
        let restored = try #require(try await world.client().restoreSession())
        #expect(try await restored.accessToken() == renewed)
    }

    @Test("A caller can require a longer validity of the access token")
    func minimumValidity() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let token = try await session.accessToken()
        #expect(try await session.accessToken(minimumValidity: .seconds(800)) == token)
        world.clock.advance(by: .seconds(101))
        #expect(try await session.accessToken(minimumValidity: .seconds(800)) != token)
    }

    @Test("A token with a lifetime of 20 seconds is refreshed at half its life, and not at each use")
    func shortLived() async throws {
        let world = try World(lifetimes: .init(accessToken: .seconds(20)))
        let session = try await world.client().signIn()
        let token = try await session.accessToken()
        world.clock.advance(by: .seconds(9))
        #expect(try await session.accessToken() == token)
        // Its life is stored with it.
        let restored = try #require(try await world.client().restoreSession())
        #expect(try await restored.accessToken() == token)
        world.clock.advance(by: .seconds(2))
        #expect(try await session.accessToken() != token)
        let asked = try await session.accessToken()
        #expect(try await session.accessToken(minimumValidity: .seconds(30)) != asked)
    }

    @Test("A token that cannot be refreshed is handed out until it expires")
    func unrenewable() async throws {
        let world = try World(client: { $0.grantTypes = [.authorizationCode] })
        let session = try await world.client().signIn()
        let token = try await session.accessToken()
        #expect(session.tokens.refreshToken == nil)
        world.clock.advance(by: .seconds(895))
        #expect(try await session.accessToken() == token)
        await #expect(throws: SignInError(.refresh, .signInRequired)) {
            try await session.accessToken(minimumValidity: .seconds(10))
        }
        world.clock.advance(by: .seconds(6))
        await #expect(throws: SignInError(.refresh, .signInRequired)) { try await session.accessToken() }
    }

    @Test(
        "A new token with less than the required validity is handed out, and stored with its own lifetime"
    )
    func shortValidity() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let first = try await session.accessToken()
        let token = try await session.accessToken(minimumValidity: .seconds(3600))
        #expect(token != first)
        let restored = try #require(try await world.client().restoreSession())
        #expect(restored.tokens.expiry == world.clock.now.addingTimeInterval(900))
        #expect(try await restored.accessToken() == token)
    }

    @Test(
        "A refresh without a response keeps the session, and the same call succeeds later",
        .failure("The device is offline")
    )
    func offline() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        world.network.lose(to: "/token", .beforeProcessing, with: .unreachable)
        #expect(
            await failure { () throws(SignInError) in _ = try await session.accessToken() }
                == SignInError(.refresh, .transport(.unreachable))
        )
        #expect(session.end == nil)
        #expect(try await world.client().restoreSession() != nil)
        _ = try await session.accessToken()
    }

    @Test("A failing server keeps the session", .failure("The server fails"), arguments: [Scenario.unavailable])
    func serverFailure(_ scenario: Scenario) async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let stored = session.tokens
        let failing = try world.client(
            transport: AnsweringTransport(status: 503, over: world.network, path: "/token"),
            store: world.storeOfAnotherProcess
        )
        let restored = try #require(try await failing.restoreSession())
        #expect(
            await failure { () throws(SignInError) in _ = try await restored.accessToken() }
                == SignInError(.refresh, .server(status: 503))
        )
        #expect(try await world.client().restoreSession()?.tokens == stored)
        _ = try await session.accessToken()
    }

    @Test("Only invalid_grant from the server ends a session and removes it")
    func invalidGrant() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.clock.advance(by: .seconds(31 * 86_400))
        let error = await failure { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(error?.endsSession == true)
        #expect(error?.recovery == .signInAgain)
        #expect(session.end == .revoked)
        #expect(try await world.client().restoreSession() == nil)
        #expect(
            await failure { () throws(SignInError) in _ = try await session.accessToken() }
                == SignInError(.refresh, .signInRequired)
        )
        #expect(world.events.events.filter { $0 == .ended(.revoked) }.count == 1)
    }

    @Test(
        "A token renewed by another process is adopted, and no refresh token is used twice",
        .failure("Another process has refreshed the session")
    )
    func adoption() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let other = try #require(try await world.client(store: world.storeOfAnotherProcess).restoreSession())
        try await session.refresh()
        try await other.refresh()
        #expect(try await other.accessToken() == session.accessToken())
        #expect(world.network.count(path: "/token") == 2)
        try await other.refresh()
        try await session.refresh()
        #expect(session.end == nil && world.network.count(path: "/token") == 3)
    }

    @Test(
        "A refreshed ID token of another user or issuer is rejected, and nothing of that response is stored",
        .failure("The response to a refresh is about another user"),
        arguments: [
            (Scenario.refreshInvalidIssuer, SignInError.Check.issuer), (.refreshInvalidSubject, .subject),
        ] as [(Scenario, SignInError.Check)]
    )
    func continuity(_ scenario: Scenario, _ check: SignInError.Check) async throws {
        let world = try World(scenario: scenario)
        let session = try await world.client().signIn()
        let token = try await session.accessToken()
        #expect(
            await failure { () throws(SignInError) in try await session.refresh() }
                == SignInError(.identity, .mismatch(check))
        )
        #expect(session.identity?.subject == "alice-subject")
        #expect(try await session.accessToken() == token)
        #expect(world.network.count(path: "/userinfo") == 0)
        // The answer's refresh token may be another user's: it is neither stored nor presented.
        let key = StoreKey.session(issuer: try Issuer(World.issuer), clientID: "app")
        let stored = try JSONObject(parsing: try #require(try await world.store.read(key)))
        #expect(stored["journal"]?.object?["candidate"] == nil && stored["journal"]?.object?["since"] != nil)
        #expect(stored["tokens"]?.object?["refresh_token"]?.string == session.tokens.refreshToken?.reveal())
    }

    @Test(
        "Tokens that could not be stored are stored by the next call before they are handed out",
        .failure("The store fails after the server's response")
    )
    func unsaved() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        // The mark before the request is written, and nothing after it.
        world.store.failFrom(.write, call: 2, with: .locked)
        #expect(
            await failure { () throws(SignInError) in _ = try await session.accessToken() }
                == SignInError(.storage, .storage(.locked))
        )
        let requests = world.network.count(path: "/token")
        #expect(requests == 2)
        #expect(
            await failure { () throws(SignInError) in _ = try await session.accessToken() }
                == SignInError(.storage, .storage(.locked))
        )
        world.store.recover()
        let token = try await session.accessToken()
        #expect(world.network.count(path: "/token") == requests)
        let restored = try #require(try await world.client().restoreSession())
        #expect(try await restored.accessToken() == token)
    }

    @Test(
        "Tokens that are stored within 30 seconds reach their caller, and later it gets an error",
        .failure("The store fails for some seconds after the server's response"),
        arguments: [(1.0, true), (8, true), (24, true), (60, false)]
    )
    func storedLater(seconds: Double, isServed: Bool) async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let answered = world.clock.now
        let device = DeviceClock(
            now: { world.clock.now },
            uptime: { world.clock.now.timeIntervalSince1970 },
            sleep: { pause in
                world.clock.advance(by: pause)
                if world.clock.now.timeIntervalSince(answered) >= seconds { world.store.recover() }
            }
        )
        let session = try #require(try await world.client(device: device).restoreSession())
        world.store.failFrom(.write, call: 2)
        let error = await failure { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(error == (isServed ? nil : SignInError(.storage, .storage(.unavailable))))
        #expect(world.events.events.contains(.storageFailed(SignInError(.storage, .storage(.unavailable)))))
        let end = world.clock.now.timeIntervalSince(answered)
        #expect(isServed ? (seconds..<seconds + 11 ~= end) : (30..<46 ~= end))
    }

    @Test(
        "With an unwritable store no refresh is sent, and the refresh token stays valid",
        .failure("The store cannot be written")
    )
    func unmarked() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        world.store.failAlways(.write, with: .unavailable)
        #expect(
            await failure { () throws(SignInError) in _ = try await session.accessToken() }
                == SignInError(.storage, .storage(.unavailable))
        )
        #expect(world.network.count(path: "/token") == 1)
        world.store.recover()
        _ = try await session.accessToken()
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test("An expired session without a refresh token requires a sign-in")
    func notRefreshable() async throws {
        let world = try World()
        let session = try await world.client().signIn(AuthorizationRequest(scopes: [.openID]))
        #expect(!session.isRefreshable)
        world.clock.advance(by: .seconds(900))
        #expect(
            await failure { () throws(SignInError) in _ = try await session.accessToken() }
                == SignInError(.refresh, .signInRequired)
        )
    }

    @Test("User info is returned for the session's user")
    func userInfo() async throws {
        let world = try World()
        let session = try await world.client().signIn(AuthorizationRequest(scopes: [.openID, .email]))
        #expect(try await session.userInfo().claims["email"]?.string == "alice@example.test")
    }

    @Test("An access token that user info rejects is refreshed once, and the session is kept")
    func refusedUserInfo() async throws {
        let world = try World()
        let refusing = RefusingTransport(over: world.network, path: "/userinfo")
        let session = try await world.client(transport: refusing).signIn()
        refusing.refuse(1)
        #expect(try await session.userInfo().subject == "alice-subject")
        #expect(world.network.count(path: "/token") == 2)
        // A server that refuses each token causes one refresh, and gives no reason to sign in.
        refusing.refuse(3)
        let error = await failure { () throws(SignInError) in _ = try await session.userInfo() }
        #expect(error?.reason == .refused(OAuthError(code: .invalidToken)) && error?.recovery == .retry)
        #expect(world.network.count(path: "/token") == 3 && session.end == nil)
        _ = await failure { () throws(SignInError) in _ = try await session.userInfo() }
        #expect(world.network.count(path: "/token") == 3)
    }

    @Test("An access token that user info rejects requires a sign-in where the session cannot be refreshed")
    func refusedWithoutRefreshToken() async throws {
        let world = try World()
        let refusing = RefusingTransport(over: world.network, path: "/userinfo")
        let session = try await world.client(transport: refusing).signIn(AuthorizationRequest(scopes: [.openID]))
        refusing.refuse(1)
        let error = await failure { () throws(SignInError) in _ = try await session.userInfo() }
        #expect(error == SignInError(.userInfo, .signInRequired) && error?.recovery == .signInAgain)
        #expect(error?.message == Session.Renewal.Reason.offlineAccessNotGranted.message)
    }

    @Test("Signed user info is verified", arguments: [SignatureAlgorithm.es256])
    func signedUserInfo(_ algorithm: SignatureAlgorithm) async throws {
        let world = try World { $0.userInfoAlgorithm = algorithm }
        let session = try await world.client(validation: Client.ValidationPolicy(userInfoAlgorithm: algorithm)).signIn()
        #expect(try await session.userInfo().subject == "alice-subject")
    }

    @Test(
        "User info of another user is rejected, and the session is kept",
        arguments: [Scenario.userInfoInvalidSubject, .userInfoMissingSubject]
    )
    func otherUserInfo(_ scenario: Scenario) async throws {
        let world = try World(scenario: scenario)
        let session = try await world.client().signIn()
        #expect(
            await failure { () throws(SignInError) in _ = try await session.userInfo() }
                == SignInError(.userInfo, .mismatch(.subject))
        )
        #expect(session.end == nil)
    }

    @Test("A sign-out removes the session, then revokes the refresh token at the provider")
    func signOut() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let other = try #require(try await world.client(store: world.storeOfAnotherProcess).restoreSession())
        let report = try await session.signOut()
        #expect(report.revocationFailure == nil && report.endSessionFailure == nil && !report.endedProviderSession)
        #expect(world.network.count(path: "/revoke") == 1)
        #expect(session.end == .userAction)
        #expect(try await world.client().restoreSession() == nil)
        #expect(
            await failure { () throws(SignInError) in try await other.refresh() }
                == SignInError(.refresh, .signInRequired)
        )
        #expect(other.end == .removedElsewhere && world.network.count(path: "/token") == 1)
        #expect(
            await failure { () throws(SignInError) in _ = try await session.accessToken() }
                == SignInError(.refresh, .signInRequired)
        )
    }

    @Test(
        "A sign-out whose revocation fails still ends the session",
        .failure("The device is offline at sign-out")
    )
    func signOutOffline() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.network.lose(to: "/revoke", .beforeProcessing, with: .unreachable)
        let report = try await session.signOut()
        #expect(report.revocationFailure == SignInError(.revocation, .transport(.unreachable)))
        #expect(session.end == .userAction)
        #expect(try await world.client().restoreSession() == nil)
    }

    @Test("A sign-out that cannot remove the session keeps it", .failure("The store fails at sign-out"))
    func signOutLocked() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        world.store.failAlways(.remove, with: .locked)
        #expect(
            await failure { () throws(SignInError) in _ = try await session.signOut() }
                == SignInError(.storage, .storage(.locked))
        )
        #expect(session.end == nil)
        #expect(world.network.count(path: "/revoke") == 0)
        _ = try await session.accessToken()
    }

    @Test("A sign-out with the end-session page ends the provider's session")
    func endSession() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let report = try await session.signOut(endingProviderSessionAt: try RedirectURI("com.example.app:/bye"))
        #expect(report.endedProviderSession)
        #expect(report.endSessionFailure == nil)
    }

    @Test("An end-session page that redirects elsewhere is reported, and the session has ended")
    func endSessionElsewhere() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        let report = try await session.signOut(
            endingProviderSessionAt: try RedirectURI("com.example.app:/unregistered")
        )
        #expect(!report.endedProviderSession)
        #expect(report.endSessionFailure?.stage == .endSession)
        #expect(session.end == .userAction)
    }

    @Test("A second sign-out sends nothing")
    func signOutTwice() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        try await session.signOut()
        let requests = world.network.requests.count
        try await session.signOut()
        #expect(world.network.requests.count == requests)
    }

    @Test("Printing a session shows no token and no user")
    func redacted() async throws {
        let world = try World()
        let session = try await world.client().signIn()
        var shown = "\(session)"
        dump(session, to: &shown)
        #expect(!shown.contains(try await session.accessToken().reveal()))
        #expect(!shown.contains("alice"))
    }
}
