import AppleWorld
import Foundation
import OstiaryAutomation
import OstiaryOAuth
import OstiarySwiftUI
import OstiaryTesting
import SimulatedPlatform
import SimulatedWorld
import SwiftUI
import Testing

@testable import SwiftUIApp

extension OnTheDevice {
    @Suite("The example app", .timeLimit(.minutes(5)))
    @MainActor
    struct ExampleAppTests {
        private let network: AppNetwork
        private let store = MemoryStore()
        private let redirects = ForwardedRedirects()

        /// The redirect URIs of a provider: after a sign-in first, and after a sign-out.
        nonisolated static func redirectURIs(_ kind: SignInProvider.Kind) -> [String] {
            switch kind {
            case .logi: ["com.example.providers://oauth/1pass/callback"]
            case .logto: ["com.example.providers://logto/callback", "com.example.providers://logto/signed-out"]
            case .curity: ["com.example.providers://curity/callback", "com.example.providers://curity/signed-out"]
            case .ssafy: ["https://partner.example.com/ios/ssafy/callback"]
            case .zephr: ["https://app.example.com/oauthredirect"]
            }
        }

        init() throws {
            freshDevice()
            network = try AppNetwork()
            device.with { $0.app.webCredentialDomains = ["partner.example.com", "app.example.com"] }
        }

        private func providers(over transport: (any HTTPTransport)? = nil) -> ProviderList {
            ProviderList { window in
                var environment = AppEnvironment(window: window)
                environment.transport = transport ?? network
                environment.store = store
                environment.redirects = redirects
                environment.clock = network.clock.device
                return environment
            }
        }

        /// Waits for the sign-in button: while a sign-out is under way it is there and disabled.
        private func openScreen(_ host: SimulatedViewHost, _ kind: SignInProvider.Kind) async {
            await host.until { (try? $0.find("Sign in with \(kind.name)", [.button])) != nil }
        }

        private func host(_ list: ProviderList) -> SimulatedViewHost {
            SimulatedViewHost(ProvidersView(list: list), window: frontWindow())
        }

        @Test(
            "The example app signs a user in at each front door, restores the session after a restart, and signs out",
            arguments: SignInProvider.Kind.allCases
        )
        func wholeWay(_ kind: SignInProvider.Kind) async throws {
            device.browser.visit(as: network.person(at: kind), awaiting: Self.redirectURIs(kind))
            let first = host(providers())
            try first.tap(kind.name)
            await openScreen(first, kind)
            try first.tap("Sign in with \(kind.name)")
            await first.until { $0.alert != nil || $0.buttons.contains("Sign out") }
            #expect(first.alert?.words == nil)
            let name = try #require(first.elements.first { $0.accessibility.identifier == "account" }?.text)
            #expect(!name.isEmpty)

            let second = host(providers())
            try second.tap(kind.name)
            await second.until { $0.texts.contains(name) }
            try second.tap("Sign out")
            await openScreen(second, kind)
            #expect(second.alert == nil)

            let third = host(providers())
            try third.tap(kind.name)
            await openScreen(third, kind)
            #expect(device.snapshot.violations == [])
        }

        /// The sheet of a provider that stays up, and the redirect that its page leads to.
        private func openSheet(at kind: SignInProvider.Kind, _ host: SimulatedViewHost) async throws -> URL {
            device.browser.transport = { _ in BrowserResponse(status: 200, fields: [], body: []) }
            device.browser.script = { _ in .wait }
            try host.tap(kind.name)
            await openScreen(host, kind)
            try host.tap("Sign in with \(kind.name)")
            #expect(await device.until { !device.browser.visited.isEmpty })
            let page = try #require(device.browser.visited.first)
            let redirectURI = try RedirectURI(Self.redirectURIs(kind)[0])
            return try await network.person(at: kind).attempt(awaiting: redirectURI).open(page, accepting: .any)
        }

