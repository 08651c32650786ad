import Foundation
import Ostiary
import OstiaryTesting
import Testing

@Suite("Stores when something fails", .timeLimit(.minutes(2)))
struct StoreFaultTests {
    @Test("Files keep every promise when any one step fails")
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

    @Test("A list that cannot be made is no empty list")
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

    @Test("The check with faults passes memory, and names what a careless store breaks")
    func careless() async throws {
        try await SecretStoreCheck.runWithFaults { plan in FaultyMemory(plan, flaw: nil) }
        for (flaw, promise) in FaultyMemory.Flaw.all {
            let error = await #expect(throws: BrokenPromise.self) {
                try await SecretStoreCheck.runWithFaults { plan in FaultyMemory(plan, flaw: flaw) }
            }
            #expect(error?.promise.hasPrefix(promise) == true, "\(flaw): \(error?.description ?? "")")
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
            (.loses, "When a step of a first write fails"), (.vague, "A failure is told as what it is."),
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
