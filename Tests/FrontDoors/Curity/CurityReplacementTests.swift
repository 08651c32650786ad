import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryCurity
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("Curity: a client that the server does not know any more")
struct CurityReplacementTests {
    /// Signs a user in, and then has the server forget the client.
    private func lost(_ world: CurityWorld) async throws -> ClientRegistration {
        _ = try await world.start().signIn()
        let registration = try #require(try await world.start().registration())
        try await world.loseClient(registration)
        return registration
    }

    @Test(
        "A refresh whose client the server deleted registers one new client and requires a new sign-in",
        .covers(.curity, rows: 32, 36)
    )
    func refresh() async throws {
        let world = try CurityWorld()
        let old = try await lost(world)
        let curity = try world.start()
        let session = try #require(try await curity.restoreSession())
        let error = await thrownError { () throws(SignInError) in try await session.refresh() }
        #expect(error == SignInError(.refresh, .signInRequired))
        #expect(session.hasEnded && world.registrations.count == 2)
        let new = try #require(try await curity.registration())
        #expect(new.clientID != old.clientID)
        #expect(try await world.start().restoreSession() == nil)
        let key = StoreKey.session(issuer: try Issuer(CurityWorld.issuer), clientID: old.clientID)
        #expect(try await world.store.read(key) == nil, "Nothing is left of the old client's session.")
        #expect(try await curity.signIn().identity?.audience == [new.clientID])
        #expect(world.registrations.count == 2)
    }

    @Test(
        "Concurrent callers with a deleted client register one new client together",
        .covers(.curity, rows: 33, 36)
    )
    func together() async throws {
        let world = try CurityWorld()
        _ = try await lost(world)
        let session = try #require(try await world.start().restoreSession())
        let errors = await withTaskGroup(of: SignInError?.self) { group in
            for _ in 0..<50 {
                group.addTask { await thrownError { () throws(SignInError) in try await session.refresh() } }
            }
            return await group.reduce(into: Set<SignInError?>()) { $0.insert($1) }
        }
        #expect(errors == [SignInError(.refresh, .signInRequired)])
        #expect(world.registrations.count == 2)
    }

    @Test(
        "A code that a deleted client cannot redeem registers one new client and signs in once more",
        .covers(.curity, rows: 36)
    )
    func redemption() async throws {
        let world = try CurityWorld()
        let old = try await world.start().register()
        let forgetting = ScriptedUserAgent { (url, redirectURI) async throws(SignInError) in
            let redirect = try await world.browser.attempt(awaiting: redirectURI).open(url, accepting: .any)
            if world.registrations.count == 1 { try? await world.loseClient(old) }
            return redirect
        }
        let session = try await world.start(userAgent: forgetting).signIn()
        #expect(session.identity?.audience != [old.clientID])
        #expect(world.registrations.count == 2)
        #expect(world.network.count(path: "/authn/authentication/login") == 1, "The browser remembered the person.")
    }

    @Test(
        "An authorization request rejected with invalid_client registers one new client",
        .covers(.curity, rows: 36)
    )
    func authorization() async throws {
        let world = try CurityWorld()
        let old = try await world.start().register()
        let refusing = ScriptedUserAgent { (url, redirectURI) async throws(SignInError) in
            let query = FormURLEncoding.decode(url.query(percentEncoded: true) ?? "")
            if query?[.clientID] == old.clientID, let state = query?[.state] {
                return URL(string: "\(redirectURI)?error=invalid_client&state=\(state)")!
            }
            return try await world.browser.attempt(awaiting: redirectURI).open(url, accepting: .any)
        }
        let session = try await world.start(userAgent: refusing).signIn()
        #expect(session.identity?.audience != [old.clientID] && world.registrations.count == 2)
    }

    @Test(
        "A server that rejects every client gets one new registration and no more",
        .covers(.curity, rows: 36)
    )
    func exactlyOne() async throws {
        let world = try CurityWorld()
        let refusing = CurityInterception(next: world.network) { request in
            guard request.form[.grantType] != nil else { return nil }
            return CurityInterception.json(["error": "invalid_client"], status: .unauthorized)
        }
        let curity = try world.start(transport: refusing)
        let refused = SignInError(.token, .refused(OAuthError(code: .invalidClient)))
        for _ in 0..<3 {
            let error = await thrownError { () throws(SignInError) in try await curity.signIn() }
            #expect(error == refused)
        }
        #expect(world.registrations.count == 2)
    }

