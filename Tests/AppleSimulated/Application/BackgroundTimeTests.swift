import AppleWorld
import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryOAuth
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice {
    @Suite("Time in the background")
    struct BackgroundTimeTests {
        init() async { await freshDevice() }

        #if canImport(UIKit)
            @Test("An app holds a background task until it releases it, once")
            func taskOfAnApp() async throws {
                let hold = try #require(await SystemBackgroundTime().begin("Renewing", expired: {}))
                #expect(device.snapshot.background.running == ["Renewing"])
                hold.release()
                hold.release()
                #expect(await device.until { device.snapshot.background.running.isEmpty })
                #expect(device.snapshot.violations == [])
            }

            @Test("When background time expires, the task is ended after the expiry handler")
            func expiry() async throws {
                let expired = Lock(0)
                let hold = try #require(
                    await SystemBackgroundTime().begin("Renewing") {
                        expired.withLock { $0 += 1 }
                        #expect(device.snapshot.background.running == ["Renewing"])
                    }
                )
                await MainActor.run { device.expireTasks() }
                #expect(expired.withLock { $0 } == 1)
                hold.release()
                #expect(device.snapshot.background.running.isEmpty)
                #expect(device.snapshot.violations == [])
            }

            @Test("A system that grants no background time yields no hold")
            func refused() async {
                device.with { $0.background.isRefusing = true }
                #expect(await SystemBackgroundTime().begin("Renewing", expired: {}) == nil)
            }

            @Test("An app extension holds an expiring activity until it releases it")
            func activityOfAnExtension() async throws {
                let hold = try #require(await ExpiringActivityTime().begin("Renewing", expired: {}))
                #expect(device.snapshot.background.running == ["Renewing"])
                hold.release()
                #expect(await device.until { device.snapshot.background.running.isEmpty })
                #expect(device.snapshot.violations == [])
            }

            @Test("An app extension releases its activity once when its time expires")
            func expiringActivity() async throws {
                let expired = Lock(0)
                let hold = try #require(
                    await ExpiringActivityTime().begin("Renewing") { expired.withLock { $0 += 1 } }
                )
                let expiring = Task.detached { device.expireTasks() }
                await expiring.value
                #expect(expired.withLock { $0 } == 1)
                hold.release()
                #expect(await device.until { device.snapshot.background.running.isEmpty })
            }

            @Test("An app extension without background time gets no hold, and its expiry handler is not called")
            func refusedActivity() async {
                device.with { $0.background.isRefusing = true }
                let expired = Lock(0)
                let hold = await ExpiringActivityTime().begin("Renewing") { expired.withLock { $0 += 1 } }
                #expect(hold == nil)
                #expect(expired.withLock { $0 } == 0)
            }

            @Test(
                "A process that is not an app refreshes a session without background time",
                arguments: [true, false]
            )
            func noApp(isRefusing: Bool) async throws {
                device.with {
                    $0.app.isHosted = false
                    $0.background.isRefusing = isRefusing
                }
                let session = try await World().client(store: MemoryStore()).signIn()
                let before = try await session.accessToken()
                try await session.refresh()
                #expect(try await session.accessToken() != before)
                #expect(device.snapshot.background.begun.isEmpty)
            }

            @Test("A process that is not an app has no window and opens no link")
            func noApplication() async throws {
                device.with {
                    $0.app.isHosted = false
                    $0.universalLinkHosts = ["open.example.com"]
                }
                #expect(await !Windows.hasApplication())
                let link = try #require(URL(string: "https://open.example.com/x"))
                #expect(await !AppHandoff.systemOpener(link))
                #expect(device.snapshot.openedURLs.isEmpty)
            }
        #else
            @Test("A Mac app requests no background time")
            func mac() async {
                #expect(await SystemBackgroundTime().begin("Renewing", expired: {}) != nil)
                #expect(device.snapshot.background.begun.isEmpty)
            }
        #endif
    }
}
