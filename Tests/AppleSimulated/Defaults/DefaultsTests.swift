import AppleWorld
import Foundation
import Ostiary
import OstiaryCurity
import OstiaryLogi
import OstiaryLogto
import OstiarySSAFY
import OstiaryTesting
import OstiaryZephr
import SimulatedPlatform
import SimulatedWorld
import Testing

@testable import SwiftUIApp

extension OnTheDevice {
    @Suite("Defaults of the platform")
    struct DefaultsTests {
        let site: Site

        init() async throws {
            await freshDevice()
            site = try Site()
        }

        @Test("A client made of three strings signs in with the sheet and stores the session in the keychain")
        func threeStrings() async throws {
            let site = try Site(clock: TestClock(Date()))
            let client = try SignInClient(
                issuer: Site.issuer,
                clientID: "app",
                redirectURI: "com.example.app:/callback",
                configuration: SignInClient.Configuration(transport: site.network)
            )
            _ = try await client.signIn()
            #expect(device.snapshot.web.opened == 1)
            #expect(device.keychainItems().filter { $0.account.hasPrefix("session") }.count == 1)
            let again = try SignInClient(
                issuer: Site.issuer,
                clientID: "app",
                redirectURI: "com.example.app:/callback",
                configuration: SignInClient.Configuration(transport: site.network)
            )
            #expect(try await again.restoreSession()?.identity?.subject == "alice-subject")
        }

        @Test("A loopback redirect opens a Mac's default browser, and fails on other systems")
        func loopback() async throws {
            let uri = try RedirectURI("http://127.0.0.1/callback")
            #if canImport(UIKit)
                let error = await signInFailure { () async throws(SignInError) in
                    _ = try await PlatformUserAgent().attempt(awaiting: uri)
                }
                guard case .configuration = error?.reason else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            #else
                let attempt = try await PlatformUserAgent().attempt(awaiting: uri)
                #expect(attempt.redirectURI.port != nil)
                await attempt.abandon()
            #endif
        }

        @Test("The sheet opens at the named window, and a Mac's default browser needs no window")
        func namedWindow() async throws {
            let userAgent = PlatformUserAgent(window: .window { nil })
            let client = try site.client(userAgent: userAgent)
            let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            #expect(error == SignInError(.authorization, .presentation(.windowMissing)))
            #if !canImport(UIKit)
                let attempt = try await userAgent.attempt(awaiting: try RedirectURI("http://127.0.0.1/callback"))
                #expect(attempt.redirectURI.port != nil)
                await attempt.abandon()
            #endif
        }

        @Test("Between the redirect and the stored session the system is asked not to suspend the app")
        func backgroundTime() async throws {
            let seen = SeenTasks()
            let client = SignInClient(
                issuer: try Issuer(Site.issuer),
                client: try Client(id: "app", redirectURI: try RedirectURI("com.example.app:/callback")),
                configuration: SignInClient.Configuration(
                    userAgent: WebAuthenticationUserAgent(),
                    transport: seen.watching(site.network),
                    store: site.store,
                    clock: site.clock.device
                )
            )
            _ = try await client.signIn()
            #if canImport(UIKit)
                #expect(seen.tasks(at: "/token") == ["Signing in"])
                #expect(device.snapshot.background.begun == ["Signing in"])
            #else
                #expect(device.snapshot.background.begun.isEmpty)
            #endif
            #expect(await device.until { device.snapshot.background.running.isEmpty })
        }

        @Test("LogiAuth opens the vendor's app by its universal link, and a private sheet without the app")
        func logi() async throws {
            let doors = try DoorWorld()
            device.browser.visit(as: doors.network.person(at: .logi), awaiting: [DoorWorld.logiScheme])
            var platform = LogiAuthPlatform.current
            platform.transport = doors.network
            platform.clock = doors.network.clock.device
            let auth = LogiAuth()
            let redirectURI = try #require(URL(string: DoorWorld.logiScheme))
            auth.configure(LogiAuthConfig(clientId: "logi_example", redirectURI: redirectURI), on: platform)
            _ = try await auth.signIn()
            #expect(device.browser.visits == [.isPrivate])
            #expect(device.keychainItems().filter { $0.account.hasPrefix("session") }.count == 1)

            let opener = try #require(platform.opener)
            device.with { $0.universalLinkHosts = ["open.1pass.dev"] }
            #expect(await opener(try #require(URL(string: "https://open.1pass.dev/x"))))
            #expect(await !opener(try #require(URL(string: "https://api.1pass.dev/x"))))
            #if canImport(UIKit)
                #expect(LogiAuthPlatform.current.platform == .iOS)
            #else
                #expect(LogiAuthPlatform.current.platform == .macOS)
            #endif
        }

