import Foundation
import Ostiary
import OstiaryTesting
import Testing

@Suite("Stores when something fails", .timeLimit(.minutes(5)))
struct StoreFaultTests {
    @Test("The file store keeps every promise when any one step fails")
    func files() async throws {
        try await Folder.use { folder in
            let steps = try await SecretStoreCheck.runWithFaults { plan in
                FileStore(
                    directory: folder.path("s"),
                    key: .bytes(Array(0..<32)),
                    fault: { (step) throws(StorageFailure) in try plan.step(step.rawValue) }
                )
            }
            // A list is its own operation.
            #expect(steps == Set(FileStep.allCases.map(\.rawValue)).subtracting(["list"]))
            #expect(folder.names("s") == [".lock"])
        }
    }

    @Test("A failed list is an error, and not an empty list")
    func list() async throws {
        try await Folder.use { folder in
            let plan = FaultPlan()
            let store = FileStore(
                directory: folder.path("s"),
                key: .bytes(Array(0..<32)),
                fault: { (step) throws(StorageFailure) in try plan.step(step.rawValue) }
            )
            try await store.write([1], for: StoreKey("a"))
            for number in 1...2 {
                plan.fail(number)
                await #expect(throws: StorageFailure.unavailable) { try await store.keys() }
            }
            #expect(plan.failed == "read")
            plan.fail(nil)
            #expect(try await store.keys() == [StoreKey("a")])
        }
    }

