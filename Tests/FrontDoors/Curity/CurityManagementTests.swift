import Foundation
import HTTPTypes
import Ostiary
import OstiaryCurity
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Curity: a registration is managed")
struct CurityManagementTests {
    private func configurationRequests(_ world: CurityWorld, _ method: HTTPRequest.Method) -> [EndpointRequest] {
        world.network.requests.filter {
            $0.path.hasPrefix(CurityWorld.registrationPath + "/") && $0.method == method
        }.map(\.request)
    }

    @Test(
        "Renewing replaces both credentials, stored before they are used, and the session goes on with them",
        .covers(.curity, rows: 37, cites: "C-9")
    )
    func renewal() async throws {
        let world = try CurityWorld()
        let curity = try world.start()
        let session = try await curity.signIn()
        let before = try #require(try await curity.registration())
        let after = try await curity.renewRegistration()
        #expect(after.clientID == before.clientID)
        #expect(after.clientSecret != before.clientSecret && after.management?.token != before.management?.token)
        #expect(try await world.start().registration() == after)
        let requests = configurationRequests(world, .get)
        #expect(requests.count == 1)
        #expect(requests[0].fields[.authorization] == "Bearer " + (before.management?.token.reveal() ?? ""))
        try await session.refresh()
        #expect(world.registrations.count == 1)
        #expect(world.tokenRequests.count == 2, "The new secret was right at once.")
    }

    @Test("Two renewals at once are done one after the other", .covers(.curity, rows: 37, cites: "C-9"))
    func twoAtOnce() async throws {
        let world = try CurityWorld()
        let curity = try world.start()
        try await curity.register()
        async let first = curity.renewRegistration()
        async let second = curity.renewRegistration()
        let both = try await [first, second]
        let stored = try #require(try await curity.registration())
        #expect(both.contains(stored))
        let session = try await curity.signIn()
        #expect(session.identity != nil && world.registrations.count == 1)
    }

    @Test(
        "Credentials that could not be stored are not used, and not lost",
        .covers(.curity, rows: 37, 53, cites: "C-9")
    )
    func storeFails() async throws {
        let world = try CurityWorld()
        let curity = try world.start()
        let session = try await curity.signIn()
        world.store.failAlways(.write)
        let error = await thrownError { () throws(SignInError) in try await curity.renewRegistration() }
        #expect(error == SignInError(.storage, .storage(.unavailable)))
        world.store.recover()
        try await session.refresh()
        #expect(try await world.start().registration() == curity.registration())
        #expect(world.registrations.count == 1)
    }

    @Test("A lost answer costs one new registration and a sign-in", .covers(.curity, rows: 37))
    func lostAnswer() async throws {
        let world = try CurityWorld()
        let curity = try world.start()
        let session = try await curity.signIn()
        let before = try #require(try await curity.registration())
        let path = try #require(before.management?.url.path())
        world.network.lose(to: path, .afterProcessing)
        let error = await thrownError { () throws(SignInError) in try await curity.renewRegistration() }
        #expect(error == SignInError(.registration, .transport(.interrupted)))
        let ended = await thrownError { () throws(SignInError) in try await session.refresh() }
        #expect(ended == SignInError(.refresh, .signInRequired))
        #expect(session.hasEnded && world.registrations.count == 2)
        let again = try await curity.signIn()
        #expect(again.identity?.audience != [before.clientID])
        #expect(world.registrations.count == 2)
    }

    @Test(
        "An update sends all that is registered, and nothing that the server says itself",
        .covers(.curity, rows: 37, cites: "C-9")
    )
    func update() async throws {
        let world = try CurityWorld()
        let curity = try world.start(.describingItself(requiresConsent: false, additional: ["team": "blue"]))
        let before = try await curity.register()
        let after = try await curity.updateRegistration { $0.members["client_name"] = "Renamed" }
        #expect(after.metadata.members["client_name"] == "Renamed")
        #expect(after.metadata.members["team"] == "blue", "The client's own properties stay.")
        #expect(after.clientSecret != before.clientSecret)
        let body = try #require(configurationRequests(world, .put).first?.body)
        let sent = try JSONObject(parsing: body)
        for name in [
            "registration_access_token", "registration_client_uri", "client_secret_expires_at", "client_id_issued_at",
            "registration_access_token_expires_in",
        ] {
            #expect(sent[name] == nil, "\(name) is not sent back.")
        }
        #expect(sent["client_id"] == .string(before.clientID))
        #expect(sent["redirect_uris"] == ["io.curity.client:/callback"])
        #expect(try await curity.signIn().identity != nil)
    }

