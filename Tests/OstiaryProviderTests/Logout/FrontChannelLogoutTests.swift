import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Front-channel logout")
struct FrontChannelLogoutTests {
    private static let bye = "https://app.example.com/bye"

    private func world(_ uri: String = "https://app.example.com:8443/out?a=b", isSessionRequired: Bool) throws -> World
    {
        let uri = try ClientURI(uri)
        return try World {
            $0.clients[0].frontChannelLogout = ClientLogout(uri, isSessionRequired: isSessionRequired)
        }
    }

    private func signOut(
        _ world: World,
        _ change: (inout Parameters) -> Void = { _ in }
    ) async throws -> (ProviderResponse, SignedOutPage, JSONObject) {
        let browser = world.browser()
        let token = try #require(try await world.tokens(in: browser).id)
        let claims = try await world.verifiedClaims(token)
        var parameters = Parameters([.idTokenHint: token])
        change(&parameters)
        let response = await browser.send(.get, "/end-session", parameters)
        guard case .signedOut(let page) = response.page else { throw Missing() }
        return (response, page, claims)
    }

    @Test("The page after signing out loads a client's logout page in a frame, and its policy allows that origin alone")
    func frames() async throws {
        let (response, page, _) = try await signOut(world(isSessionRequired: false))
        #expect(page.clientFrames == ["https://app.example.com:8443/out?a=b"])
        let policy = try #require(response.fields[.contentSecurityPolicy])
        #expect(policy.hasSuffix("frame-ancestors 'none'; frame-src https://app.example.com:8443"))
        #expect(policy.hasPrefix("default-src 'none';"))
        #expect(page.continuation == nil && response.fields[HTTPField.Name("Refresh")!] == nil)
        let html = PlainPageRenderer().html(for: .signedOut(page))
        #expect(html.contains("<iframe src=\"https://app.example.com:8443/out?a=b\" sandbox="))
    }

    @Test("A client that needs the session receives the issuer and the login's sid behind its own query")
    func session() async throws {
        let world = try world(isSessionRequired: true)
        let (_, page, claims) = try await signOut(world)
        let sid = try #require(claims["sid"]?.string)
        #expect(
            page.clientFrames == ["https://app.example.com:8443/out?a=b&iss=http%3A%2F%2F127.0.0.1%3A8080&sid=\(sid)"]
        )
    }

    @Test("The page goes on to the client by itself when the frames had three seconds to load, and has a link")
    func continuation() async throws {
        let (response, page, _) = try await signOut(world(isSessionRequired: false)) {
            $0[.postLogoutRedirectURI] = Self.bye
            $0[.state] = "the state"
        }
        let next = "\(Self.bye)?state=the%20state"
        #expect(page.continuation?.replacing("+", with: "%20") == next)
        #expect(response.fields[HTTPField.Name("Refresh")!] == page.continuation.map { "3; url=\($0)" })
        #expect(PlainPageRenderer().html(for: .signedOut(page)).contains("<a href=\"\(Self.bye)?state="))
    }

    @Test("Without a client that has a logout page the browser goes on at once")
    func noFrames() async throws {
        let world = try World()
        let browser = world.browser()
        let token = try #require(try await world.tokens(in: browser).id)
        let response = await browser.send(
            .get,
            "/end-session",
            Parameters([.idTokenHint: token, .postLogoutRedirectURI: Self.bye])
        )
        #expect(response.redirect?.place == Self.bye)
    }

    @Test("The page after signing out loads at most 20 frames, and the log names each client beyond them")
    func bound() async throws {
        let uri = try ClientURI("https://app.example.com/out")
        let world = try World {
            let app = $0.clients[0]
            $0.clients = (0..<21).map { number in
                var client = app
                client.id = "app\(number)"
                client.frontChannelLogout = ClientLogout(uri)
                return client
            }
            $0.signIn = .automatic(userName: "alice")
        }
        let browser = world.browser()
        var token: String?
        for number in 0..<21 {
            let response = await browser.authorize(.authorization { $0[.clientID] = "app\(number)" })
            let code = try #require(response.redirect?.parameters[.code])
            token = try Tokens(await world.post("/token", .codeGrant(code) { $0[.clientID] = "app\(number)" })).id
        }
        let hint = Parameters([.idTokenHint: try #require(token)])
        guard case .signedOut(let page) = await browser.send(.get, "/end-session", hint).page else { throw Missing() }
        #expect(page.clientFrames.count == 20)
        let events = world.log.events.filter { $0.outcome == .undelivered }
        #expect(events.map(\.clientID) == ["app20"])
        let reason = "https://app.example.com/out was not loaded. A page loads the logout pages of at most 20 clients."
        #expect(events.first?.reason == reason && events.first?.path == "/end-session")
        #expect(events.first?.mend == "Give the client a backchannel_logout_uri.")
    }

    @Test("A logout page at an IPv6 address, which no policy can name, is not loaded, and the log says so")
    func bracketedHost() async throws {
        let world = try world("http://[::1]:3000/out", isSessionRequired: false)
        let (response, page, _) = try await signOut(world)
        #expect(page.clientFrames.isEmpty)
        #expect(response.fields[.contentSecurityPolicy]?.contains("frame-src") == false)
        let event = try #require(world.log.events.last { $0.outcome == .undelivered })
        #expect(event.clientID == "app")
        #expect(event.reason.contains("was not loaded. Its host is an IPv6 address"))
        #expect(event.mend?.contains("http://localhost:3000") == true)
    }

    @Test(
        "A page or a logo at an IPv6 address is refused at registration with the reason",
        arguments: ["frontchannel_logout_uri", "logo_uri"]
    )
    func bracketedRegistration(name: String) async throws {
        let world = try World { $0.registration = .open }
        let client = await world.send(
            .post,
            "/register",
            ["redirect_uris": ["http://[::1]/cb"], name: "http://[::1]:3000/out"]
        )
        #expect(client.error == "invalid_client_metadata")
        #expect(client.json?["error_description"]?.string?.hasPrefix("\(name) has an IPv6 address") == true)
    }

    @Test(
        "A front-channel logout URI is registered if it is at the origin of a redirect URI",
        arguments: [
            ("https://app.example.com/out", true), ("https://app.example.com:8443/out", false),
            ("https://other.example.com/out", false), ("http://127.0.0.1:3000/out", true),
            ("http://localhost:3000/out", false), ("https://app.example.com/out#a", false),
        ]
    )
    func origin(uri: String, isTaken: Bool) async throws {
        let world = try World { $0.registration = .open }
        let client = await world.send(
            .post,
            "/register",
            [
                "redirect_uris": ["https://app.example.com/cb", "http://127.0.0.1/cb"],
                "frontchannel_logout_uri": .string(uri), "frontchannel_logout_session_required": true,
            ]
        )
        #expect((client.status == .created) == isTaken)
        #expect((client.json?["frontchannel_logout_uri"]?.string == uri) == isTaken)
        guard !isTaken else { return }
        #expect(client.error == "invalid_client_metadata")
    }
}
