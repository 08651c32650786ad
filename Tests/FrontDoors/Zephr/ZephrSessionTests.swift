import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import OstiaryZephr
import Testing

@Suite("Zephr: a session", .timeLimit(.minutes(5)))
struct ZephrSessionTests {
    @Test(
        "A session is restored after a restart, and its stored value holds the site and the id alone",
        .covers(.zephr, rows: 53, cites: "Z-5")
    )
    func restored() async throws {
        let world = try ZephrWorld()
        let session = try #require(try await world.zephr().signIn(with: .google).session)
        let stored = try #require(try await world.stored())
        #expect(stored == ["version": 1, "site": "https://news.example.com", "session": .string(session.id.reveal())])
        let sent = world.script.requests.count
        let restored = try #require(try await world.zephr().restoreSession())
        #expect(restored.id == session.id)
        #expect(world.script.requests.count == sent)
        #expect(try await restored.account().emailAddress == "ada@reader.example")
    }

    @Test(
        "Two accounts keep separate sessions, and a session of another site is not restored",
        .covers(.zephr, rows: 53)
    )
    func accounts() async throws {
        let world = try ZephrWorld()
        _ = try await world.zephr(account: "one").signIn(with: .google)
        #expect(try await world.zephr(account: "two").restoreSession() == nil)
        #expect(try await world.zephr(account: "one").restoreSession() != nil)
        let bytes = try #require(try await world.store.read(StoreKey("zephr/https%3A%2F%2Fnews.example.com/one")))
        try await world.store.write(bytes, for: StoreKey("zephr/https%3A%2F%2Fother.example/"))
        let configuration = try ZephrConfiguration(
            site: try ZephrSite("https://other.example"),
            redirectURI: ZephrWorld.link
        )
        let other = Zephr(configuration, transport: world.script, store: world.store)
        #expect(
            await thrownError { () throws(ZephrError) in try await other.restoreSession() }
                == ZephrError(.storage(.corrupted))
        )
    }

    @Test(
        "A corrupted session record fails as corrupted, and is left in place",
        .covers(.zephr, rows: 53),
        arguments: [
            "", "{}", #"{"version":2,"site":"https://news.example.com","session":"a"}"#,
            #"{"version":1,"site":"https://news.example.com","session":"a\r\nb"}"#,
        ]
    )
    func broken(_ text: String) async throws {
        let world = try ZephrWorld()
        let key = StoreKey("zephr/https%3A%2F%2Fnews.example.com/")
        try await world.store.write(Array(text.utf8), for: key)
        let zephr = try world.zephr()
        #expect(
            await thrownError { () throws(ZephrError) in try await zephr.restoreSession() }
                == ZephrError(.storage(.corrupted))
        )
        #expect(try await world.store.read(key) == Array(text.utf8))
    }

    @Test("A session that cannot be stored is ended at the site", .covers(.zephr, rows: 53))
    func cannotBeKept() async throws {
        let world = try ZephrWorld()
        world.store.failAlways(.write, with: .locked)
        let zephr = try world.zephr()
        #expect(
            await thrownError { () throws(ZephrError) in try await zephr.signIn(with: .google) }
                == ZephrError(.storage(.locked))
        )
        #expect(world.dialect.sessionCount == 0)
    }

    @Test(
        "The session id is sent to the site's origin alone, in the cookie field, and in no URL",
        .covers(.zephr, rows: 41, 53, 61, cites: "Z-1", "Z-5")
    )
    func containment() async throws {
        let world = try ZephrWorld()
        let heard = Recorded<String>()
        let zephr = try world.zephr(events: { heard.add("\($0)") })
        let session = try #require(try await zephr.signIn(with: .google).session)
        let id = session.id.reveal()
        _ = try await session.account()
        _ = try await session.profile()
        try await session.updateProfile(["x": 1])
        try await session.updateProfile(["y": 1], of: "app")
        _ = try await session.entitlements(["premium"])
        _ = try await session.decisions(about: ["premium"])
        _ = try await session.decision(about: ZephrAccessRequest(path: "/premium/a"))
        try await session.signOut()
        for request in world.script.requests {
            #expect(request.url.absoluteString.hasPrefix(ZephrWorld.base + "/"))
            #expect(!request.url.absoluteString.contains(id))
        }
        let carrying = world.script.requests.filter { $0.fields[.cookie] == "blaize_session=\(id)" }
        #expect(carrying.count == world.script.requests.count - 1, "All but the start of the sign-in.")
        #expect(!heard.values.isEmpty)
        var dumped = ""
        dump(session, to: &dumped)
        dump(zephr, to: &dumped)
        for text in heard.values + [dumped, "\(session)", String(reflecting: session), "\(session.id)"] {
            #expect(!text.contains(id))
        }
    }

    @Test("A redirected call does not send the session id on", .covers(.zephr, rows: 38))
    func redirectedCall() async throws {
        let world = try ZephrWorld()
        let session = try await world.session()
        world.script.answer("/blaize/account", 307, fields: [.location: "https://evil.example/account"])
        #expect(
            await thrownError { () throws(ZephrError) in try await session.account() }
                == ZephrError(.transport(.redirectRefused))
        )
        #expect(!session.hasEnded)
    }

    @Test("A session that the site ended is removed, and no further request is sent", .covers(.zephr, rows: 38, 53))
    func expired() async throws {
        let world = try ZephrWorld()
        let session = try await world.session()
        world.dialect.endSessions()
        let expired = ZephrError(.sessionExpired)
        #expect(await thrownError { () throws(ZephrError) in try await session.profile() } == expired)
        #expect(session.hasEnded)
        #expect(try await world.stored() == nil)
        let sent = world.script.requests.count
        #expect(await thrownError { () throws(ZephrError) in try await session.profile() } == expired)
        #expect(world.script.requests.count == sent)
    }

    @Test("A web page with status 401 keeps the session", .covers(.zephr, rows: 38))
    func pageWith401() async throws {
        let world = try ZephrWorld()
        let session = try await world.session()
        world.script.answer("/blaize/account", 401, "<html><title>Wi-Fi</title>", mediaType: "text/html")
        #expect(
            await thrownError { () throws(ZephrError) in try await session.account() }
                == ZephrError(.server(status: 401))
        )
        #expect(!session.hasEnded)
        #expect(try await world.stored() != nil)
    }

    @Test(
        "A temporary error keeps the Zephr session",
        .covers(.zephr, rows: 38),
        arguments: [429, 500, 503]
    )
    func failures(_ status: Int) async throws {
        let world = try ZephrWorld()
        let session = try await world.session()
        world.script.answer("/blaize/account", status, "{}")
        let error = await thrownError { () throws(ZephrError) in try await session.account() }
        #expect(error == ZephrError(status == 429 ? .rateLimited : .server(status: status)))
        #expect(error?.recovery == .retry)
        #expect(!session.hasEnded)
        #expect(try await world.stored() != nil)
    }

    @Test("A sign-out removes the session and ends it at the site, once", .covers(.zephr, rows: 41))
    func signOut() async throws {
        let world = try ZephrWorld()
        let session = try await world.session()
        #expect(try await session.signOut().failure == nil)
        #expect(world.dialect.sessionCount == 0)
        #expect(try await world.stored() == nil)
        #expect(session.hasEnded)
        #expect(try await world.zephr().restoreSession() == nil)
        #expect(try await session.signOut().failure == nil)
        #expect(world.script.requests(to: "/blaize/logout").count == 1)
    }

    @Test(
        "A sign-out at a failing site removes the session and reports the failure",
        .covers(.zephr, rows: 41)
    )
    func signOutFails() async throws {
        let world = try ZephrWorld()
        let session = try await world.session()
        world.script.lose("/blaize/logout", .timedOut)
        #expect(try await session.signOut().failure == ZephrError(.transport(.timedOut)))
        #expect(session.hasEnded)
        #expect(try await world.stored() == nil)
    }

    @Test(
        "A store that cannot remove the session fails the sign-out, and the session is kept",
        .covers(.zephr, rows: 41, 53)
    )
    func signOutLocked() async throws {
        let world = try ZephrWorld()
        let session = try await world.session()
        world.store.failAlways(.remove, with: .locked)
        #expect(
            await thrownError { () throws(ZephrError) in try await session.signOut() }
                == ZephrError(.storage(.locked))
        )
        #expect(!session.hasEnded)
        #expect(world.dialect.sessionCount == 1)
    }

    @Test("A sign-out of an older session keeps the newer one", .covers(.zephr, rows: 41))
    func olderSession() async throws {
        let world = try ZephrWorld()
        let older = try await world.session()
        let newer = try await world.session()
        try await older.signOut()
        #expect(try await world.zephr().restoreSession()?.id == newer.id)
    }

    @Test(
        "The sign-out request names the place that the app chooses",
        .covers(.zephr, rows: 41),
        arguments: [
            (nil, nil), (ZephrSession.SignOutPlace.justHere, "JUST_HERE"), (.thisDevice, "THIS_DEVICE"),
            (.otherDevices, "OTHER_DEVICES"), (.everywhere, "EVERYWHERE"),
        ]
    )
    func signOutPlace(_ place: ZephrSession.SignOutPlace?, _ value: String?) async throws {
        let world = try ZephrWorld()
        #expect(try await world.session().signOut(from: place).failure == nil)
        let request = try #require(world.script.requests(to: "/blaize/logout").first)
        let json = try request.body.map { try JSONObject(parsing: $0) }
        #expect(json?["where"]?.string == value)
    }

    @Test("Deleting the reader's account removes the session, and a failure keeps it", .covers(.zephr, rows: 42))
    func deleteUser() async throws {
        let world = try ZephrWorld()
        let session = try await world.session()
        world.script.answer("/blaize/forget-me", 500, "{}")
        #expect(
            await thrownError { () throws(ZephrError) in try await session.deleteUser() }
                == ZephrError(.server(status: 500))
        )
        #expect(!session.hasEnded)
        #expect(try await world.stored() != nil)
        world.script.restore("/blaize/forget-me")
        try await session.deleteUser()
        #expect(session.hasEnded)
        #expect(try await world.stored() == nil)
        let accounts = try world.zephr().passwordAccounts
        #expect(
            await thrownError { () throws(ZephrError) in
                try await accounts.signIn(emailAddress: "ada@reader.example", password: Secret(ZephrWorld.password))
            } == ZephrError(.userNotFound)
        )
    }

    @Test("An anonymous session has no account and can be restored", .covers(.zephr, rows: 44))
    func anonymous() async throws {
        let world = try ZephrWorld()
        let session = try await world.zephr().startAnonymousSession()
        #expect(try await world.zephr().restoreSession()?.id == session.id)
        #expect(session.expiry == world.clock.now.addingTimeInterval(30 * 86_400))
        #expect(
            await thrownError { () throws(ZephrError) in try await session.account() } == ZephrError(.sessionExpired)
        )
    }

    @Test("A profile is read, merged and replaced", .covers(.zephr, rows: 38, 52))
    func profile() async throws {
        let session = try await ZephrWorld().session()
        #expect(try await session.profile() == ["first_name": "Ada", "newsletter": true])
        try await session.updateProfile(["newsletter": false, "topics": ["maths"]])
        #expect(try await session.profile() == ["first_name": "Ada", "newsletter": false, "topics": ["maths"]])
        try await session.updateProfile(["first_name": "Countess"], by: .replacing)
        #expect(try await session.profile() == ["first_name": "Countess"])
    }

    @Test("An application has its own profile", .covers(.zephr, rows: 52))
    func extendedProfile() async throws {
        let session = try await ZephrWorld().session()
        #expect(
            await thrownError { () throws(ZephrError) in try await session.profile(of: "reader-app") }
                == ZephrError(.notFound)
        )
        try await session.updateProfile(["size": 2], of: "reader-app")
        try await session.updateProfile(["night": true], of: "reader-app")
        #expect(try await session.profile(of: "reader-app") == ["size": 2, "night": true])
        try await session.updateProfile(["size": 3], of: "reader-app", by: .replacing)
        #expect(try await session.profile(of: "reader-app") == ["size": 3])
    }

    @Test(
        "An application's id with a path, a reserved name or other characters is refused",
        .covers(.zephr, rows: 52, cites: "Z-8"),
        arguments: ["", "../account", "a/b", "a?b", "_restricted", "_restricted_x", "a b"]
    )
    func appIDs(_ id: String) async throws {
        let world = try ZephrWorld()
        let session = try await world.session()
        let sent = world.script.requests.count
        let error = await thrownError { () throws(ZephrError) in try await session.profile(of: id) }
        let sentence = "An app id is letters, digits, hyphens and underscores, and not _restricted."
        #expect(error == ZephrError(.configuration(sentence)))
        #expect(world.script.requests.count == sent)
    }

    @Test("Every requested entitlement gets a result, and a missing one is denied", .covers(.zephr, rows: 51))
    func entitlements() async throws {
        let world = try ZephrWorld()
        let session = try await world.session()
        #expect(
            try await session.entitlements(["premium", "free", "archive"])
                == ["premium": true, "free": true, "archive": false]
        )
        world.script.answer("/blaize/authorization/challenge", 200, #"{"premium":"true","free":1,"other":true}"#)
        #expect(try await session.entitlements(["premium", "free"]) == ["premium": false, "free": false])
    }

    @Test("The site decides on features and pages", .covers(.zephr, rows: 51, cites: "Z-10"))
    func decisions() async throws {
        let world = try ZephrWorld()
        let session = try await world.session()
        #expect(
            try await session.decisions(about: ["premium", "archive"])
                == ["premium": ["allowed": true], "archive": ["allowed": false]]
        )
        let allowed = try await session.decision(
            about: ZephrAccessRequest(path: "/premium/a", headers: ["User-Agent": "app"], content: ["type": "story"])
        )
        #expect(allowed.isAllowed && allowed.status == 200 && allowed.headers == ["X-Decision": "allow"])
        let json = try JSONObject(
            parsing: try #require(world.script.requests(to: "/zephr/decision-engine").first?.body)
        )
        #expect(json["requestHeaders"] == ["User-Agent": "app"])
        #expect(json["contentMetadata"] == ["type": "story"])
        #expect(json["httpMethod"] == "GET")
        let nobody = try await world.zephr(account: "nobody").startAnonymousSession()
        let denied = try await nobody.decision(about: ZephrAccessRequest(path: "/premium/a", jwt: Secret("t")))
        #expect(!denied.isAllowed && denied.status == 402 && denied.body == "Subscribe to read on.")
    }

    @Test(
        "A session id that the app stored is continued once the site confirms it",
        .covers(.zephr, rows: 53)
    )
    func adopted() async throws {
        let world = try ZephrWorld()
        let id = try await world.session().id
        try await world.store.remove(StoreKey("zephr/https%3A%2F%2Fnews.example.com/"))
        let zephr = try world.zephr()
        await #expect(throws: ZephrError(.sessionNotConfirmed)) { try await zephr.adopt(sessionID: Secret("unknown")) }
        #expect(try await zephr.restoreSession() == nil)
        let session = try await zephr.adopt(sessionID: id, expecting: "ada@reader.example")
        #expect(session.id == id)
        #expect(try await zephr.restoreSession()?.id == id)
        #expect(try await zephr.adopt(sessionID: Secret("another")).id == id)
        let other = try world.zephr(account: "other")
        await #expect(throws: ZephrError(.otherAccount)) {
            try await other.adopt(sessionID: id, expecting: "ida@reader.example")
        }
        await #expect(throws: ZephrError.self) { try await other.adopt(sessionID: Secret("a b")) }
    }
}

