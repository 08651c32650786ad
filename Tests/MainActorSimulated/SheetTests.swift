import AppleWorld
import Foundation
import Ostiary
import OstiaryAutomation
import OstiarySwiftUI
import OstiaryTesting
import SimulatedPlatform
import SimulatedWorld
import SwiftUI
import Testing

@Suite("An app on the main actor by default, with the sheet", .serialized, .timeLimit(.minutes(5)))
struct SheetTests {
    @Test(
        "A sheet that reports on any queue does not trap a closure of the main actor",
        arguments: [true, false],
        [true, false]
    )
    func sheet(_ isOffMain: Bool, _ isTwice: Bool) async throws {
        freshDevice()
        SimulatedDevice.shared.with {
            $0.ambiguities.webSessionReportsOffMain = isOffMain
            $0.ambiguities.webSessionReportsTwice = isTwice
        }
        let world = try World()
        let person = world.person
        SimulatedDevice.shared.browser.transport = { request in
            guard let redirectURI = try? RedirectURI("com.example.app:/callback"),
                let redirect = try? await person.attempt(awaiting: redirectURI).open(request.url, accepting: .any)
            else { return nil }
            return BrowserResponse(status: 302, fields: [("location", redirect.absoluteString)], body: [])
        }
        let userAgent = WebAuthenticationUserAgent(window: .window { frontWindow() }, events: { _ in })
        let client = SignInClient(
            issuer: try Issuer("https://id.example.test"),
            client: try Client(id: "app", redirectURI: try RedirectURI("com.example.app:/callback")),
            configuration: SignInClient.Configuration(
                userAgent: userAgent,
                transport: world.network,
                store: MemoryStore(),
                clock: world.clock.device
            )
        )
        let model = SignInModel(
            SignInSource<String>(
                restore: { nil },
                signIn: { try await client.signIn().identity?.subject ?? "" },
                signOut: { _ in },
                changes: { _ in AsyncStream { $0.finish() } },
                open: { _ in false }
            )
        )
        let host = SimulatedViewHost(Screen(model: model), window: frontWindow())
        await host.until { _ in model.state == .signedOut }
        try host.tap("Sign in")
        await host.until { $0.texts.contains("alice-subject") }
        #expect(SimulatedDevice.shared.snapshot.violations == [])
    }
}

struct Screen: View {
    let model: SignInModel<String>

    var body: some View {
        VStack {
            Text(verbatim: model.state.account ?? "nobody")
            SignInButton(model)
        }
        .signIn(model)
    }
}
