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

@Suite("Back-channel logout", .timeLimit(.minutes(5)))
struct BackChannelLogoutTests {
    private static let uri = "https://app.example.com/signed-out"

    private func world(_ hosts: ClientHosts?, clock: MovableClock = MovableClock()) throws -> World {
        let uri = try ClientURI(Self.uri)
        return try World(clock: clock) {
            $0.outbound = hosts
            $0.registration = .open
            $0.clients[0].backChannelLogout = ClientLogout(uri)
        }
    }

    /// Signs alice in and out again; her ID token.
    private func signOut(_ world: World, _ browser: Browser? = nil) async throws -> JSONObject {
        let browser = browser ?? world.browser()
        let token = try #require(try await world.tokens(in: browser).id)
        let claims = try await world.verifiedClaims(token)
        #expect(await browser.send(.get, "/end-session", Parameters([.idTokenHint: token])).isSignedOutPage)
        return claims
    }

    @Test("A client that has taken part in a login receives a logout token for it when the user signs out")
    func delivered() async throws {
        let hosts = ClientHosts()
        let world = try world(hosts)
        let claims = try await signOut(world)
        let event = try #require(await world.log.first(.delivered))
        #expect(event.clientID == "app" && event.status == 200 && event.path == "/end-session")
        #expect(event.reason == "\(Self.uri) took the logout token at attempt 1.")
        let request = try #require(hosts.requests.first)
        #expect(hosts.requests.count == 1 && hosts.reaches == [.anywhere])
        #expect(request.url.absoluteString == Self.uri && request.method == .post)
        #expect(request.allFields[.contentType] == "application/x-www-form-urlencoded")
        let text = try #require(request.form["logout_token"])
        #expect(try UnverifiedJWT(text).header.type == "logout+jwt")
        let token = try await world.verifiedClaims(text)
        #expect(token["sid"] == claims["sid"] && token["sub"] == claims["sub"] && token["aud"] == "app")
        #expect(token["nonce"] == nil && token["jti"]?.string != nil)
        #expect(token["events"] == ["http://schemas.openid.net/event/backchannel-logout": [:]])
    }

    @Test("A logout token has the signature algorithm of the client's ID tokens")
    func algorithm() async throws {
        let hosts = ClientHosts()
        let uri = try ClientURI(Self.uri)
        let world = try World {
            $0.outbound = hosts
            $0.clients[0].backChannelLogout = ClientLogout(uri)
            $0.clients[0].idTokenAlgorithm = .es256
        }
        _ = try await signOut(world)
        _ = await world.log.first(.delivered)
        let token = try #require(hosts.requests.first?.form["logout_token"])
        #expect(try UnverifiedJWT(token).header.algorithmName == "ES256")
    }

    @Test("A client that never took part in a login, and one of another browser's login, receive nothing")
    func others() async throws {
        let hosts = ClientHosts()
        let uri = try ClientURI(Self.uri)
        let world = try World {
            $0.outbound = hosts
            for index in $0.clients.indices { $0.clients[index].backChannelLogout = ClientLogout(uri) }
        }
        _ = try await world.code(.webAuthorization(), in: world.browser())
        _ = try await signOut(world)
        #expect(await world.log.first(.delivered)?.clientID == "app")
        #expect(hosts.requests.count == 1)
    }

    @Test("A client that fails receives a new token after each pause, and the log has the attempt that succeeded")
    func retried() async throws {
        let hosts = ClientHosts { _, place throws(OutboundFailure) in
            if place == 1 { throw .transport(.unreachable) }
            return place == 2 ? .status(503) : .status(204)
        }
        let world = try world(hosts)
        _ = try await signOut(world)
        let event = try #require(await world.log.first(.delivered))
        #expect(event.reason.hasSuffix("at attempt 3.") && event.status == 204)
        #expect(hosts.pauses == [.seconds(1), .seconds(4)])
        let tokens = hosts.requests.compactMap { $0.form["logout_token"] }
        #expect(Set(tokens).count == 3)
    }