@Suite("Zephr: the cookie that a session comes in", .timeLimit(.minutes(5)))
struct ZephrCookieTests {
    /// The session that an answer with this cookie gives.
    private func session(cookie: String?, fields: HTTPFields = [:], status: Int = 200) async throws -> ZephrSession {
        let world = try ZephrWorld()
        var body: JSONObject = ["message": "ok", "tracking_id": "t"]
        body["cookie"] = cookie.map { .string($0) }
        let text = String(decoding: body.encoded(), as: UTF8.self)
        world.script.answer("/blaize/login", status, text, fields: fields)
        return try await world.session()
    }

    @Test(
        "The session id is read from a cookie with any attributes",
        .covers(.zephr, rows: 50),
        arguments: [
            ("blaize_session=abc-1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/;", 1_792_567_680.0),
            ("blaize_session=abc-1;Expires=Wednesday, 21-Oct-26 07:28:00 GMT", 1_792_567_680),
            ("blaize_session=abc-1; expires=Wed Oct 21 07:28:00 2026", 1_792_567_680),
            (
                "  blaize_session = abc-1 ; HttpOnly; Secure; SameSite=Lax; EXPIRES=Wed, 21-oct-2026 7:28:0 GMT",
                1_792_567_680
            ),
            ("blaize_session=abc-1; Max-Age=60; Expires=Wed, 21 Oct 2026 07:28:00 GMT", 1_800_000_060),
            ("blaize_session=abc-1", nil), ("blaize_session=abc-1; Expires=soon", nil),
            ("blaize_session=abc-1; Expires=Wed, 21 Oct 2026 99:28:00 GMT", nil), ("blaize_session=abc-1;;;", nil),
            ("blaize_session=abc-1; Expires=", nil),
        ] as [(String, Double?)]
    )
    func cut(_ cookie: String, _ expiry: Double?) async throws {
        let session = try await session(cookie: cookie)
        #expect(session.id.reveal() == "abc-1")
        #expect(session.expiry == expiry.map { Date(timeIntervalSince1970: $0) })
    }

