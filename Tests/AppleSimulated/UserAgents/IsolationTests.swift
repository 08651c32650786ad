import Foundation
import Ostiary
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice {
    @Suite("The thread of a report")
    struct IsolationTests {
        init() async { await freshDevice() }

        @Test("A sign-in on the main actor does not trap when the system reports on its own queue")
        @MainActor
        func reportsOffMain() async throws {
            device.with { $0.ambiguities.webSessionReportsOffMain = true }
            let site = try Site()
            let session = try await site.client().signIn()
            #expect(session.identity?.subject == "alice-subject")
        }

        @Test("The simulated device traps a main-actor closure called off the main queue, as Apple's systems do")
        func naiveClosure() async {
            await #expect(processExitsWith: .failure) {
                await freshDevice()
                device.browser.script = { _ in .cancel }
                await NaiveSheet.run()
            }
        }
    }
}
