import Ostiary
import SimulatedPlatform
import SimulatedWorld
import Synchronization
import Testing

extension OnTheDevice {
    @Suite("Time in the background")
    struct BackgroundTimeTests {
        init() async { await freshDevice() }

        #if canImport(UIKit)
            @Test("An app holds a background task until it lets go, once")
            func taskOfAnApp() async throws {
                let hold = try #require(await SystemBackgroundTime().begin("Renewing", expired: {}))
                #expect(device.snapshot.background.running == ["Renewing"])
                hold.release()
                hold.release()
                #expect(await device.until { device.snapshot.background.running.isEmpty })
                #expect(device.snapshot.violations == [])
            }

            @Test("When the time is up, what was held is given back before the task ends")
            func expiry() async throws {
                let expired = Atomic(0)
                let hold = try #require(
                    await SystemBackgroundTime().begin("Renewing") {
                        expired.add(1, ordering: .relaxed)
                        #expect(device.snapshot.background.running == ["Renewing"])
                    }
                )
                await MainActor.run { device.expireTasks() }
                #expect(expired.load(ordering: .relaxed) == 1)
                hold.release()
                #expect(device.snapshot.background.running.isEmpty)
                #expect(device.snapshot.violations == [])
            }

            @Test("A system that gives no time is believed")
            func refused() async {
                device.with { $0.background.isRefusing = true }
                #expect(await SystemBackgroundTime().begin("Renewing", expired: {}) == nil)
            }

            @Test("An app extension holds an expiring activity until it lets go")
            func activityOfAnExtension() async throws {
                let hold = try #require(await ExpiringActivityTime().begin("Renewing", expired: {}))
                #expect(device.snapshot.background.running == ["Renewing"])
                hold.release()
                #expect(await device.until { device.snapshot.background.running.isEmpty })
                #expect(device.snapshot.violations == [])
            }

            @Test("An app extension gives back what it holds when its time is up, once")
            func expiringActivity() async throws {
                let expired = Atomic(0)
                let hold = try #require(
                    await ExpiringActivityTime().begin("Renewing") { expired.add(1, ordering: .relaxed) }
                )
                let expiring = Task.detached { device.expireTasks() }
                await expiring.value
                #expect(expired.load(ordering: .relaxed) == 1)
                hold.release()
                #expect(await device.until { device.snapshot.background.running.isEmpty })
            }

            @Test("An app extension that gets no time is told so, and nothing expires")
            func refusedActivity() async {
                device.with { $0.background.isRefusing = true }
                let expired = Atomic(0)
                let hold = await ExpiringActivityTime().begin("Renewing") { expired.add(1, ordering: .relaxed) }
                #expect(hold == nil)
                #expect(expired.load(ordering: .relaxed) == 0)
            }
        #else
            @Test("A Mac's app asks the system for no time")
            func mac() async {
                #expect(await SystemBackgroundTime().begin("Renewing", expired: {}) != nil)
                #expect(device.snapshot.background.begun.isEmpty)
            }
        #endif
    }
}
