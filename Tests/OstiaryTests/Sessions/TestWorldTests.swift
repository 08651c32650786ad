import Ostiary
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("The test kit's world and the faults of a sign-in")
struct TestWorldTests {
    @Test("A test world signs its user in, and its clients share store and clock")
    func signIn() async throws {
        let world = try TestWorld()
        let session = try await world.client().signIn()
        #expect(session.identity?.subject == "alice-subject")
        let restored = try #require(try await world.client().restoreSession())
        world.clock.advance(by: .seconds(3600))
        _ = try await restored.accessToken()
        #expect(world.network.count(path: "/token") == 2)
    }

    @Test("A test world's closures change the provider and the client")
    func changes() async throws {
        let world = try TestWorld { $0.users[0].subject = "another" }
        let store = MemoryStore()
        let session = try await world.client { $0.store = store }.signIn()
        #expect(session.identity?.subject == "another")
        #expect(try await world.client().restoreSession() == nil)
    }

    @Test("A wrong password ends a sign-in in a test world")
    func password() async throws {
        let world = try TestWorld()
        let person = world.userAgent(password: "looking-glass")
        let error = await failure { () throws(SignInError) in
            _ = try await world.client { $0.userAgent = person }.signIn()
        }
        #expect(error != nil)
    }

    @Test("A user agent with an authenticator app enters one-time passwords, and without one says what it needs")
    func oneTimePassword() async throws {
        let app = try OneTimePassword(secret: Secret("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"))
        let world = try TestWorld { $0.users[0].oneTimePassword = app }
        let person = world.userAgent(oneTimePassword: app)
        let session = try await world.client { $0.userAgent = person }.signIn()
        #expect(session.identity?.claims["amr"] == ["pwd", "otp", "mfa"])
        let bare = await failure { () throws(SignInError) in _ = try await world.client().signIn() }
        #expect(bare?.description.contains("one-time password") == true)
        // The same one again, in another browser.
        let again = world.userAgent(oneTimePassword: app)
        let used = await failure { () throws(SignInError) in
            _ = try await world.client { $0.userAgent = again }.signIn()
        }
        #expect(used?.description.contains("did not accept the one-time password") == true)
        world.clock.advance(by: .seconds(30))
        _ = try await world.client { $0.userAgent = world.userAgent(oneTimePassword: app) }.signIn()
    }

    @Test("A user agent finds its way through the pages in every language", arguments: PageLanguage.allCases)
    func languages(language: PageLanguage) async throws {
        let app = try OneTimePassword(secret: Secret("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"))
        let world = try TestWorld {
            $0.languages = PageLanguage.allCases
            $0.accounts = .several
            $0.clients[0].requiresConsent = true
            $0.users[0].oneTimePassword = app
            $0.users.append($0.users[0])
            $0.users[1].name = "bob"
            $0.users[1].subject = "bob-subject"
        }
        let person = world.userAgent(oneTimePassword: app)
        var request = AuthorizationRequest(scopes: [.openID])
        request.uiLocales = [language.rawValue]
        _ = try await world.client { $0.userAgent = person }.signIn(request)
        request.prompt = [.selectAccount]
        let again = try await world.client { $0.userAgent = person }.signIn(request)
        #expect(again.identity?.subject == "alice-subject")
    }

    @Test("A fault that a sign-in accepts, or rejects with another error, breaks the promise")
    func brokenPromise() async throws {
        let fault = try #require(SignInFault.idToken.first { $0.scenario.name == Scenario.invalidNonce.name })
        let accepted = await #expect(throws: BrokenPromise.self) { try await fault.check {} }
        #expect(accepted?.found == "the sign-in succeeded")
        await #expect(throws: BrokenPromise.self) {
            try await fault.check { throw SignInError(.identity, .mismatch(.audience)) }
        }
        try await fault.check { throw SignInError(.identity, .mismatch(.nonce)) }
        // A vendor's own error type is a rejection as well.
        try await fault.check { throw CancellationError() }
    }

    @Test("The lists of faults name each scenario once")
    func names() {
        #expect(Set(SignInFault.all.map(\.description)).count == SignInFault.all.count)
    }
}
