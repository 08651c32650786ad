import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryCurity
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Curity: a client and a session that another SDK kept")
struct CurityAdoptionTests {
    /// An app's record of a client that another SDK registered and signed in with.
    private func kept(_ world: CurityWorld) async throws -> (registration: ClientRegistration, session: ImportedSession)
    {
        let other = ClientRegistrar(
            issuer: try Issuer(CurityWorld.issuer),
            transport: world.network,
            store: MemoryStore(),
            context: ExchangeContext(device: world.clock.device)
        )
        let metadata = ClientMetadata([
            "redirect_uris": ["io.curity.client:/callback"], "grant_types": ["authorization_code"],
            "application_type": "native", "scope": "openid profile",
            "post_logout_redirect_uris": ["io.curity.client:/logoutcallback"],
        ])
        let registration = try await other.register(metadata)
        let session = try await SignInClient(
            issuer: try Issuer(CurityWorld.issuer),
            client: try registration.client(redirectURI: try RedirectURI("io.curity.client:/callback")),
            configuration: SignInClient.Configuration(
                userAgent: world.browser,
                transport: world.network,
                store: MemoryStore(),
                clock: world.clock.device
            )
        ).signIn(AuthorizationRequest(scopes: [.openID, .profile]))
        return (
            registration,
            ImportedSession(
                refreshToken: try #require(session.tokens.refreshToken),
                issuer: CurityWorld.issuer,
                clientID: registration.clientID,
                subject: "alice-subject"
            )
        )
    }

    @Test("An adopted client signs in, refreshes and signs out, and no other client is registered")
    func whole() async throws {
        let world = try CurityWorld()
        let kept = try await kept(world)
        let registered = world.registrations.count
        let adopted = try await world.start().adopt(kept.registration, session: kept.session)
        let session = try #require(adopted)
        #expect(try await session.accessToken().isEmpty == false)
        // After a restart both are there, without the other SDK's items.
        let restored = try #require(try await world.start().restoreSession())
        #expect(try await restored.refresh().isEmpty == false)
        #expect(try await world.start().register().clientID == kept.registration.clientID)
        let report = try await restored.signOut()
        #expect(report.endSessionFailure == nil)
        _ = try await world.start().signIn()
        #expect(world.registrations.count == registered)
    }

    @Test("A client without a session is adopted for the next sign-in, and a second adoption changes nothing")
    func clientAlone() async throws {
        let world = try CurityWorld()
        let (registration, _) = try await kept(world)
        #expect(try await world.start().adopt(registration) == nil)
        let session = try await world.start().signIn()
        #expect(session.identity?.subject == "alice-subject" && world.registrations.count == 1)
        let again = try await world.start().adopt(registration)
        #expect(again?.identity == session.identity)
    }

    @Test("A client that was read from an archive without its metadata keeps it at an update")
    func update() async throws {
        let world = try CurityWorld()
        let (registration, _) = try await kept(world)
        let management = try #require(registration.management)
        let bare = try ClientRegistration(
            response: [
                "client_id": .string(registration.clientID),
                "client_secret": .string(try #require(registration.clientSecret).reveal()),
                "registration_access_token": .string(management.token.reveal()),
                "registration_client_uri": .string(management.url.absoluteString),
            ],
            issuer: registration.issuer
        )
        let curity = try world.start()
        try await curity.adopt(bare)
        let updated = try await curity.updateRegistration { $0.members["client_name"] = "Renamed" }
        #expect(updated.metadata.redirectURIs == ["io.curity.client:/callback"])
        #expect(updated.metadata.members["post_logout_redirect_uris"] == ["io.curity.client:/logoutcallback"])
        _ = try await curity.signIn()
    }

    @Test("A client of another issuer, or one that cannot be used, is not stored")
    func refused() async throws {
        let world = try CurityWorld()
        let curity = try world.start()
        let foreign = try ClientRegistration(
            response: ["client_id": "c", "token_endpoint_auth_method": "none"],
            issuer: try Issuer("https://other.example.test")
        )
        let unusable = try ClientRegistration(
            response: ["client_id": "c", "token_endpoint_auth_method": "tls_client_auth"],
            issuer: try Issuer(CurityWorld.issuer)
        )
        let elsewhere = try ClientRegistration(
            response: ["client_id": "c", "token_endpoint_auth_method": "none", "redirect_uris": ["com.other:/x"]],
            issuer: try Issuer(CurityWorld.issuer)
        )
        let reasons = [
            await thrownError { () throws(SignInError) in try await curity.adopt(foreign) }?.reason,
            await thrownError { () throws(SignInError) in try await curity.adopt(elsewhere) }?.reason,
        ]
        #expect(reasons == [.mismatch(.issuer), .mismatch(.redirectURI)])
        let error = await thrownError { () throws(SignInError) in try await curity.adopt(unusable) }
        #expect(error?.stage == .registration)
        #expect(try await curity.registration() == nil)
    }

    @Test("A session of another client than the one that is stored is refused, and nothing is sent")
    func otherClient() async throws {
        let world = try CurityWorld()
        let kept = try await kept(world)
        let curity = try world.start()
        try await curity.register()
        let sent = world.network.requests.count
        let error = await thrownError { () throws(SignInError) in
            try await curity.adopt(kept.registration, session: kept.session)
        }
        #expect(error == SignInError(.registration, .mismatch(.client)) && world.network.requests.count == sent)
    }

    @Test("A URL that the app is opened with ends the sign-in that waits for it, and no other does")
    func handle() async throws {
        let world = try CurityWorld()
        let redirects = ForwardedRedirects()
        let opened = AsyncStream<URL>.makeStream()
        let agent = ForwardingUserAgent(
            redirects,
            opening: { (url) throws(SignInError) in opened.continuation.yield(url) }
        )
        let curity = Curity(
            try CurityWorld.configuration(),
            userAgent: agent,
            redirects: redirects,
            transport: world.network,
            store: world.store,
            clock: world.clock.device
        )
        let signIn = Task { try await curity.signIn() }
        for await page in opened.stream {
            let uri = try RedirectURI("io.curity.client:/callback")
            let redirect = try await world.browser.attempt(awaiting: uri).open(page, accepting: .any)
            #expect(!curity.handle(try #require(URL(string: "io.curity.client:/callback?code=c&state=guessed"))))
            #expect(curity.handle(redirect))
            break
        }
        #expect(try await signIn.value.identity?.subject == "alice-subject")
    }
}
