import AppleWorld
import Ostiary
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice {
    @Suite("The window of the web authentication sheet")
    struct WindowTests {
        let site: Site

        init() async throws {
            await freshDevice()
            site = try Site()
        }

        @Test("Among several windows the sheet uses the one in front")
        func theRightWindow() async {
            let expected = await Windows.crowd()
            #expect(expected != nil)
            #expect(await Windows.found() === expected)
        }

        @Test("An app that is about to come to the front is waited for")
        func waitsForActivation() async throws {
            await Windows.closeAll()
            let client = try site.client()
            let signIn = Task { try await client.signIn() }
            #expect(await device.until { device.snapshot.windowLooks > 0 })
            #expect(device.snapshot.web.opened == 0)
            await Windows.openInFront()
            #expect(try await signIn.value.identity?.subject == "alice-subject")
        }

        @Test("Waiting for a window ends with its task")
        func waitingIsCancelled() async throws {
            await Windows.closeAll()
            let client = try site.client()
            let signIn = Task { try await client.signIn() }
            #expect(await device.until { device.snapshot.windowLooks > 0 })
            signIn.cancel()
            await #expect(throws: SignInError(.authorization, .cancelled)) { try await signIn.value }
        }

        @Test("A window that the app's closure cannot return is missing, and no other is used")
        func windowMissing() async throws {
            let client = try site.client(userAgent: WebAuthenticationUserAgent(window: .window { nil }))
            let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            #expect(error == SignInError(.authorization, .presentation(.windowMissing)))
            #expect(device.snapshot.web.opened == 0)
        }

        @Test(
            "A window that has left the screen is rejected, and not reported as a cancellation",
            arguments: [true, false]
        )
        func windowRejected(reportsWhy: Bool) async throws {
            device.with { $0.ambiguities.webSessionReportsFailedStart = reportsWhy }
            let window = await Windows.gone()
            let client = try site.client(userAgent: WebAuthenticationUserAgent(window: .window { window }))
            let error = await signInFailure { () async throws(SignInError) in _ = try await client.signIn() }
            #expect(
                error == SignInError(.authorization, .presentation(reportsWhy ? .windowRejected : .startRefused))
            )
        }

        #if canImport(UIKit)
            @Test("A window over the app's own is not used, although it has the keyboard")
            func alertOverTheWindow() async {
                let expected = await Windows.showAlert()
                #expect(expected != nil)
                #expect(await Windows.found() === expected)
            }

            @Test(
                "A window that leaves the screen while the sheet is up interrupts the sign-in",
                arguments: [true, false]
            )
            func lostWindow(isScene: Bool) async throws {
                device.browser.script = { _ in .wait }
                let client = try site.client()
                let signIn = Task { try await client.signIn() }
                #expect(await device.until { !device.browser.visited.isEmpty })
                await isScene ? Windows.closeFrontmostScene() : Windows.hideFrontmost()
                let lost = SignInError.PresentationFailure.interrupted("the window of the sheet has left the screen")
                await #expect(throws: SignInError(.authorization, .presentation(lost))) { try await signIn.value }
                #expect(device.snapshot.web.open == 0)
                await freshScene()
                device.browser.script = Site.alice
                _ = try await client.signIn()
                #expect(device.snapshot.violations == [])
            }

            @Test("A window of another scene may close, and the sheet stays")
            func anotherWindow() async throws {
                device.browser.script = { page in
                    await Windows.closeAnother()
                    return await Site.alice(page)
                }
                #expect(try await site.client().signIn().identity?.subject == "alice-subject")
            }

            @MainActor private func freshScene() {
                Windows.closeAll()
                Windows.openInFront()
            }
        #else
            @Test("On a Mac the page is the browser's, and stays when the app's window is closed")
            func closedWindow() async throws {
                device.browser.script = { page in
                    await Windows.hideFrontmost()
                    return await Site.alice(page)
                }
                #expect(try await site.client().signIn().identity?.subject == "alice-subject")
            }
        #endif
    }
}