    @Test("A replacement policy decides whether a rejected client is registered anew", .covers(.curity, rows: 36))
    func policy() async throws {
        let world = try CurityWorld()
        let old = try await lost(world)
        let asked = Lock<[ClientRegistration]>([])
        let never = try world.start(
            replacement: CurityReplacement { registration in
                asked.withLock { $0.append(registration) }
                return .fail
            }
        )
        let session = try #require(try await never.restoreSession())
        let error = await thrownError { () throws(SignInError) in try await session.refresh() }
        #expect(error?.stage == .refresh)
        guard case .refused(let refusal) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.code == .invalidClient)
        #expect(asked.withLock { $0 } == [old] && world.registrations.count == 1)
        #expect(try await world.start(replacement: .never).restoreSession() != nil, "Everything is still there.")
    }

    @Test("A new registration that fails keeps the old registration and its session", .covers(.curity, rows: 36))
    func offline() async throws {
        let world = try CurityWorld()
        let old = try await lost(world)
        world.network.lose(to: CurityWorld.registrationPath, .beforeProcessing, with: .unreachable)
        let curity = try world.start()
        let session = try #require(try await curity.restoreSession())
        let error = await thrownError { () throws(SignInError) in try await session.refresh() }
        #expect(error == SignInError(.registration, .transport(.unreachable)))
        #expect(!session.hasEnded)
        #expect(try await curity.registration() == old)
        #expect(try await world.start().restoreSession() != nil)
    }

    @Test("A registration that needs the user is made by the next sign-in", .covers(.curity, rows: 36))
    func withPerson() async throws {
        let world = try CurityWorld(dialect: CurityDialect(nonTemplatized: .withInitialAccessToken))
        let access = CurityRegistration.describingItself(access: .signIn(clientID: "mobile-dcr-client"))
        let curity = try world.start(access)
        let session = try await curity.signIn()
        let old = try #require(try await curity.registration())
        try await world.loseClient(old)
        let error = await thrownError { () throws(SignInError) in try await session.refresh() }
        #expect(error == SignInError(.refresh, .signInRequired))
        #expect(world.registrations.count == 1, "No page opens by itself.")
        #expect(try await curity.signIn().identity?.audience != [old.clientID])
        #expect(world.registrations.count == 2)
    }

    @Test("A registration that is removed during a sign-in is made anew", .covers(.curity, rows: 36))
    func forgottenMeanwhile() async throws {
        let world = try CurityWorld()
        let other = try world.start()
        try await other.register()
        let forgetting = ScriptedUserAgent { (url, redirectURI) async throws(SignInError) in
            let redirect = try await world.browser.attempt(awaiting: redirectURI).open(url, accepting: .any)
            if world.registrations.count == 1 { try await other.forgetDevice() }
            return redirect
        }
        #expect(try await world.start(userAgent: forgetting).signIn().identity != nil)
        #expect(world.registrations.count == 2)
    }

    @Test(
        "Two sessions with a deleted client request one initial access token",
        .covers(.curity, rows: 36)
    )
    func twoSessions() async throws {
        let world = try CurityWorld()
        _ = try await lost(world)
        let refreshes = CurityGate(next: world.network) { $0.form[.grantType] == "refresh_token" }
        let asked = Lock(0)
        let (arrived, arrival) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        let access = CurityInitialAccess.token { () async throws(SignInError) in
            asked.withLock { $0 += 1 }
            arrival.yield()
            for await _ in released {}
            return Secret("not needed")
        }
        let curity = try world.start(.describingItself(access: access), transport: refreshes)
        let sessions = [
            try #require(try await curity.restoreSession()), try #require(try await curity.restoreSession()),
        ]
        async let first = thrownError { () throws(SignInError) in try await sessions[0].refresh() }
        async let second = thrownError { () throws(SignInError) in try await sessions[1].refresh() }
        // One request for both: they are one session.
        await refreshes.arrival()
        refreshes.open()
        for await _ in arrived { break }
        // Time for the other one to ask, too, if it would.
        for _ in 0..<100 { await Task.yield() }
        release.finish()
        #expect(await [first, second] == Array(repeating: SignInError(.refresh, .signInRequired), count: 2))
        #expect(asked.withLock { $0 } == 1 && world.registrations.count == 2)
    }

    @Test(
        "Credentials that another process renewed or replaced are used without a registration",
        .covers(.curity, rows: 37, 53)
    )
    func otherProcess() async throws {
        let world = try CurityWorld()
        let app = try world.start()
        let session = try await app.signIn()
        let widget = try world.start()
        try await widget.renewRegistration()
        try await session.refresh()
        #expect(world.registrations.count == 1)
        let old = try #require(try await widget.registration())
        try await world.loseClient(old)
        _ = await thrownError { () throws(SignInError) in try await widget.restoreSession()?.refresh() }
        let error = await thrownError { () throws(SignInError) in try await session.refresh() }
        #expect(error == SignInError(.refresh, .signInRequired))
        #expect(world.registrations.count == 2)
    }
}
