import AppleWorld
import Foundation
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

        /// Where a door's pages lead to: after a sign-in first, and after a sign-out.
        nonisolated static func redirectURIs(_ kind: Door.Kind) -> [String] {
            switch kind {
            case .logi: ["com.example.fivedoors://oauth/1pass/callback"]
            case .logto: ["com.example.fivedoors://logto/callback", "com.example.fivedoors://logto/signed-out"]
            case .curity: ["com.example.fivedoors://curity/callback", "com.example.fivedoors://curity/signed-out"]
            case .ssafy: ["https://partner.example.com/ios/ssafy/callback"]
            case .zephr: ["https://app.example.com/oauthredirect"]
            }
        }

        init() throws {
            freshDevice()
            network = try AppNetwork()
            device.with { $0.app.webCredentialDomains = ["partner.example.com", "app.example.com"] }
        }

        private func house(_ userAgent: (any UserAgent)? = nil) -> House {
            House { window in
                var surroundings = Surroundings(window: window)
                if let userAgent { surroundings.userAgent = userAgent }
                surroundings.transport = network
                surroundings.store = store
                surroundings.redirects = redirects
                surroundings.clock = network.clock.device
                return surroundings
            }
        }

        /// Until the door can be gone through: while a sign-out is under way its button is there and disabled.
        private func openDoor(_ host: SimulatedViewHost, _ kind: Door.Kind) async {
            await host.until { (try? $0.find("Sign in with \(kind.name)", [.button])) != nil }
        }

        private func host(_ house: House) -> SimulatedViewHost {
            SimulatedViewHost(HouseView(house: house), window: frontWindow())
        }

        @Test(
            "At each door a person signs in, is known after a restart, and signs out",
            arguments: Door.Kind.allCases
        )
        func wholeWay(_ kind: Door.Kind) async throws {
            device.browser.visit(as: network.person(at: kind), awaiting: Self.redirectURIs(kind))
            let first = host(house())
            try first.tap(kind.name)
            await openDoor(first, kind)
            try first.tap("Sign in with \(kind.name)")
            await first.until { $0.alert != nil || $0.buttons.contains("Sign out") }
            #expect(first.alert?.words == nil)
            let name = try #require(first.elements.first { $0.accessibility.identifier == "visitor" }?.text)
            #expect(!name.isEmpty)

            let second = host(house())
            try second.tap(kind.name)
            await second.until { $0.texts.contains(name) }
            try second.tap("Sign out")
            await openDoor(second, kind)
            #expect(second.alert == nil)

            let third = host(house())
            try third.tap(kind.name)
            await openDoor(third, kind)
            #expect(device.snapshot.violations == [])
        }

        @Test("At each door a URL that the app is opened with ends the sign-in", arguments: Door.Kind.allCases)
        func openURL(_ kind: Door.Kind) async throws {
            let (pages, shown) = AsyncStream<URL>.makeStream()
            let browser = ForwardingUserAgent(redirects, opening: { url throws(SignInError) in shown.yield(url) })
            let host = host(house(browser))
            try host.tap(kind.name)
            await openDoor(host, kind)
            try host.tap("Sign in with \(kind.name)")
            let page = try #require(await first(of: pages))
            let redirectURI = try RedirectURI(Self.redirectURIs(kind)[0])
            let redirect = try await network.person(at: kind).attempt(awaiting: redirectURI).open(page, accepting: .any)
            host.open(try #require(URL(string: "com.example.fivedoors://elsewhere")))
            #expect(host.buttons.contains("Cancel"))
            host.open(redirect)
            await host.until { $0.alert != nil || $0.buttons.contains("Sign out") }
            #expect(host.alert?.words == nil)
        }

        @Test("A person who closes the sheet is at the door again, at each door", arguments: Door.Kind.allCases)
        func closed(_ kind: Door.Kind) async throws {
            device.browser.visit(as: network.person(at: kind), awaiting: [])
            let host = host(house())
            try host.tap(kind.name)
            await openDoor(host, kind)
            try host.tap("Sign in with \(kind.name)")
            await host.until { $0.buttons.contains("Cancel") }
            await host.until { !$0.buttons.contains("Cancel") }
            #expect(host.alert == nil && host.buttons.contains("Sign in with \(kind.name)"))
        }

        @Test("The app starts with the list of its doors")
        func list() {
            let host = SimulatedViewHost(app: FiveDoorsApp(), window: frontWindow())
            #expect(host.buttons == ["logi", "Logto", "Curity", "SSAFY Verify", "Zephr"])
        }
    }
}
