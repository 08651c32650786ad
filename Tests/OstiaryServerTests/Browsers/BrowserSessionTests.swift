import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("The session of a browser")
struct BrowserSessionTests {
    private static let own: HTTPFields = [.origin: "https://app.example.com"]

    // MARK: Cross-site requests

    @Test(
        "A request that a page of another origin causes is rejected, whatever cookies it carries",
        arguments: [
            [.origin: "https://evil.example"], [.origin: "null"], [.origin: ""],
            [.origin: "https://app.example.com.evil.example"], [.origin: "http://app.example.com"],
            [.origin: "https://app.example.com:8443"], [.origin: "https://APP.example.com"],
            [.origin: "https://app.example.com/"], [.fetchSite: "cross-site"], [.fetchSite: "same-site"],
            [.fetchSite: "anything"],
            HTTPFields([
                HTTPField(name: .origin, value: "https://app.example.com"),
                HTTPField(name: .origin, value: "https://evil.example"),
            ]),
        ] as [HTTPFields]
    )
    func foreignPage(fields: HTTPFields) async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        #expect(await browser.send(world.web.session, .get, "/", fields).status == .forbidden)
        #expect(await browser.send(world.web.list, .get, "/", fields).status == .forbidden)
        #expect(await browser.send(world.web.list, .delete, "/", fields).status == .forbidden)
        let answer = await browser.send(world.web.logout, .post, "/", fields)
        #expect(answer.status == .forbidden && answer.reason?.name == "browser_origin")
        #expect(answer.fields[.accessControlAllowOrigin] == nil && answer.fields[.setCookie] == nil)
        #expect(await browser.send(world.web.session, .get, "/", Self.own).status == .ok)
    }

    @Test("A request that changes state needs an own page as its origin, and any other is rejected")
    func unsafe() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        #expect(await browser.send(world.web.logout, .post).status == .forbidden)
        #expect(await browser.send(world.web.logout, .post, "/", [.fetchSite: "none"]).status == .forbidden)
        #expect(await browser.send(world.web.session, .get, "/", [.fetchSite: "none"]).status == .ok)
        #expect(await browser.send(world.web.session).status == .ok)
        #expect(await browser.send(world.web.logout, .post, "/", [.fetchSite: "same-origin"]).status == .ok)
    }

    @Test("A link from another site has the session, and other cross-site requests are rejected")
    func visited() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        #expect(await browser.send(world.web.session, .get, "/", .link).status == .ok)
        #expect(await browser.send(world.web.list, .delete, "/", .link).status == .forbidden)
        #expect(await browser.send(world.web.logout, .post, "/", .link).status == .forbidden)
        var framed = HTTPFields.link
        framed[.fetchDestination] = "iframe"
        #expect(await browser.send(world.web.session, .get, "/", framed).status == .forbidden)
    }

    @Test(
        "A form of an own page is accepted with Origin null when Sec-Fetch-Site is same-origin"
    )
    func nullOrigin() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        let null: HTTPFields = [.origin: "null", .fetchSite: "cross-site"]
        #expect(await browser.send(world.web.logout, .post, "/", null).status == .forbidden)
        let own: HTTPFields = [.origin: "null", .fetchSite: "same-origin"]
        #expect(await browser.send(world.web.logout, .post, "/", own).status == .ok)
    }

    // MARK: Cookies

    @Test("An app session's handle is rejected as a browser session's cookie")
    func appHandle() async throws {
        let world = try BrowserWorld()
        let app = try BackendSignIn(sessions: world.sessions, scopes: [.openID], store: world.store)
        func ask(_ endpoint: some ServerEndpoint, _ path: String, _ body: JSONObject? = nil) async -> JSONObject {
            var fields: HTTPFields = [.dpop: Proofs.proof(nil, path: path, method: "POST")]
            if body != nil { fields[.contentType] = "application/json" }
            return await endpoint.respond(
                to: ServerRequest(method: .post, target: path, fields: fields, body: body?.encoded() ?? [])
            ).object
        }
        let page = await ask(app.start, "/auth/start")["start_url"]?.string.flatMap { URL(string: $0) }
        let browser = TestBrowser(world)
        let redirect = try await browser.visit(try #require(page))
        let answer = try #require(FormURLEncoding.decode(String(redirect.drop { $0 != "?" }.dropFirst())))
        var body = JSONObject()
        for pair in answer.pairs { body[pair.name.rawValue] = .string(pair.value) }
        let handle = try #require(await ask(app.finish, "/auth/finish", body)["session"]?.string)
        browser.plant("__Host-ostiary", handle)
        let seen = await browser.send(world.web.session)
        #expect(seen.status == .unauthorized && seen.reason?.name == "session_ended")
    }

    @Test(
        "A cookie of another name is no session",
        arguments: [
            "ostiary=HANDLE", "__Host-ostiary-2=HANDLE", "__host-ostiary=HANDLE", "__Host-ostiary=HANDLEA",
            "__Host-ostiary=", "__Host-ostiary=HANDLE; __Host-ostiary=HANDLE", "__Host-ostiary=\"HANDLE\"",
            "__Host-ostiary=HANDLE; __Host-ostiary=x", "x; =__Host-ostiary=HANDLE", "__Host-ostiary = HANDLE",
            "__Secure-ostiary=HANDLE",
        ]
    )
    func otherCookies(text: String) async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        let cookie = text.replacing("HANDLE", with: try #require(browser.session))
        let answer = await browser.send(world.web.session, .get, "/", [.cookie: cookie])
        #expect(answer.status == .unauthorized && answer.reason?.name == "browser_no_session")
        #expect(answer.object == ["error": "sign_in_required"])
    }

    @Test("A session cookie is found among other cookies, and in a second Cookie field")
    func amongOthers() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        let own = "__Host-ostiary=" + (try #require(browser.session))
        #expect(await browser.send(world.web.session, .get, "/", [.cookie: "a=b;\(own);c"]).status == .ok)
        let fields = HTTPFields([HTTPField(name: .cookie, value: "a=b"), HTTPField(name: .cookie, value: own)])
        #expect(await browser.send(world.web.session, .get, "/", fields).status == .ok)
    }

    @Test("A request with an ended session gets 401, and keeps the cookie that another window may have set")
    func ended() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        world.clock.advance(by: .seconds(604_801))
        let answer = await browser.send(world.web.session)
        #expect(answer.status == .unauthorized && answer.reason?.name == "session_ended")
        #expect(answer.fields[.setCookie] == nil && browser.session != nil)
        #expect(await browser.send(world.web.logout, .post, "/", Self.own).status == .unauthorized)
        #expect(browser.session == nil)
    }

    // MARK: CORS

    @Test("A page of a named origin reads the session and asks before it writes; the answer names that origin alone")
    func sharing() async throws {
        let world = try BrowserWorld(origins: ["https://spa.example.com"])
        let browser = TestBrowser(world)
        try await browser.signIn()
        let spa: HTTPFields = [.origin: "https://spa.example.com", .fetchSite: "same-site"]
        let answer = await browser.send(world.web.session, .get, "/", spa)
        #expect(answer.status == .ok && answer.fields[.accessControlAllowOrigin] == "https://spa.example.com")
        #expect(answer.fields[.accessControlAllowCredentials] == "true" && answer.fields[.vary] == "Origin")
        let preflight = await browser.send(world.web.list, .options, "/", spa)
        #expect(preflight.status == .noContent && preflight.fields[.accessControlAllowMethods] == "GET, DELETE")
        #expect(preflight.fields[.accessControlAllowOrigin] == "https://spa.example.com")
        let foreign = await browser.send(world.web.list, .options, "/", [.origin: "https://evil.example"])
        #expect(foreign.status == .forbidden && foreign.fields[.accessControlAllowOrigin] == nil)
        #expect(foreign.fields[.vary] == "Origin")
        let nobody = await browser.send(world.web.session, .get, "/", spa.withoutCookies)
        #expect(nobody.status == .unauthorized && nobody.fields[.accessControlAllowOrigin] != nil)
    }

    // MARK: Content of an API

    @Test(
        "A response of an API is kept by no shared cache",
        arguments: [
            (nil, "no-store"), ("public, max-age=60", "private, max-age=60"), ("PUBLIC", "private"),
            ("s-maxage=600 , max-age=1", "private, max-age=1"), ("no-store", "private, no-store"),
            ("private", "private"), ("max-age=60, no-cache=\"a, public\"", "no-store"), (" S-MaxAge = 5", "private"),
        ] as [(String?, String)]
    )
    func unshared(found: String?, expected: String) {
        var fields: HTTPFields = [.vary: "Accept"]
        fields[.cacheControl] = found
        let response = BrowserSignIn.contained(ServerResponse(status: .ok, fields: fields))
        #expect(response.fields[values: .cacheControl] == [expected])
        #expect(response.fields[values: .vary] == ["Accept", "Cookie"])
    }

    @Test("A page in an API response is sandboxed, whatever the API's own policy says")
    func contained() {
        let fields: HTTPFields = [.contentSecurityPolicy: "default-src *", .xContentTypeOptions: "sniff"]
        let response = BrowserSignIn.contained(ServerResponse(status: .ok, fields: fields))
        #expect(response.fields[values: .xContentTypeOptions] == ["nosniff"])
        let policies = response.fields[values: .contentSecurityPolicy]
        #expect(policies == ["default-src *", "sandbox; default-src 'none'"])
    }

    // MARK: Lists and ends

    @Test("A user sees the sessions of all browsers, ends one of them, and ends all of them")
    func list() async throws {
        let world = try BrowserWorld()
        let (first, second, bob) = (TestBrowser(world), TestBrowser(world), TestBrowser(world, name: "bob"))
        try await first.signIn()
        world.clock.advance(by: .seconds(10))
        try await second.signIn()
        try await bob.signIn()
        let sessions = await first.send(world.web.list).object["sessions"]?.array?.compactMap(\.object) ?? []
        #expect(sessions.map { $0["current"] } == [false, true])
        #expect(sessions.allSatisfy { $0["kind"] == "browser" })
        let name = try #require(sessions.first?["id"]?.string)
        // What another user names is not there.
        #expect(await bob.send(world.web.list, .delete, "/?id=\(name)", Self.own).status == .notFound)
        #expect(await first.send(world.web.list, .delete, "/?ids=\(name)", Self.own).status == .badRequest)
        #expect(await first.send(world.web.list, .delete, "/?id=\(name)&id=a", Self.own).status == .badRequest)
        #expect(await first.send(world.web.list, .delete, "/?id=\(name)", Self.own).status == .noContent)
        #expect(await second.send(world.web.session).status == .unauthorized)
        #expect(await first.send(world.web.session).status == .ok)
        try await second.signIn()
        #expect(await second.send(world.web.list, .delete, "/", Self.own).status == .noContent)
        #expect(second.session == nil)
        #expect(await first.send(world.web.session).status == .unauthorized)
        #expect(await bob.send(world.web.session).status == .ok)
        await world.sessions.settle()
        #expect(world.network.count("/revoke") == 3)
    }

    @Test("A user signs out here and at the issuer, whose page leads back to the app")
    func signOut() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        let cookies = browser.cookies
        let answer = await browser.send(world.web.logout, .post, "/", Self.own)
        #expect(answer.status == .ok && browser.session == nil && !answer.text.contains("id_token"))
        let place = try #require(answer.object["end_session_url"]?.string)
        #expect(place.hasPrefix("https://app.example.com/web/logout?"))
        let redirect = await browser.send(world.web.logout, .get, place.replacing("https://app.example.com", with: ""))
        #expect(redirect.status == .seeOther)
        let url = try #require(redirect.location.flatMap { URL(string: $0) })
        #expect(url.absoluteString.hasPrefix(BrowserWorld.issuer))
        let again = await browser.send(world.web.logout, .get, place.replacing("https://app.example.com", with: ""))
        #expect(again.status == .seeOther && again.location == "/")
        let query = try #require(FormURLEncoding.decode(url.query(percentEncoded: true) ?? ""))
        #expect(query[.postLogoutRedirectURI] == "https://app.example.com/bye" && query[.idTokenHint] != nil)
        for (name, value) in cookies { browser.plant(name, value) }
        #expect(await browser.send(world.web.session).status == .unauthorized)
        await world.sessions.settle()
        #expect(world.network.count("/revoke") == 1)
    }

    @Test("A form that signs out is redirected to the issuer's page")
    func signOutByForm() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        let fields: HTTPFields = [.origin: "https://app.example.com", .fetchMode: "navigate"]
        let answer = await browser.send(world.web.logout, .post, "/", fields)
        #expect(answer.status == .seeOther && answer.location?.hasPrefix(BrowserWorld.issuer) == true)
        #expect(browser.session == nil)
        let late = await browser.send(world.web.logout, .post, "/", fields)
        #expect(late.status == .seeOther && late.location == "/")
        let foreign = await browser.send(
            world.web.logout,
            .post,
            "/",
            [.origin: "https://evil.example", .fetchMode: "navigate"]
        )
        #expect(foreign.status == .forbidden)
    }

    @Test("A sign-out that meets a refresh revokes the refresh token that the refresh brought")
    func signOutAfterRefresh() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        let fields: HTTPFields = [.cookie: "__Host-ostiary=" + (try #require(browser.session))]
        let session = try await world.web.session(of: ServerRequest(fields: fields))
        world.clock.advance(by: .seconds(3600))
        _ = try await world.sessions.accessToken(of: session)
        try await world.sessions.end(session)
        #expect(await browser.send(world.web.session).status == .unauthorized)
        await world.sessions.settle()
        let newest = try #require(world.network.answers("/token").last?["refresh_token"]?.string)
        let revoked = world.network.bodies("/revoke").compactMap { FormURLEncoding.decode($0)?["token"] }
        #expect(revoked == [newest])
    }

    @Test("A session is ended by name even when the user has hundreds of newer ones of other clients")
    func endedByName() async throws {
        let world = try BrowserWorld()
        let (first, second) = (TestBrowser(world), TestBrowser(world))
        try await first.signIn()
        let name = try #require(
            await first.send(world.web.list).object["sessions"]?.array?.first?.object?["id"]?.string
        )
        try await second.signIn()
        for index in 0..<150 {
            let created = world.clock.now.addingTimeInterval(Double(index + 1))
            let other = ServerSessionRecord(
                id: StoreDigest("other", ["\(index)"]),
                issuer: BrowserWorld.issuer,
                subject: "alice-subject",
                sessionID: nil,
                keyThumbprint: nil,
                created: created,
                absoluteExpiry: created.addingTimeInterval(1000),
                idleExpiry: created.addingTimeInterval(1000),
                sealed: [1]
            )
            #expect(try await world.store.insert(other))
        }
        let foreign = Base64URL.encode(StoreDigest("other", ["0"]).bytes)
        #expect(await second.send(world.web.list, .delete, "/?id=\(foreign)", Self.own).status == .notFound)
        #expect(await second.send(world.web.list, .delete, "/?id=\(name)", Self.own).status == .noContent)
        #expect(await first.send(world.web.session).status == .unauthorized)
        #expect(await second.send(world.web.list).object["sessions"]?.array?.count == 1)
    }

    @Test("A user who signs out everywhere loses the sessions and tokens of every client of the service")
    func everywhere() async throws {
        let world = try BrowserWorld()
        let (browser, other) = (TestBrowser(world), TestBrowser(world, isAtOther: true))
        try await browser.signIn()
        try await other.signIn()
        #expect(await browser.send(world.web.list).object["sessions"]?.array?.count == 2)
        // The other web app's list has its own alone.
        #expect(await other.send(world.other.list).object["sessions"]?.array?.count == 1)
        #expect(await browser.send(world.web.list, .delete, "/", Self.own).status == .noContent)
        #expect(await other.send(world.other.session).status == .unauthorized)
        await world.sessions.settle()
        await world.otherSessions.settle()
        #expect(world.network.count("/revoke") == 2)
        let now = world.clock.now
        #expect(try await world.store.revocations(since: .distantPast, after: nil, limit: 10, now: now).count == 1)
    }

    @Test("A back-channel logout of the issuer ends the session of a browser, and revokes its refresh token")
    func backChannel() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        let shared = SharedRevocations(of: RevokedTokens(longestLifetime: .seconds(3600)), in: world.store)
        let key = try SigningKey.generate(.es256, keyID: "logout")
        let transport = ScriptedTransport()
        transport.answer("/logout-keys", ScriptedTransport.json(["keys": [.object(key.publicKey.jsonObject)]]))
        let keys = try KeySource(
            issuer: try Issuer(BrowserWorld.issuer),
            server: AuthorizationServer(
                issuer: try Issuer(BrowserWorld.issuer),
                jwksURI: URL(string: BrowserWorld.issuer + "/logout-keys")
            ),
            transport: transport,
            clock: world.clock.device
        )
        let logout = BackChannelLogout(
            verifier: LogoutTokenVerifier(keys: keys, clientID: "web", replays: world.store, clock: world.clock.device),
            sessions: world.store,
            revocations: shared,
            revokingTokensOf: [world.sessions]
        )
        let now = Int(world.clock.now.timeIntervalSince1970)
        let token = try key.sign(
            claims: [
                "iss": .string(BrowserWorld.issuer), "aud": "web", "sub": "alice-subject", "iat": .integer(now),
                "exp": .integer(now + 60), "jti": "1",
                "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
            ],
            type: "logout+jwt"
        )
        let answer = await logout.respond(
            to: ServerRequest(
                method: .post,
                fields: [.contentType: "application/x-www-form-urlencoded"],
                body: Array("logout_token=\(token)".utf8)
            )
        )
        #expect(answer.status == .ok)
        #expect(await browser.send(world.web.session).status == .unauthorized)
        await world.sessions.settle()
        #expect(world.network.count("/revoke") == 1)
    }

    @Test("The claims of a sign-in are kept after a refresh")
    func refreshed() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        let fields: HTTPFields = [.cookie: "__Host-ostiary=" + (try #require(browser.session))]
        let session = try await world.web.session(of: ServerRequest(fields: fields))
        world.clock.advance(by: .seconds(3600))
        _ = try await world.sessions.accessToken(of: session)
        #expect(world.network.count("/token") == 2)
        #expect(await browser.send(world.web.session).object["claims"]?.object?["email"] == "a@example.com")
    }
}

