import Crypto
import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryOAuth
import OstiaryTesting
import Testing

@Suite("Lists, changes and versions of stores", .timeLimit(.minutes(5)))
struct StoreFormatTests {
    private static let sealing = SealingKey.bytes(Array(0..<32))

    /// A file of version 1: the name of the key was authenticated, and stood nowhere.
    private static func former(_ value: [UInt8], of key: StoreKey) throws -> Data {
        let mark = Data("ostiary-sealed-1\n".utf8)
        let box = try AES.GCM.seal(
            Data(value),
            using: SymmetricKey(data: Array(0..<32)),
            authenticating: mark + Data(key.description.utf8)
        )
        return mark + (try #require(box.combined))
    }

    @Test("A file of the earlier format is read, and rewritten by the next write")
    func version1() async throws {
        try await Folder.withValue { folder, store, file in
            let key = StoreKey("session/a")
            folder.write(try Self.former([7], of: key), to: file)
            #expect(try await store.read(key) == [7])
            #expect(try await store.keys() == [])
            folder.write(try Self.former([7], of: StoreKey("session/b")), to: file)
            await #expect(throws: StorageFailure.corrupted) { try await store.read(key) }
            try await store.write([8], for: key)
            #expect(folder.bytes(file).starts(with: Data("ostiary-sealed-2\n".utf8)))
            #expect(try await store.keys() == [key])
        }
    }

    @Test("A file of a newer format is an error, and stays in place")
    func newerVersion() async throws {
        try await Folder.withValue { folder, store, file in
            var newer = folder.bytes(file)
            newer[15] = UInt8(ascii: "3")
            #expect(newer.starts(with: Data("ostiary-sealed-3\n".utf8)))
            folder.write(newer, to: file)
            await #expect(throws: StorageFailure.corrupted) { try await store.read(StoreKey("session/a")) }
            await #expect(throws: StorageFailure.corrupted) { try await store.keys() }
            #expect(folder.bytes(file) == newer)
        }
    }

    @Test("A file that was moved to another name is not listed under either")
    func moved() async throws {
        try await Folder.withValue { folder, store, file in
            #expect(rename(folder.path(file), folder.path("s/" + String(repeating: "0", count: 64) + ".sealed")) == 0)
            let value = try await store.read(StoreKey("session/a"))
            #expect(value == nil)
            await #expect(throws: StorageFailure.corrupted) { try await store.keys() }
        }
    }

    @Test("A change by another process is reported without reading the file's value")
    func otherProcess() async throws {
        try await Folder.withValue { folder, store, file in
            let ticks = Ticks()
            let key = StoreKey("session/a")
            var changes = store.changes(of: key, lookingEvery: .seconds(1), clock: ticks.clock).makeAsyncIterator()
            await ticks.tick()
            let other = FileStore(directory: folder.path("s"), key: Self.sealing)
            try await other.write([1], for: key)
            await ticks.tick()
            #expect(await changes.next() == .written)
            try await other.remove(key)
            await ticks.tick()
            #expect(await changes.next() == .removed)
            // The same value again is a write, too.
            try await other.write([1], for: key)
            await ticks.tick()
            #expect(await changes.next() == .written)
            try await store.write([2], for: key)
            #expect(await changes.next() == .written)
        }
    }

    @Test("Watching for changes ends when the listener ends")
    func ending() async throws {
        try await Folder.withValue { folder, store, _ in
            let ticks = Ticks()
            let listening = Task {
                for await _ in store.changes(of: StoreKey("a"), lookingEvery: .seconds(1), clock: ticks.clock) {}
            }
            await ticks.tick()
            listening.cancel()
            await listening.value
            await ticks.ended()
        }
    }

    @Test("Two Unicode spellings of one letter are two keys in every store")
    func spelling() async throws {
        let (one, two) = (StoreKey("caf\u{E9}"), StoreKey("cafe\u{301}"))
        #expect(one != two && Set([one, two]).count == 2)
        let memory = MemoryStore()
        try await memory.write([1], for: one)
        #expect(try await memory.read(two) == nil)
    }
}

/// A clock whose waiting ends when the test says so.
private final class Ticks: Sendable {
    private struct State {
        var sleepers: [CheckedContinuation<Bool, Never>] = []
        var arrivals: [CheckedContinuation<Void, Never>] = []
        var isCancelled = false
    }
    private let state = Lock(State())

    var clock: DeviceClock {
        DeviceClock(now: { Date() }, uptime: { 0 }) { [self] _ in try await sleep() }
    }

    /// Waits until a task waits, lets it go on, and waits until it waits again.
    func tick() async {
        await arrival()
        let sleepers = state.withLock { state in
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in sleepers { sleeper.resume(returning: true) }
        await arrival()
    }

    /// Waits until waiting was cancelled.
    func ended() async {
        while !state.withLock({ $0.isCancelled }) { await Task.yield() }
    }

    private func arrival() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.isEmpty { state.arrivals.append(continuation) }
                return !state.sleepers.isEmpty
            }
            if isThere { continuation.resume() }
        }
    }

    private func sleep() async throws {
        let goesOn = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let arrivals: [CheckedContinuation<Void, Never>]? = state.withLock { state in
                    guard !state.isCancelled else { return nil }
                    state.sleepers.append(continuation)
                    defer { state.arrivals = [] }
                    return state.arrivals
                }
                guard let arrivals else { return continuation.resume(returning: false) }
                for arrival in arrivals { arrival.resume() }
            }
        } onCancel: {
            let sleepers = state.withLock { state in
                state.isCancelled = true
                defer { state.sleepers = [] }
                return state.sleepers
            }
            for sleeper in sleepers { sleeper.resume(returning: false) }
        }
        if !goesOn { throw CancellationError() }
    }
}