        @Test(
            "At each door but Zephr's a URL that the app is opened with ends the sign-in that has the sheet up",
            arguments: SignInProvider.Kind.allCases.filter { $0 != .zephr }
        )
        func openURL(_ kind: SignInProvider.Kind) async throws {
            let host = host(providers())
            let redirect = try await openSheet(at: kind, host)
            host.open(try #require(URL(string: "com.example.providers://elsewhere")))
            #expect(host.buttons.contains("Cancel"))
            host.open(redirect)
            await host.until { $0.alert != nil || $0.buttons.contains("Sign out") }
            #expect(host.alert?.words == nil)
            #expect(device.snapshot.web.open == 0)
        }

        @Test("At Zephr's door, whose redirects have no state, a URL that the app is opened with ends no sign-in")
        func openURLOfZephr() async throws {
            let host = host(providers())
            host.open(try await openSheet(at: .zephr, host))
            try host.tap("Cancel")
            await host.until { !$0.buttons.contains("Cancel") }
            #expect(host.alert == nil && host.buttons.contains("Sign in with Zephr"))
        }

        @Test(
            "Every front door's sheet has the browser session that its vendor documents",
            arguments: SignInProvider.Kind.allCases
        )
        func browserSession(_ kind: SignInProvider.Kind) async throws {
            let host = host(providers())
            _ = try await openSheet(at: kind, host)
            let isPrivate = kind == .logi || kind == .zephr
            #expect(device.browser.visits == [isPrivate ? .isPrivate : .shared])
            try host.tap("Cancel")
            await host.until { !$0.buttons.contains("Cancel") }
        }

        @Test(
            "A user who closes the sheet returns to the sign-in screen of each front door",
            arguments: SignInProvider.Kind.allCases
        )
        func closed(_ kind: SignInProvider.Kind) async throws {
            device.browser.visit(as: network.person(at: kind), awaiting: [])
            let host = host(providers())
            try host.tap(kind.name)
            await openScreen(host, kind)
            try host.tap("Sign in with \(kind.name)")
            await host.until { $0.buttons.contains("Cancel") }
            await host.until { !$0.buttons.contains("Cancel") }
            #expect(host.alert == nil && host.buttons.contains("Sign in with \(kind.name)"))
        }

        /// A new reader in front of Zephr's form.
        private func openForm(over transport: any HTTPTransport) async throws -> SimulatedViewHost {
            device.browser.visit(
                as: network.person(at: .zephr, named: "grace"),
                awaiting: Self.redirectURIs(.zephr)
            )
            let host = host(providers(over: transport))
            try host.tap("Zephr")
            await openScreen(host, .zephr)
            try host.tap("Sign in with Zephr")
            await host.until { $0.alert != nil || $0.buttons.contains("Register") }
            #expect(host.alert?.words == nil && host.texts.contains("grace+news@reader.example"))
            return host
        }

        @Test("A new reader at Zephr's door fills in the form, again after an outage, and is signed in")
        func registration() async throws {
            let outage = AppOutage(of: network)
            let host = try await openForm(over: outage)
            #expect(throws: SimulatedViewError.disabled("Register")) { try host.tap("Register") }
            outage.lose { $0.url.path().hasSuffix("/register") }
            try host.type("Grace", into: "First name")
            try host.tap("Register")
            await host.until { $0.alert != nil || $0.texts.contains { $0.contains("could not be reached") } }
            #expect(host.alert?.words == nil && host.buttons.contains("Register"))
            outage.lose(nil)
            try host.type("Grace", into: "First name")
            try host.tap("Register")
            await host.until { $0.alert != nil || $0.buttons.contains("Sign out") }
            #expect(host.alert?.words == nil && host.texts.contains("grace+news@reader.example"))
        }

        @Test("A new reader who gives up at the form is at Zephr's door again")
        func registrationGivenUp() async throws {
            let host = try await openForm(over: network)
            try host.tap("Cancel")
            await openScreen(host, .zephr)
            #expect(host.alert == nil && !host.buttons.contains("Register"))
        }

        /// The text of an error, for a developer.
        private func details(_ host: SimulatedViewHost) -> String? {
            host.elements.first { $0.accessibility.identifier == "details" }?.text
        }

        @Test("At Curity's door the tokens are renewed on demand, and an error has the tutorial's four fields")
        func curityRefresh() async throws {
            let outage = AppOutage(of: network)
            let host = host(providers(over: outage))
            device.browser.visit(as: network.person(at: .curity), awaiting: Self.redirectURIs(.curity))
            try host.tap("Curity")
            await openScreen(host, .curity)
            try host.tap("Sign in with Curity")
            await host.until { $0.alert != nil || $0.buttons.contains("Refresh") }
            #expect(host.alert?.words == nil && host.texts.contains("Scopes: openid profile"))
            let expiry = { (host: SimulatedViewHost) in host.texts.first { $0.hasPrefix("Access token until ") } }
            let first = try #require(expiry(host))
            outage.lose { _ in true }
            try host.tap("Refresh")
            await host.until { self.details($0) != nil }
            #expect(details(host)?.hasPrefix("org.openid.appauth.general / -5 / - / ") == true)
            #expect(expiry(host) == first)
            outage.lose(nil)
            network.clock.advance(by: .seconds(100))
            try host.tap("Refresh")
            await host.until { expiry($0) != first }
            #expect(details(host) == nil && host.texts.contains("The tokens can be renewed"))
        }

        @Test("A failed sign-in at Curity shows the user a sentence, and the developer AppAuth's four fields")
        func curityFailure() async throws {
            let outage = AppOutage(of: network)
            outage.lose { _ in true }
            let host = host(providers(over: outage))
            try host.tap("Curity")
            await openScreen(host, .curity)
            try host.tap("Sign in with Curity")
            await host.until { $0.alert != nil }
            #expect(host.alert?.words.contains("could not be reached") == true)
            #expect(details(host)?.hasPrefix("org.openid.appauth.general / -5 / - / ") == true)
        }

        @Test("The app starts with the list of its doors")
        func list() {
            let host = SimulatedViewHost(app: ProvidersApp(), window: frontWindow())
            #expect(host.buttons == ["logi", "Logto", "Curity", "SSAFY Verify", "Zephr"])
        }
    }
}
