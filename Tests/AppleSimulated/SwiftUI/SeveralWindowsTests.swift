import AppleWorld
import Observation
import Ostiary
import OstiarySwiftUI
import OstiaryTesting
import SimulatedPlatform
import SimulatedWorld
import SwiftUI
import Testing

/// A door whose model an app exchanges.
private struct Door: View {
    let doors: Doors

    var body: some View { Text("door").signIn(doors.model) }
}

@MainActor @Observable private final class Doors {
    var model: SignInModel<Session>

    init(_ model: SignInModel<Session>) { self.model = model }
}

extension OnTheDevice {
    @Suite("A model whose views stand in several windows", .timeLimit(.minutes(5)))
    @MainActor
    struct SeveralWindowsTests {
        private let site: Site

        init() throws {
            freshDevice()
            Windows.closeAll()
            site = try Site()
        }

        private func model() throws -> SignInModel<Session> {
            let window = SignInWindow()
            let userAgent = WebAuthenticationUserAgent(window: .views(window))
            return SignInModel(window: window, SignInSource(try site.client(userAgent: userAgent)))
        }

        @Test("The sheet opens at the window in front, and not at the latest one")
        func inFront() async throws {
            let model = try model()
            let (first, second) = (AppWindow(), AppWindow())
            first.comeToFront()
            first.show(Text("one").signIn(model))
            second.show(Text("two").signIn(model))
            #expect(model.window.current === first.window)
            await model.signIn()
            #expect(device.snapshot.web.opened == 1 && model.state.account != nil)
            second.comeToFront(from: first)
            #expect(model.window.current === second.window)
        }

        @Test("When one window is closed, pages go up at the other")
        func closed() async throws {
            let model = try model()
            let (first, second) = (AppWindow(), AppWindow())
            first.comeToFront()
            first.show(Text("one").signIn(model))
            second.comeToFront(from: first)
            second.show(Text("two").signIn(model))
            #expect(model.window.current === second.window)
            second.close()
            first.comeToFront()
            #expect(model.window.current === first.window)
            await model.signIn()
            #expect(model.failure == nil && model.state.account != nil)
        }

        @Test("A replaced model of the same views finds the window of the views")
        func exchanged() async throws {
            let before = try model()
            let doors = Doors(before)
            let window = AppWindow()
            window.comeToFront()
            window.show(Door(doors: doors))
            #expect(before.window.current === window.window)
            let after = try model()
            doors.model = after
            _ = window.host?.screen
            #expect(after.window.current === window.window)
            #expect(before.window.current == nil)
            await after.signIn()
            #expect(after.failure == nil && after.state.account != nil)
        }

        @Test("A sign-in that begins with the first view waits until the app is in front")
        func launch() async throws {
            let model = try model()
            let window = AppWindow()
            window.show(Text("one").signIn(model).task { await model.signIn() })
            #expect(await device.until { device.snapshot.windowLooks > 0 })
            #expect(device.snapshot.web.opened == 0)
            window.comeToFront()
            await window.host?.until { _ in model.state.account != nil || model.failure != nil }
            #expect(model.failure == nil && device.snapshot.web.opened == 1)
        }

        @Test("A sign-in that begins before there is a view waits for its window")
        func beforeTheView() async throws {
            let model = try model()
            let signIn = Task { await model.signIn() }
            while site.network.requests.isEmpty { await Task.yield() }
            for _ in 0..<100 { await Task.yield() }
            let window = AppWindow()
            window.comeToFront()
            window.show(Text("one").signIn(model))
            await signIn.value
            #expect(model.failure == nil && model.state.account != nil)
        }
    }
}