    @Test("Without a registration there is nothing to update", .covers(.curity, rows: 37))
    func nothingToUpdate() async throws {
        let curity = try CurityWorld().start()
        let error = await thrownError { () throws(SignInError) in try await curity.updateRegistration { _ in } }
        #expect(
            error
                == SignInError(
                    .registration,
                    .configuration("No client is registered here yet: register one first.")
                )
        )
    }

    @Test("A secret is renewed before it ends", .covers(.curity, rows: 36, 37, cites: "C-9"))
    func secretEnds() async throws {
        let world = try CurityWorld(provider: { $0.registration.secretLifetime = .seconds(3 * 86_400) })
        let curity = try world.start()
        _ = try await curity.signIn()
        #expect(configurationRequests(world, .get).isEmpty)
        world.clock.advance(by: .seconds(2.5 * 86_400))
        _ = try await curity.signIn()
        #expect(configurationRequests(world, .get).count == 1 && world.registrations.count == 1)
    }

    @Test("A secret that ended without a way to renew it costs one new registration", .covers(.curity, rows: 36))
    func secretEnded() async throws {
        let scenario = Scenario(name: "no management") {
            $0.registration = { response in
                response["registration_access_token"] = nil
                response["registration_client_uri"] = nil
            }
        }
        let world = try CurityWorld(scenario: scenario, provider: { $0.registration.secretLifetime = .seconds(86_400) })
        let curity = try world.start()
        _ = try await curity.signIn()
        world.clock.advance(by: .seconds(86_401))
        _ = try await curity.signIn()
        #expect(world.registrations.count == 2)
        #expect(world.tokenRequests.count == 2, "Nothing was asked with the secret that had ended.")
    }

    @Test("The registration access token is renewed before its year ends", .covers(.curity, rows: 37, cites: "C-9"))
    func managementEnds() async throws {
        let world = try CurityWorld()
        let curity = try world.start()
        try await curity.register()
        world.clock.advance(by: .seconds(330 * 86_400))
        _ = try await curity.signIn()
        #expect(configurationRequests(world, .get).isEmpty)
        world.clock.advance(by: .seconds(10 * 86_400))
        _ = try await curity.signIn()
        #expect(configurationRequests(world, .get).count == 1)
        #expect(try await curity.registration()?.managementExpiry == world.clock.now.addingTimeInterval(31_536_000))
    }

    @Test("A secret whose renewal fails for now does not prevent a sign-in", .covers(.curity, rows: 37))
    func renewalFails() async throws {
        let world = try CurityWorld()
        let path = try #require(try await world.start().register().management?.url.path())
        world.clock.advance(by: .seconds(340 * 86_400))
        world.network.lose(to: path, .beforeProcessing)
        #expect(try await world.start().signIn().identity != nil)
    }

    @Test(
        "A forgotten device is removed at the server and here, and its next sign-in registers anew",
        .covers(.curity, rows: 42, cites: "C-8", "C-9")
    )
    func forgotten() async throws {
        let world = try CurityWorld()
        let curity = try world.start()
        let session = try await curity.signIn()
        let client = try #require(try await curity.registration()?.clientID)
        let report = try await curity.forgetDevice()
        #expect(report?.endedProviderSession == true && report?.revocationFailure == nil)
        #expect(configurationRequests(world, .delete).count == 1)
        #expect(try await curity.registration() == nil)
        #expect(try await world.start().restoreSession() == nil)
        let error = await thrownError { () throws(SignInError) in try await session.refresh() }
        #expect(error == SignInError(.refresh, .signInRequired))
        #expect(try await curity.signIn().identity?.audience != [client])
        #expect(world.registrations.count == 2)
    }

    @Test("A leftover session does not restore a forgotten device", .covers(.curity, rows: 42))
    func leftOver() async throws {
        let world = try CurityWorld()
        let session = try await world.start().signIn()
        // Another process of the app, such as an extension.
        try await world.start().forgetDevice()
        let error = await thrownError { () throws(SignInError) in try await session.refresh() }
        #expect(error == SignInError(.refresh, .signInRequired))
        #expect(session.hasEnded && world.registrations.count == 1)
        #expect(try await world.start().registration() == nil)
    }

    @Test("A device that could not be forgotten can be forgotten later", .covers(.curity, rows: 42))
    func forgottenLater() async throws {
        let world = try CurityWorld()
        let curity = try world.start()
        let path = try #require(try await curity.register().management?.url.path())
        world.network.lose(to: path, .beforeProcessing)
        let error = await thrownError { () throws(SignInError) in try await curity.forgetDevice() }
        #expect(error == SignInError(.registration, .transport(.interrupted)))
        #expect(try await curity.registration() != nil)
        try await curity.forgetDevice()
        #expect(try await curity.registration() == nil)
    }

    @Test(
        "An app with another redirect URI registers anew, and keeps its session until then",
        .covers(.curity, rows: 36)
    )
    func otherRedirect() async throws {
        let world = try CurityWorld()
        _ = try await world.start().signIn()
        let updated = try world.start { $0.redirectURI = try RedirectURI("io.curity.client:/answer") }
        try await updated.restoreSession()?.refresh()
        #expect(world.registrations.count == 1)
        _ = try await updated.signIn()
        #expect(world.registrations.count == 2)
    }
}