        @Test(
            "Logi tries the vendor's app, opens a private sheet without it, and stores its session in the keychain"
        )
        func logiValue() async throws {
            let doors = try DoorWorld()
            func logi() throws -> Logi {
                try Logi(doors.logiConfiguration(), transport: doors.network, clock: doors.network.clock.device)
            }
            device.browser.visit(as: doors.network.person(at: .logi), awaiting: [DoorWorld.logiScheme])
            _ = try await logi().signIn()
            #expect(device.browser.visits == [.isPrivate])
            #expect(try await logi().restoreSession()?.identity?.subject == "8c1f0a52-mina")

            device.with { $0.universalLinkHosts = ["open.1pass.dev"] }
            let again = try logi()
            let signIn = Task { try await again.signIn() }
            #expect(await device.until { device.snapshot.openedURLs.count == 1 })
            #expect(device.snapshot.openedURLs.first?.host == "open.1pass.dev")
            await Windows.comeBack()
            await #expect(throws: SignInError(.authorization, .cancelled)) { try await signIn.value }
            #expect(device.browser.visits.count == 1)
        }

        @Test("A user who returns from the vendor's app without a redirect has cancelled the sign-in")
        func logiReturns() async throws {
            device.with { $0.universalLinkHosts = ["open.1pass.dev"] }
            var platform = LogiAuthPlatform.current
            platform.transport = site.network
            let auth = LogiAuth()
            auth.configure(
                LogiAuthConfig(
                    clientId: "app",
                    redirectURI: try #require(URL(string: "com.example.app:/callback")),
                    issuer: try #require(URL(string: Site.issuer)),
                    tokenIssuer: Site.issuer,
                    // The vendor's own scopes are unknown to this provider, which says so when the request is pushed.
                    scopes: ["openid"],
                    nativeAuthorizeHost: "open.1pass.dev"
                ),
                on: platform
            )
            let signIn = Task { try await auth.signIn() }
            #expect(await device.until { device.snapshot.openedURLs.count == 1 })
            #expect(device.snapshot.openedURLs.first?.host == "open.1pass.dev")
            await Windows.comeBack()
            await #expect(throws: LogiAuthError.userCancelled) { try await signIn.value }
        }

        @Test("SSAFY Verify shows its page with the sheet")
        func ssafy() async throws {
            let ssafy = try SSAFYVerify(
                SSAFYConfiguration(clientID: "app", redirectURI: "com.example.app:/callback"),
                backend: NoBackend()
            )
            device.browser.transport = { _ in BrowserResponse(status: 200, fields: [], body: []) }
            device.browser.script = { _ in .cancel }
            await #expect(throws: VerificationError(.cancelled)) { _ = try await ssafy.verify() }
            #expect(device.snapshot.web.opened == 1)
        }

        @Test("Logto keeps its session in the keychain and shows its page with the sheet")
        func logto() async throws {
            let doors = try DoorWorld()
            device.browser.visit(as: doors.network.person(at: .logto), awaiting: [DoorWorld.logtoScheme])
            func logto(persisting: Bool = true) throws -> Logto {
                let endpoint = "https://example.logto.app"
                return try Logto(
                    LogtoConfig(endpoint: endpoint, appId: "logto-app", usingPersistStorage: persisting),
                    redirectURI: DoorWorld.logtoScheme,
                    transport: doors.network,
                    clock: doors.network.clock.device
                )
            }
            _ = try await logto(persisting: false).signIn()
            #expect(device.snapshot.web.opened == 1 && device.keychainItemCount == 0)
            _ = try await logto().signIn()
            #expect(device.snapshot.web.opened == 2)
            #expect(try await logto().restoreSession()?.claims?.sub == "user-alice")
        }
    }
}

private struct NoBackend: VerificationBackend {
    func verify(
        _ exchange: VerificationExchangeRequest
    ) async throws(VerificationError) -> VerificationResult { throw VerificationError(.unavailable) }
}