    @Test("The store check with faults passes memory, and names what a careless store breaks")
    func careless() async throws {
        try await SecretStoreCheck.runWithFaults { plan in FaultyMemory(plan, flaw: nil) }
        for (flaw, promise) in FaultyMemory.Flaw.all {
            let error = await #expect(throws: BrokenPromise.self) {
                try await SecretStoreCheck.runWithFaults { plan in FaultyMemory(plan, flaw: flaw) }
            }
            #expect(error?.promise.hasPrefix(promise) == true, "\(flaw): \(error?.description ?? "")")
        }
    }

    #if os(Linux)
        @Test("A write syncs the file, then renames it, then syncs the folder")
        func synchronization() async throws {
            try await Folder.use { folder in
                let outcome = try await Probe.run(["write-and-tell", folder.path("s")])
                let calls = outcome.output.split(separator: ", ")
                #expect(calls.count == 3)
                let size = try #require(calls.first?.firstMatch(of: /fsync file of (\d+) bytes/)).1
                #expect(try #require(Int(size)) > 1_000)
                #expect(calls.dropFirst() == ["rename", "fsync folder"])
            }
        }
    #endif

    @Test("A process without a free file descriptor stores what room was reserved for")
    func descriptors() async throws {
        try await Folder.use { folder in
            let outcome = try await Probe.shell(
                #"ulimit -n 64; "$PROBE" write-without-descriptors '\#(folder.path("s"))'"#
            )
            #expect(outcome.output == "new")
            #expect(folder.names("s").allSatisfy { !$0.hasSuffix(".reserved") })
        }
    }

    @Test(
        "New tokens are stored although the disk fills up during the refresh",
        .enabled(if: FullDisk.canBeHad),
        .failure("The disk fills up during a refresh")
    )
    func fullDiskDuringRefresh() async throws {
        try await Folder.use { folder in
            #expect(mkdir(folder.path("s"), 0o700) == 0)
            try FullDisk.mount(at: folder.path("s"))
            defer { FullDisk.unmount(folder.path("s")) }
            let world = try World()
            func store() -> FileStore { FileStore(directory: folder.path("s"), key: .bytes(Array(0..<32))) }
            _ = try await world.client(store: store()).signIn()
            world.clock.advance(by: .seconds(900))
            let gate = GatedTransport(over: world.network, path: "/token")
            let session = try #require(try await world.client(transport: gate, store: store()).restoreSession())
            let waiting = Task { try await session.accessToken() }
            await gate.arrival()
            // Not one byte is left.
            let filler = open(folder.path("s/filler"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            for size in [4096, 1] {
                let zeros = [UInt8](repeating: 0, count: size)
                while write(filler, zeros, size) == size {}
            }
            close(filler)
            gate.open()
            let token = try await waiting.value
            let restored = try #require(try await world.client(store: StoreElsewhere(store())).restoreSession())
            #expect(try await restored.accessToken() == token)
            #expect(folder.names("s").sorted().filter { $0.hasSuffix(".reserved") } == [])
        }
    }

    @Test("Reserved room is released when a refresh sends nothing or fails")
    func roomIsGivenBack() async throws {
        try await Folder.use { folder in
            let world = try World()
            let store = FileStore(directory: folder.path("s"), key: .bytes(Array(0..<32)))
            let session = try await world.client(store: store).signIn()
            world.clock.advance(by: .seconds(900))
            world.network.lose(to: "/token", .beforeProcessing, with: .unreachable)
            _ = try? await session.accessToken()
            #expect(folder.names("s").allSatisfy { !$0.hasSuffix(".reserved") })
            _ = try await session.accessToken()
            #expect(folder.names("s").allSatisfy { !$0.hasSuffix(".reserved") })
        }
    }

    @Test("A write succeeds when its reserved room was removed")
    func roomIsTakenAway() async throws {
        try await Folder.use { folder in
            let store = FileStore(directory: folder.path("s"), key: .bytes(Array(0..<32)))
            let key = StoreKey("session/a")
            let first = try await store.reserve(100, for: key)
            let second = try await store.reserve(100, for: key)
            try await store.write([1], for: key, in: first)
            #expect(try await store.read(key) == [1])
            try await store.write([2], for: key, in: second)
            #expect(try await store.read(key) == [2])
            #expect(folder.names("s").count == 2)
        }
    }

    @Test("A process that is killed at any step of a write leaves the old value or the new one", arguments: 1...8)
    func killed(step: Int) async throws {
        try await Folder.withValue { folder, store, _ in
            try await store.write(Array("old".utf8), for: StoreKey("session/a"))
            let outcome = try await Probe.run(["write-and-die", folder.path("s"), "\(step)", "new"])
            // A write of this kind has six steps; what would come after them does not.
            #expect(outcome.isKilled == (step <= 6))
            let value = String(decoding: try #require(try await store.read(StoreKey("session/a"))), as: UTF8.self)
            #expect(value == (step <= 6 ? "old" : "new"))
            try await store.write(Array("later".utf8), for: StoreKey("session/a"))
            #expect(try await store.read(StoreKey("session/a")) == Array("later".utf8))
            #expect(folder.names("s").count == 2)
        }
    }
}

/// Memory behind steps that can fail.
private final class FaultyMemory: SecretStore {
    enum Flaw: Sendable {
        case tellsAbsence, losesValue, writesBeforeFailing, loses, vague

        static let all: [(Flaw, String)] = [
            (.tellsAbsence, "When a step of a read fails"), (.losesValue, "When a step of a write over another fails"),
            (.writesBeforeFailing, "When a step of a first write fails"),
            (.loses, "When a step of a first write fails"), (.vague, "A failure is reported with its own error."),
        ]
    }

    private let plan: FaultPlan
    private let flaw: Flaw?
    private let memory = MemoryStore()

    init(_ plan: FaultPlan, flaw: Flaw?) {
        self.plan = plan
        self.flaw = flaw
    }

    func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? {
        do throws(StorageFailure) { try plan.step("read") } catch {
            if flaw == .tellsAbsence { return nil }
            throw flaw == .vague ? .corrupted : error
        }
        return try await memory.read(key)
    }

    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        if flaw == .losesValue { try await memory.remove(key) }
        if flaw == .writesBeforeFailing { try await memory.write(value, for: key) }
        do throws(StorageFailure) { try plan.step("write") } catch {
            if flaw == .loses { return }
            throw error
        }
        try await memory.write(value, for: key)
    }

    func remove(_ key: StoreKey) async throws(StorageFailure) {
        try plan.step("remove")
        try await memory.remove(key)
    }
}

/// A store as another process finds it.
private struct StoreElsewhere: SecretStore {
    private let store: FileStore
    init(_ store: FileStore) { self.store = store }
    var processLock: (any ProcessLock)? { store.processLock }
    func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? { try await store.read(key) }
    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        try await store.write(value, for: key)
    }
    func remove(_ key: StoreKey) async throws(StorageFailure) { try await store.remove(key) }
}
