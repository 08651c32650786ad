import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryTesting
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice.Keychain {
    @Suite("Changes of values in the keychain") struct Changes {
        private let ticks = Ticks()
        private let heard = Heard()

        init() async { await freshDevice() }

        private func listen(to store: KeychainStore) -> Task<Void, Never> {
            let changes = store.changes(of: Fixture.key, lookingEvery: .seconds(1), clock: ticks.clock)
            return Task { [heard] in for await change in changes { heard.add(change) } }
        }

        @Test("A change by another process is reported once, at the next poll")
        func otherProcess() async throws {
            let listening = listen(to: Fixture.store())
            defer { listening.cancel() }
            let other = Fixture.store()
            try await other.write(Fixture.token, for: Fixture.key)
            await ticks.tick()
            #expect(await heard.until([.written]))
            try await other.write(Fixture.newer, for: Fixture.key)
            await ticks.tick()
            #expect(await heard.until([.written, .written]))
            try await other.write(Fixture.token, for: StoreKey("another"))
            await ticks.tick()
            try await other.remove(Fixture.key)
            await ticks.tick()
            #expect(await heard.until([.written, .written, .removed]))
        }

        @Test(
            "A write through the store is reported at once, twice for two writes within the keychain's clock resolution",
            arguments: [true, false]
        )
        func ownWrites(isCoarse: Bool) async throws {
            device.with { $0.ambiguities.keychainDatesAreCoarse = isCoarse }
            let store = Fixture.store()
            let listening = listen(to: store)
            defer { listening.cancel() }
            try await store.write(Fixture.token, for: Fixture.key)
            #expect(await heard.until([.written]))
            try await store.write(Fixture.token, for: Fixture.key)
            #expect(await heard.until([.written, .written]))
            try await store.remove(Fixture.key)
            #expect(await heard.until([.written, .written, .removed]))
        }

        @Test("A locked keychain reports no change, although it looks empty", arguments: [true, false])
        func locked(looksAbsent: Bool) async throws {
            device.with { $0.ambiguities.sealedItemsLookAbsent = looksAbsent }
            let store = Fixture.store()
            try await store.write(Fixture.token, for: Fixture.key)
            let listening = listen(to: store)
            defer { listening.cancel() }
            await ticks.tick()
            device.reboot()
            await ticks.tick()
            device.unlockScreen()
            await ticks.tick()
            #expect(heard.changes == [])
            try await store.write(Fixture.newer, for: Fixture.key)
            #expect(await heard.until([.written]))
        }

        @Test("Changes of a guarded value are reported without asking the user")
        func guarded() async throws {
            let listening = listen(to: Fixture.guarded())
            defer { listening.cancel() }
            let other = Fixture.guarded()
            try await other.write(Fixture.token, for: Fixture.key)
            await ticks.tick()
            #expect(await heard.until([.written]))
            try await other.write(Fixture.newer, for: Fixture.key)
            await ticks.tick()
            #expect(await heard.until([.written, .written]))
            try await other.remove(Fixture.key)
            await ticks.tick()
            #expect(await heard.until([.written, .written, .removed]))
            #expect(device.snapshot.prompts.isEmpty)
        }

        @Test("Polling for changes stops when the listener ends")
        func ending() async throws {
            let listening = listen(to: Fixture.store())
            await ticks.tick()
            listening.cancel()
            await listening.value
            #expect(await ticks.ended())
        }
    }
}

/// The changes that a listener has heard.
private final class Heard: Sendable {
    private let list = Lock<[StoreKey.Change]>([])
    private let waiters = SimulatedWaiters()

    var changes: [StoreKey.Change] { list.withLock { $0 } }

    func add(_ change: StoreKey.Change) {
        list.withLock { $0.append(change) }
        waiters.look()
    }

    func until(_ expected: [StoreKey.Change]) async -> Bool {
        await waiters.until { [unowned self] in changes == expected }
    }
}

/// A clock whose waiting ends when the test says so.
private final class Ticks: Sendable {
    private struct State {
        var arrivals = 0
        var isOver = false
    }

    private let state = Lock(State())
    private let waiters = SimulatedWaiters()
    private let moments = AsyncStream.makeStream(of: Void.self)

    var clock: DeviceClock {
        DeviceClock(now: { Date() }, uptime: { 0 }) { [self] _ in
            state.withLock { $0.arrivals += 1 }
            waiters.look()
            for await _ in moments.stream { return }
            state.withLock { $0.isOver = true }
            waiters.look()
            throw CancellationError()
        }
    }

    /// Lets the waiting task go on, until it waits again.
    func tick() async {
        _ = await waiters.until { [unowned self] in state.withLock { $0.arrivals > 0 } }
        let arrivals = state.withLock { $0.arrivals }
        moments.continuation.yield()
        _ = await waiters.until { [unowned self] in state.withLock { $0.arrivals > arrivals } }
    }

    /// Whether waiting was cancelled.
    func ended() async -> Bool { await waiters.until { [unowned self] in state.withLock { $0.isOver } } }
}
