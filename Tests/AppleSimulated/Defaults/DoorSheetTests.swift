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
    @Suite("The sheet of each front door", .timeLimit(.minutes(5)))
    struct DoorSheetTests {
        private let doors: DoorWorld

        init() async throws {
            await freshDevice()
            doors = try DoorWorld()
        }

        /// The user goes through the pages, and comes out at the door's redirect URI.
        private func visit(_ kind: SignInProvider.Kind, to redirectURI: String) {
            device.browser.visit(as: doors.network.person(at: kind), awaiting: [redirectURI])
        }

        @Test("Logi opens a private sheet, and a shared one when its configuration asks for it")
        func logi() async throws {
            visit(.logi, to: DoorWorld.logiScheme)
            var configuration = try doors.logiConfiguration()
            _ = try await doors.logi(configuration).signIn()
            configuration.browserSession = .shared
            _ = try await doors.logi(configuration).signIn()
            #expect(device.browser.visits == [.isPrivate, .shared])
        }

        @Test("LogiAuth opens a private sheet, and a shared one when its configuration asks for it")
        func logiAuth() async throws {
            visit(.logi, to: DoorWorld.logiScheme)
            _ = try await doors.logiAuth().signIn()
            _ = try await doors.logiAuth { $0.prefersEphemeralWebSession = false }.signIn()
            #expect(device.browser.visits == [.isPrivate, .shared])
        }

        @Test("SSAFY Verify opens a shared sheet, and a private one when its configuration asks for it")
        func ssafy() async throws {
            visit(.ssafy, to: DoorWorld.ssafyLink)
            var configuration = try doors.ssafyConfiguration()
            _ = try await doors.ssafy(configuration).verify()
            configuration.browserSession = .ephemeral
            _ = try await doors.ssafy(configuration).verify()
            #expect(device.browser.visits == [.shared, .isPrivate])
        }

        @Test("Logto opens a shared sheet, and a private one when its configuration asks for it")
        func logto() async throws {
            visit(.logto, to: DoorWorld.logtoScheme)
            _ = try await doors.logto().signIn()
            _ = try await doors.logto(isPrivate: true).signIn()
            #expect(device.browser.visits == [.shared, .isPrivate])
        }

        @Test("LogtoClient opens a shared sheet, and a private one when its configuration asks for it")
        func logtoClient() async throws {
            visit(.logto, to: DoorWorld.logtoScheme)
            try await doors.logtoClient().signInWithBrowser(redirectUri: DoorWorld.logtoScheme)
            try await doors.logtoClient(isPrivate: true).signInWithBrowser(redirectUri: DoorWorld.logtoScheme)
            #expect(device.browser.visits == [.shared, .isPrivate])
        }

        @Test("Zephr opens a private sheet, and a shared one when its configuration asks for it")
        func zephr() async throws {
            visit(.zephr, to: DoorWorld.zephrLink)
            var configuration = try doors.zephrConfiguration()
            _ = try await doors.zephr(configuration).signIn(with: .google)
            configuration.browserSession = .shared
            _ = try await doors.zephr(configuration).signIn(with: .google)
            #expect(device.browser.visits == [.isPrivate, .shared])
        }

        @Test("Curity opens a shared sheet, so that a registration by sign-in and the sign-in are one for the user")
        func curity() async throws {
            visit(.curity, to: DoorWorld.curityScheme)
            _ = try await doors.curity().signIn()
            #expect(device.browser.visits == [.shared])
        }

        @Test("The window that the app gave is the sheet's window at Logi and LogiAuth, whatever the browser session")
        func namedWindow() async throws {
            visit(.logi, to: DoorWorld.logiScheme)
            let noWindow = PlatformUserAgent(window: .window { nil })
            let logi = try doors.logi(try doors.logiConfiguration(), browser: noWindow)
            let error = await signInFailure { () async throws(SignInError) in _ = try await logi.signIn() }
            #expect(error == SignInError(.authorization, .presentation(.windowMissing)))
            await #expect(throws: LogiAuthError.webAuthSessionStartFailed) {
                try await doors.logiAuth(browser: noWindow).signIn()
            }
            #expect(device.snapshot.web.opened == 0)
            let window = PlatformUserAgent(window: .window { frontWindow() })
            _ = try await doors.logi(try doors.logiConfiguration(), browser: window).signIn()
            #expect(device.browser.visits == [.isPrivate])
        }

        @Test("A user agent of the app keeps its own browser session")
        func ownAgent() async throws {
            visit(.logi, to: DoorWorld.logiScheme)
            _ = try await doors.logi(try doors.logiConfiguration(), browser: WebAuthenticationUserAgent()).signIn()
            #expect(device.browser.visits == [.shared])
        }

        @Test("A URL that the app is opened with ends the sign-in of Logi that has the sheet up")
        func forwardedToLogi() async throws {
            let logi = try doors.logi(try doors.logiConfiguration())
            let session = try await doors.forwarded(to: .logi, DoorWorld.logiScheme, by: { logi.handle($0) }) {
                try await logi.signIn()
            }
            #expect(session.identity?.subject == "8c1f0a52-mina")
        }

        @Test("A URL that the app is opened with ends the sign-in of Logi that uses the browser alone")
        func forwardedToLogiInBrowser() async throws {
            let logi = try doors.logi(try doors.logiConfiguration(), opener: nil)
            let session = try await doors.forwarded(to: .logi, DoorWorld.logiScheme, by: { logi.handle($0) }) {
                try await logi.signIn()
            }
            #expect(session.identity?.subject == "8c1f0a52-mina")
        }

        @Test("A URL that the app is opened with ends the sign-in of LogiAuth that has the sheet up")
        func forwardedToLogiAuth() async throws {
            let auth = try doors.logiAuth()
            let session = try await doors.forwarded(to: .logi, DoorWorld.logiScheme, by: { auth.handle($0) }) {
                try await auth.signIn()
            }
            #expect(session.sub == "8c1f0a52-mina")
        }

        @Test(
            "A universal link that the app is opened with ends the verification of SSAFY Verify that has the sheet up"
        )
        func forwardedToSSAFY() async throws {
            let ssafy = try doors.ssafy(try doors.ssafyConfiguration())
            let result = try await doors.forwarded(to: .ssafy, DoorWorld.ssafyLink, by: { ssafy.handle($0) }) {
                try await ssafy.verify()
            }
            #expect(result.status == .verified)
        }

        @Test("A URL that the app is opened with ends the sign-in of LogtoClient that has the sheet up")
        func forwardedToLogto() async throws {
            let client = try doors.logtoClient()
            try await doors.forwarded(to: .logto, DoorWorld.logtoScheme, by: { client.handle(url: $0) }) {
                try await client.signInWithBrowser(redirectUri: DoorWorld.logtoScheme)
            }
            #expect(client.isAuthenticated)
        }

        @Test("A URL that the app is opened with ends the sign-in of Curity that has the sheet up")
        func forwardedToCurity() async throws {
            let curity = try doors.curity()
            let session = try await doors.forwarded(to: .curity, DoorWorld.curityScheme, by: { curity.handle($0) }) {
                try await curity.signIn()
            }
            #expect(session.identity != nil)
        }

        @Test("A URL that the app is opened with ends the sign-in of Logto that has the sheet up")
        func forwardedToLogtoValue() async throws {
            let logto = try doors.logto()
            let session = try await doors.forwarded(to: .logto, DoorWorld.logtoScheme, by: { logto.handle($0) }) {
                try await logto.signIn()
            }
            #expect(session.claims?.sub == "user-alice")
        }

        @Test("A front door's error for an https redirect names the missing host and entitlement, not a missing window")
        func associationMissing() async throws {
            device.with { $0.app.webCredentialDomains = [] }
            let link = "https://app.example.com/callback"
            let step = "webcredentials:app.example.com"
            let missing = SignInError(
                .authorization,
                .presentation(.associatedDomainMissing(host: "app.example.com"))
            )
            #expect(missing.message.contains(step))

            let logi = try doors.logi(try doors.logiConfiguration(link))
            #expect(await signInFailure { () async throws(SignInError) in _ = try await logi.signIn() } == missing)
            await #expect(throws: LogiAuthError.invalidConfiguration(missing.message)) {
                try await doors.logiAuth { $0.redirectURI = try #require(URL(string: link)) }.signIn()
            }
            await #expect(throws: VerificationError(.configuration(missing.message))) {
                try await doors.ssafy(try doors.ssafyConfiguration(link)).verify()
            }
            let logto = try doors.logto(link)
            let error = await signInFailure { () async throws(SignInError) in _ = try await logto.signIn() }
            #expect(error?.logtoFailure == .configuration(missing.message))
            let client = try doors.logtoClient()
            let told = await #expect(throws: LogtoClientErrors.SignIn.self) {
                try await client.signInWithBrowser(redirectUri: link)
            }
            #expect(told?.type == .unableToConstructAuthUri && told.map { "\($0)" }?.contains(step) == true)
            await #expect(throws: ZephrError(.configuration(missing.message))) {
                try await doors.zephr(try doors.zephrConfiguration(link)).signIn(with: .google)
            }
            let curity = try doors.curity(link)
            let refused = await signInFailure { () async throws(SignInError) in _ = try await curity.signIn() }
            #expect(refused == missing && CurityError(missing).errorDescription == missing.message)
            #expect(device.browser.visited.isEmpty)
        }

        @Test(
            "Where the https redirect is not associated with the app, SSAFY Verify falls back to the app's own scheme"
        )
        func fallBack() async throws {
            device.with { $0.app.webCredentialDomains = [] }
            visit(.ssafy, to: DoorWorld.ssafyScheme)
            let configuration = try doors.ssafyConfiguration(fallback: DoorWorld.ssafyScheme)
            let result = try await doors.ssafy(configuration).verify()
            #expect(result.status == .verified)
            let page = try #require(device.browser.visited.first)
            #expect(page.query()?.contains("partnerapp") == true && device.browser.visited.count == 1)
        }

        @Test("A sheet that has no window is no reason for the scheme of SSAFY Verify's fall back")
        func noFallBack() async throws {
            await Windows.closeAll()
            let configuration = try doors.ssafyConfiguration(fallback: DoorWorld.ssafyScheme)
            let agent = PlatformUserAgent(window: .window { nil })
            await #expect(throws: VerificationError(.presentationFailed, code: .popupFailed)) {
                try await doors.ssafy(configuration, userAgent: agent).verify()
            }
            #expect(device.browser.visited.isEmpty)
        }
    }
}
