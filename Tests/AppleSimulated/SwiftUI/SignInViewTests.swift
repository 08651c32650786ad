import AppleWorld
import Foundation
import Observation
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryOAuth
import SimulatedPlatform
import SimulatedWorld
import SwiftUI
import Testing

@testable import OstiarySwiftUI

/// A door and a house.
private struct Screen: View {
    let model: SignInModel<PreviewAccount>

    var body: some View {
        VStack {
            switch model.state {
            case .signedIn(let account, _):
                Text(verbatim: account.name)
                SignOutButton(model)
            case .restoring: ProgressView()
            default: SignInButton(model, provider: "Example")
            }
        }
    }
}

extension OnTheDevice {
    @Suite("The sign-in views", .timeLimit(.minutes(5)))
    @MainActor
    struct SignInViewTests {
        private let offline = SignInError(.token, .transport(.unreachable), requestID: "req-7")

        private func host(
            _ model: SignInModel<PreviewAccount>,
            language: String = "en",
            size: DynamicTypeSize = .large
        ) -> SimulatedViewHost {
            var environment = EnvironmentValues()
            environment.locale = Locale(identifier: language)
            environment.dynamicTypeSize = size
            return SimulatedViewHost(Screen(model: model).signIn(model), environment: environment)
        }

        @Test("The sample views sign a user in and out without a network and without a sheet")
        func wholeWay() async throws {
            let host = host(SignInModel(.preview(.succeeding())))
            await host.until { $0.buttons == ["Sign in with Example"] }
            try host.tap("Sign in with Example")
            await host.until { $0.texts.contains("Ada Lovelace") }
            try host.tap("Sign out")
            await host.until { $0.buttons == ["Sign in with Example"] }
        }

        @Test("A restored session is shown without the sign-in button")
        func restored() async {
            let host = host(SignInModel(.preview(.restoring())))
            #expect(host.buttons.isEmpty)
            await host.until { $0.texts.contains("Ada Lovelace") }
            #expect(host.buttons == ["Sign out"])
        }

        @Test("VoiceOver says what a tap does, and that the button waits")
        func accessibility() async throws {
            let host = host(SignInModel(.preview(.waiting)))
            await host.until { !$0.buttons.isEmpty }
            var button = try host.find("ostiary.sign-in", [.button])
            #expect(button.spokenLabel == "Sign in with Example")
            #expect(button.accessibility.hint == "Opens a sign-in page in a secure browser window.")
            #expect(button.accessibility.traits.contains(.isButton) && button.accessibility.value == "")
            try host.tap("Sign in with Example")
            await host.until { $0.texts.contains("Signing in…") }
            button = try #require(host.elements.first { $0.kind == .button })
            #expect(button.spokenLabel == "Sign in with Example" && button.accessibility.value == "Signing in…")
            #expect(button.accessibility.traits.contains(.updatesFrequently) && !button.isEnabled)
            #expect(host.elements.contains { $0.kind == .progress && $0.accessibility.isHidden })
            #expect(throws: SimulatedViewError.disabled("Sign in with Example")) {
                try host.tap("Sign in with Example")
            }
        }

        @Test(
            "Text grows with the user's text size: no font, height or line count is fixed",
            arguments: [
                DynamicTypeSize.xSmall, .large, .accessibility5,
            ]
        )
        func textSize(_ size: DynamicTypeSize) async throws {
            let host = host(SignInModel(.preview(.waiting)), size: size)
            await host.until { !$0.buttons.isEmpty }
            let looks = try host.find("ostiary.sign-in", [.button]).all.flatMap(\.looks)
            #expect(!looks.contains { $0.hasPrefix("font fixed") || $0.hasPrefix("lines") || $0 == "frame" })
            #expect(host.elements.first { $0.kind == .text }?.environment.dynamicTypeSize == size)
        }

        @Test(
            "The sign-in button is shown in the user's language",
            arguments: [
                ("en", "Sign in with Example"), ("ko_KR", "Example 계정으로 로그인"), ("zh_CN", "通过 Example 登录"),
                ("zh_TW", "使用 Example 登入"), ("ja_JP", "Exampleでサインイン"), ("de_DE", "Mit Example anmelden"),
            ]
        )
        func language(_ identifier: String, _ title: String) async {
            let host = host(SignInModel(.preview(.succeeding())), language: identifier)
            await host.until { $0.buttons == [title] }
        }