    @Test(
        "After five attempts a logout token is given up, and the log names the client, the reason and the mend",
        arguments: [
            (404, "The client responded with status 404."), (302, "The client responded with status 302."),
            (0, "The host's name resolves to an address that is not a public one."),
        ]
    )
    func undelivered(status: Int, reason: String) async throws {
        let hosts = ClientHosts { _, _ throws(OutboundFailure) in
            if status == 0 { throw .addressOutOfReach }
            return .status(status)
        }
        let world = try world(hosts)
        _ = try await signOut(world)
        let event = try #require(await world.log.first(.undelivered))
        #expect(event.clientID == "app" && event.status == (status == 0 ? nil : status))
        #expect(event.reason == "\(Self.uri) did not take the logout token. \(reason)")
        #expect(event.mend?.contains("backchannel_logout_uri") == true)
        #expect(hosts.requests.count == 5)
    }

    @Test("A client that refuses a logout token with status 400 receives no further one")
    func refusedToken() async throws {
        let hosts = ClientHosts { _, _ in .status(400) }
        let world = try world(hosts)
        _ = try await signOut(world)
        #expect(await world.log.first(.undelivered)?.status == 400)
        #expect(hosts.requests.count == 1 && hosts.pauses.isEmpty)
    }

    @Test("Two minutes after the sign-out no further attempt is made")
    func deadline() async throws {
        let clock = MovableClock()
        let hosts = ClientHosts { _, _ throws(OutboundFailure) in
            clock.advance(by: .seconds(70))
            throw .transport(.timedOut)
        }
        let world = try world(hosts, clock: clock)
        _ = try await signOut(world)
        #expect(await world.log.first(.undelivered)?.reason.hasSuffix("The response took too long.") == true)
        #expect(hosts.requests.count == 2)
    }