extension HTTPFields {
    /// The same fields with a cookie that says nothing, so that the browser adds none of its own.
    fileprivate var withoutCookies: HTTPFields {
        var fields = self
        fields[.cookie] = "a=b"
        return fields
    }

    @Test("The access token of a session that a request has presented is read once, and refreshed when it is due")
    func presented() async throws {
        let world = try BrowserWorld()
        let browser = TestBrowser(world)
        try await browser.signIn()
        let cookie = "__Host-ostiary=" + (try #require(browser.session))
        let session = try await world.web.session(of: ServerRequest(method: .get, fields: [.cookie: cookie]))
        let reads = world.store.sessionReads
        let token = try await world.sessions.accessToken(ofPresented: session)
        #expect(world.store.sessionReads == reads && world.network.count("/token") == 1)
        #expect(try await world.sessions.accessToken(of: session) == token)
        #expect(world.store.sessionReads == reads + 1)
        world.clock.advance(by: .seconds(86_400))
        let renewed = try await world.sessions.accessToken(ofPresented: session)
        #expect(renewed != token && world.network.count("/token") == 2)
        try await world.sessions.end(session)
        await #expect(throws: SignInError(.refresh, .signInRequired)) {
            try await world.sessions.accessToken(ofPresented: session)
        }
    }
}