        @Test(
            "A failure's alert shows the advice, and the sign-in can be tried again",
            arguments: [
                SimulatedViewHost.Dismissal.beforeAction, .afterAction,
            ]
        )
        func alert(_ dismissal: SimulatedViewHost.Dismissal) async throws {
            let model = SignInModel(.preview(.failing(offline)))
            let host = host(model)
            host.dismissal = dismissal
            await host.until { !$0.buttons.isEmpty }
            try host.tap("Sign in with Example")
            await host.until { $0.alert != nil }
            let alert = try #require(host.alert)
            #expect(alert.text == "You are not signed in")
            #expect(
                alert.children.first?.text
                    == "The sign-in service could not be reached. Please check your connection and try again.\n"
                    + "Reference for support: req-7"
            )
            #expect(host.buttons == ["Try again", "Close"])
            try host.tap("Try again")
            await host.until { $0.alert != nil }
            try host.tap("Close")
            #expect(host.alert == nil && model.state == .signedOut)
        }

        @Test("An alert stays when the view below it is replaced")
        func alertStays() async throws {
            let model = SignInModel(.preview(.failing(offline)))
            let generations = Generations()
            let host = SimulatedViewHost(Replaced(model: model, generations: generations))
            await host.until { _ in model.state == .signedOut }
            try host.tap("Sign in")
            await host.until { $0.alert != nil }
            for _ in 0..<3 {
                generations.count += 1
                #expect(host.alert?.text == "You are not signed in" && host.texts.contains("\(generations.count)"))
            }
        }

        @Test("A user who closes the page sees no alert")
        func quiet() async throws {
            let model = SignInModel(.preview(.cancelling))
            let host = host(model)
            await host.until { !$0.buttons.isEmpty }
            await model.signIn()
            #expect(host.alert == nil && host.buttons == ["Sign in with Example"])
        }

        @Test("A view that disappears does not end the sign-in that it started")
        func goneView() async throws {
            let steps = Steps()
            let model = SignInModel(steps.source)
            await model.restore()
            let host = SimulatedViewHost(SignInButton(model))
            try host.tap("Sign in")
            await host.until { $0.texts.contains("Signing in…") }
            host.close()
            steps.signIns.yield(.success("ada"))
            await model.signIn()
            #expect(model.state == .signedIn("ada", .current))
        }

        @Test("After the device is unlocked the session is restored when the app comes to the front")
        func unlocked() async {
            let store = FaultyDoor()
            let model = SignInModel(store.source)
            let host = SimulatedViewHost(
                Group { if model.state.account == nil { Text("nobody") } else { Text("ada") } }.signIn(model)
            )
            await host.until { _ in model.state == .locked }
            #expect(host.alert == nil)
            store.unlock()
            host.environment.scenePhase = .background
            _ = host.screen
            host.environment.scenePhase = .active
            _ = host.screen
            await host.until { _ in model.state == .signedIn("ada", .current) }
        }

        @Test("URLs and universal links that the app is opened with reach the sign-in")
        func opening() async throws {
            for isActivity in [false, true] {
                let world = try SwiftUIWorld()
                let (pages, shown) = AsyncStream<URL>.makeStream()
                let model = try world.model(
                    ForwardingUserAgent(world.redirects, opening: { url throws(SignInError) in shown.yield(url) })
                )
                let host = SimulatedViewHost(SignInButton(model).signIn(model))
                await host.until { (try? $0.find("Sign in", [.button])) != nil }
                try host.tap("Sign in")
                let page = try #require(await first(of: pages))
                let redirect = try await world.person.attempt(
                    awaiting: try RedirectURI("com.example.app:/callback")
                )
                .open(page, accepting: .any)
                if isActivity {
                    let activity = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
                    activity.webpageURL = redirect
                    host.continue(activity)
                } else {
                    host.open(redirect)
                }
                await model.signIn()
                #expect(model.claims?["sub"]?.string == "alice-subject")
            }
        }

        @Test("The previews draw without a violation")
        func previews() {
            SimulatedDevice.shared.reset()
            let host = SimulatedViewHost(SignInPreviews.previews)
            #expect(host.buttons.count + host.elements.count { $0.kind == .button } > 0)
            #expect(SimulatedDevice.shared.snapshot.violations == [])
        }
    }
}

/// Something that makes a view another one.
@MainActor @Observable private final class Generations {
    var count = 0
}

private struct Replaced: View {
    let model: SignInModel<PreviewAccount>
    let generations: Generations

    var body: some View {
        VStack {
            Text("\(generations.count)")
            if generations.count.isMultiple(of: 2) {
                SignInButton(model).signIn(model).id(generations.count)
            } else {
                SignInButton(model).signIn(model)
            }
        }
    }
}

/// A locked store.
private final class FaultyDoor: Sendable {
    private let isLocked = Lock(true)

    func unlock() { isLocked.withLock { $0 = false } }

    var source: SignInSource<String> {
        SignInSource(
            restore: {
                if self.isLocked.withLock({ $0 }) { throw SignInError(.storage, .storage(.locked)) }
                return "ada"
            },
            signIn: { "ada" },
            signOut: { _ in }
        )
    }
}