    @Test("A session id may contain an equals sign", .covers(.zephr, rows: 50))
    func equalsSign() async throws {
        #expect(try await session(cookie: "blaize_session=YWI=; Path=/").id.reveal() == "YWI=")
    }

    @Test(
        "A cookie without a valid session id is malformed",
        .covers(.zephr, rows: 50),
        arguments: [
            "", "blaize_session", "blaize_session=", "other=abc", "blaize_session=a b", "blaize_session=\"abc\"",
            "blaize_session=a,b", "blaize_session=é", "xblaize_session=abc",
            "blaize_session=" + String(repeating: "a", count: 4097),
        ]
    )
    func refused(_ cookie: String) async {
        await #expect(throws: ZephrError(.malformed("there is no session in it"))) {
            try await session(cookie: cookie)
        }
    }

    @Test(
        "Without the cookie member the Set-Cookie field is read, even when two are joined",
        .covers(.zephr, rows: 44, 50)
    )
    func setCookie() async throws {
        let tracking = "blaize_tracking_id=t; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/"
        let own = "blaize_session=abc; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/"
        var two: HTTPFields = [:]
        two.append(HTTPField(name: .setCookie, value: tracking))
        two.append(HTTPField(name: .setCookie, value: own))
        for fields in [two, [.setCookie: "\(tracking), \(own)"], [.setCookie: "\(own),\(tracking)"]] {
            let session = try await session(cookie: nil, fields: fields)
            #expect(session.id.reveal() == "abc")
            #expect(session.expiry == Date(timeIntervalSince1970: 1_792_567_680))
        }
    }
}