    @Test("A client is notified although its grant has expired before the login")
    func expiredGrant() async throws {
        let hosts = ClientHosts()
        let world = try world(hosts)
        let browser = world.browser()
        let token = try await world.tokens(.authorization { $0[.scope] = "openid" }, in: browser).id
        world.clock.advance(by: .seconds(3600))
        _ = await world.get("/jwks")
        _ = await browser.send(.get, "/end-session", Parameters([.idTokenHint: try #require(token)]))
        #expect(await world.log.first(.delivered)?.clientID == "app")
    }

    @Test("A login that another user's sign-in in the same browser replaces ends, and its clients are notified")
    func replaced() async throws {
        let hosts = ClientHosts()
        let world = try world(hosts)
        let browser = world.browser()
        _ = try await world.code(in: browser)
        let again = Parameters.authorization { $0[.prompt] = "login" }
        _ = try await browser.signIn(again, name: "bob", password: "battery staple")
        #expect(await world.log.first(.delivered)?.clientID == "app")
        let token = try await world.verifiedClaims(try #require(hosts.requests.first?.form["logout_token"]))
        #expect(token["sub"] == "subject-of-alice")
    }

    @Test("Every login of a user can be ended at once, and each of its clients is notified")
    func everyLogin() async throws {
        let hosts = ClientHosts()
        let world = try world(hosts)
        let browsers = [world.browser(), world.browser()]
        for browser in browsers { _ = try await world.code(in: browser) }
        #expect(try await world.provider.endLogins(of: "subject-of-alice") == 2)
        for browser in browsers { #expect(await browser.authorize().loginPage != nil) }
        #expect(try await world.provider.endLogins(of: "subject-of-alice") == 0)
        _ = await world.log.first(.delivered)
        _ = await world.log.first(.delivered)
        #expect(hosts.requests.count == 2)
    }

    @Test("A logout token that was under way when the process ended is delivered after the restart")
    func restarted() async throws {
        let storage = MemoryProviderStorage()
        let uri = try ClientURI(Self.uri)
        func world(_ hosts: any OutboundTransport) throws -> World {
            try World(storage: storage) {
                $0.outbound = hosts
                $0.clients[0].backChannelLogout = ClientLogout(uri)
            }
        }
        let held = HeldHosts(.status(503))
        let first = try world(held)
        let claims = try await signOut(first)
        await held.arrived(1)
        let hosts = ClientHosts()
        let second = try world(hosts)
        try await second.provider.resumeLogouts()
        #expect(await second.log.first(.delivered)?.clientID == "app")
        let token = try await second.verifiedClaims(try #require(hosts.requests.first?.form["logout_token"]))
        #expect(token["sub"] == claims["sub"] && token["sid"] == claims["sid"])
        let kind = try #require(ProviderRecord.Kind(rawValue: "pending_logout"))
        #expect(await storage.records(kind).isEmpty)
        await held.release()
    }

    @Test("After a restart no logout token is sent for a sign-out that is two minutes old")
    func restartedLate() async throws {
        let storage = MemoryProviderStorage()
        let clock = MovableClock()
        let uri = try ClientURI(Self.uri)
        func world(_ hosts: any OutboundTransport) throws -> World {
            try World(storage: storage, clock: clock) {
                $0.outbound = hosts
                $0.clients[0].backChannelLogout = ClientLogout(uri)
            }
        }
        let held = HeldHosts(.status(503))
        let first = try world(held)
        _ = try await signOut(first)
        clock.advance(by: .seconds(100))
        let later = try await signOut(first)
        await held.arrived(2)
        clock.advance(by: .seconds(30))
        let hosts = ClientHosts()
        let second = try world(hosts)
        try await second.provider.resumeLogouts()
        _ = await second.log.first(.delivered)
        let token = try await second.verifiedClaims(try #require(hosts.requests.first?.form["logout_token"]))
        #expect(hosts.requests.count == 1 && token["sid"] == later["sid"])
        await held.release()
    }

    @Test("A login whose end cannot be stored goes on, and no logout token waits for a restart")
    func failedEnd() async throws {
        let storage = FailingStorage()
        let uri = try ClientURI(Self.uri)
        let world = try World(storage: storage) {
            $0.outbound = ClientHosts()
            $0.clients[0].backChannelLogout = ClientLogout(uri)
        }
        let browser = world.browser()
        _ = try await world.tokens(in: browser)
        storage.failRemovals(1)
        await #expect(throws: ProviderStorageFailure("remove records")) {
            try await world.provider.endLogins(of: "subject-of-alice")
        }
        #expect(await storage.memory.records(.pendingLogout).isEmpty)
        #expect(await browser.authorize().redirect?.parameters[.code] != nil)
    }

    @Test("The metadata announce back-channel logout where the provider has a transport, front-channel logout always")
    func metadata() async throws {
        let able = try #require(await world(ClientHosts()).get("/.well-known/openid-configuration").json)
        let silent = try #require(await world(nil).get("/.well-known/openid-configuration").json)
        for name in ["backchannel_logout_supported", "backchannel_logout_session_supported"] {
            #expect(able[name] == true && silent[name] == nil)
        }
        for name in ["frontchannel_logout_supported", "frontchannel_logout_session_supported"] {
            #expect(able[name] == true && silent[name] == true)
        }
    }

    @Test("A provider without an end session endpoint announces no way to notify clients")
    func withoutEndSession() async throws {
        let hosts = ClientHosts()
        let world = try World {
            $0.outbound = hosts
            $0.manners = .apple
        }
        let path = "/.well-known/openid-configuration"
        let metadata = try #require(await world.get(path).json)
        #expect(metadata["end_session_endpoint"] == nil && metadata["issuer"] != nil)
        #expect(!metadata.names.contains { $0.contains("channel_logout") })
    }

    @Test("A client that registers itself with a logout URI receives logout tokens within its reach")
    func registered() async throws {
        let hosts = ClientHosts()
        let world = try world(hosts)
        let client = await world.send(
            .post,
            "/register",
            [
                "redirect_uris": [.string(Fixtures.redirectURI)], "token_endpoint_auth_method": "none",
                "backchannel_logout_uri": "https://app.example.com/out?from=idp",
                "backchannel_logout_session_required": true,
            ]
        )
        #expect(client.json?["backchannel_logout_session_required"] == true)
        let id = try #require(client.json?["client_id"]?.string)
        let browser = world.browser()
        let page = try #require(
            await browser.authorize(
                .authorization {
                    $0[.clientID] = id; $0[.scope] = "openid"
                }
            ).loginPage
        )
        let next = await browser.submit(page.form, ["username": "alice", "password": "correct horse"])
        let consent = try #require(try await browser.follow(next).consentPage)
        _ = await browser.submit(consent.form)
        try await world.provider.endLogins(of: "subject-of-alice")
        #expect(await world.log.first(.delivered)?.clientID == id)
        #expect(hosts.requests.first?.url.absoluteString == "https://app.example.com/out?from=idp")
        #expect(hosts.reaches == [.publicHosts])
    }

    @Test("A provider without a transport leaves a logout URI out of a registration")
    func unsupported() async throws {
        let client = try await world(nil).send(
            .post,
            "/register",
            ["redirect_uris": [.string(Fixtures.redirectURI)], "backchannel_logout_uri": .string(Self.uri)]
        )
        #expect(client.status == .created && client.json?["backchannel_logout_uri"] == nil)
    }

    @Test(
        "A client that registers itself cannot name a logout URI of the provider's machine or network",
        arguments: [
            "http://127.0.0.1:6379/", "https://localhost/out", "https://app.localhost/out", "https://10.0.0.1/out",
            "https://[fe80::1]/out", "https://[::ffff:127.0.0.1]/out", "https://[64:ff9b::10.0.0.1]/out",
            "https://2130706433/out", "https://router/out", "https://db.internal/out",
            "https://0x7f.0x1/out", "http://app.example.com/out", "https://me@app.example.com/out",
            "https://app.example.com/out#a", "https://app.example.com;script-src/", "mailto:me@example.com",
        ]
    )
    func refusedURI(uri: String) async throws {
        let client = try await world(ClientHosts()).send(
            .post,
            "/register",
            ["redirect_uris": [.string(Fixtures.redirectURI)], "backchannel_logout_uri": .string(uri)]
        )
        #expect(client.error == "invalid_client_metadata")
        #expect(client.json?["error_description"]?.string?.hasPrefix("backchannel_logout_uri ") == true)
    }

    @Test(
        "The refusal of a client's URI names the option that accepts it, if it is a URI of this machine",
        arguments: [
            ("backchannel_logout_uri", "http://127.0.0.1:6379/", true), ("jwks_uri", "https://localhost/jwks", true),
            ("request_uris", "http://[::1]/request", true), ("sector_identifier_uri", "https://a.localhost/s", true),
            ("backchannel_logout_uri", "https://10.0.0.1/out", false), ("jwks_uri", "https://db.internal/", false),
        ]
    )
    func loopbackHint(name: String, uri: String, isOfThisMachine: Bool) async throws {
        let world = try World {
            $0.outbound = ClientHosts()
            $0.rules = .oidc
            $0.registration = .open
        }
        let client = await world.send(
            .post,
            "/register",
            [
                "redirect_uris": [.string(Fixtures.redirectURI)],
                name: name == "request_uris" ? .array([.string(uri)]) : .string(uri),
            ]
        )
        #expect(client.error == "invalid_client_metadata")
        let description = try #require(client.json?["error_description"]?.string)
        #expect(description.contains(name))
        #expect(description.contains("--loopback-clients") == isOfThisMachine)
        let mend = "Start the provider with: ostiary idp serve --loopback-clients"
        #expect(world.log.refusal?.mend == (isOfThisMachine ? mend : nil))
    }

    @Test("With the allowance for this machine a client that registers itself names it, and no other private host")
    func loopbackAllowance() async throws {
        let hosts = ClientHosts()
        let world = try World {
            $0.outbound = hosts
            $0.registration = .open
            $0.registration.reach = .publicHostsAndLoopback
        }
        for (uri, isTaken) in [("http://127.0.0.1:3000/out", true), ("https://10.0.0.1/out", false)] {
            let client = await world.send(
                .post,
                "/register",
                ["redirect_uris": [.string(Fixtures.redirectURI)], "backchannel_logout_uri": .string(uri)]
            )
            #expect((client.status == .created) == isTaken)
        }
    }
}
