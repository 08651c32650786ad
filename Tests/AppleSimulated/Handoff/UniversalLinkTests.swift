import AppleWorld
import Foundation
import Ostiary
import OstiaryAutomation
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice {
    @Suite("The provider's own app by its universal link")
    struct UniversalLinkTests {
        let site: Site
        let redirects = ForwardedRedirects()

        init() async throws {
            await freshDevice()
            site = try Site()
        }

        private func client(_ returning: AppReturn = .cancelling(after: .milliseconds(20))) throws -> SignInClient {
            let userAgent = AppHandoff.system(
                redirects,
                rewriting: {
                    URL(string: $0.absoluteString.replacing("id.example.test", with: "open.example.test"))
                },
                returning: returning
            )
            return try site.client(userAgent: userAgent)
        }

        /// The answer of the provider's app to the URL that it was opened with.
        private func answer(to url: URL) async throws -> URL {
            let web = url.absoluteString.replacing("open.example.test", with: "id.example.test")
            let browser = HTTPUserAgent(
                transport: site.network,
                credentials: .init(name: "alice", password: Secret("wonderland"))
            )
            let attempt = try await browser.attempt(awaiting: try RedirectURI("com.example.app:/callback"))
            return try await attempt.open(try #require(URL(string: web)), accepting: .any)
        }

        @Test("An app that claims the universal link is opened, and its redirect ends the sign-in")
        func nativeApp() async throws {
            device.with { $0.universalLinkHosts = ["open.example.test"] }
            let client = try client()
            let signIn = Task { try await client.signIn() }
            #expect(await device.until { device.snapshot.openedURLs.count == 1 })
            let redirect = try await answer(to: device.snapshot.openedURLs[0])
            await Windows.comeBack()
            #expect(redirects.handle(redirect))
            #expect(try await signIn.value.identity?.subject == "alice-subject")
            #expect(device.browser.visited.isEmpty)
        }

        @Test("Where no app claims the link the sheet shows the page, and no browser opens the link")
        func noApp() async throws {
            let session = try await client().signIn()
            #expect(session.identity?.subject == "alice-subject")
            #expect(device.snapshot.openedURLs.isEmpty)
            #expect(device.browser.visited.first?.host == "id.example.test")
        }

        @Test("A return to the app without a redirect ends the sign-in as cancelled")
        func comesBack() async throws {
            device.with { $0.universalLinkHosts = ["open.example.test"] }
            let client = try client()
            let signIn = Task { try await client.signIn() }
            #expect(await device.until { device.snapshot.openedURLs.count == 1 })
            await Windows.comeBack()
            await #expect(throws: SignInError(.authorization, .cancelled)) { try await signIn.value }
            #expect(device.browser.visited.isEmpty)
        }

        @Test("A brief return from the provider's app does not cancel the sign-in")
        func goesBack() async throws {
            device.with { $0.universalLinkHosts = ["open.example.test"] }
            let client = try client()
            let signIn = Task { try await client.signIn() }
            #expect(await device.until { device.snapshot.openedURLs.count == 1 })
            await Windows.lookIn()
            let looks = device.snapshot.windowLooks
            #expect(await device.until { device.snapshot.windowLooks > looks })
            let redirect = try await answer(to: device.snapshot.openedURLs[0])
            await Windows.comeBack()
            #expect(redirects.handle(redirect))
            #expect(try await signIn.value.identity?.subject == "alice-subject")
        }

        @Test("A return to the app without a redirect continues in the sheet when the app chooses so")
        func goesOnInTheSheet() async throws {
            device.with { $0.universalLinkHosts = ["open.example.test"] }
            let client = try client(.openingOtherwise(after: .milliseconds(1)))
            let signIn = Task { try await client.signIn() }
            #expect(await device.until { device.snapshot.openedURLs.count == 1 })
            await Windows.comeBack()
            #expect(try await signIn.value.identity?.subject == "alice-subject")
            #expect(device.snapshot.web.opened == 1)
        }

        @Test("A forwarded URL with another host or state is not consumed, and the sign-in continues")
        func foreignURL() async throws {
            device.with { $0.universalLinkHosts = ["open.example.test"] }
            let client = try client(.ignored)
            let signIn = Task { try await client.signIn() }
            #expect(await device.until { device.snapshot.openedURLs.count == 1 })
            for foreign in ["https://shop.example.test/sale", "com.example.app:/callback?code=c&state=wrong"] {
                #expect(!redirects.handle(try #require(URL(string: foreign))))
            }
            let redirect = try await answer(to: device.snapshot.openedURLs[0])
            #expect(redirects.handle(redirect))
            _ = try await signIn.value
        }

        @Test("The deadline ends a sign-in that the other app never answers")
        func deadline() async throws {
            device.with { $0.universalLinkHosts = ["open.example.test"] }
            let handoff = AppHandoff.system(
                redirects,
                rewriting: { _ in URL(string: "https://open.example.test/") }
            )
            let client = try site.client(
                userAgent: handoff,
                policy: SessionPolicy(browserDeadline: .milliseconds(20))
            )
            let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            #expect(error == SignInError(.authorization, .timedOut))
        }
    }
}
