import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryTesting
import Testing

/// A check that passes everything proves nothing: each promise is broken once.
@Suite("The contract checks", .timeLimit(.minutes(5)))
struct ContractCheckTests {
    @Test("The store check passes the memory store")
    func memory() async throws {
        let store = MemoryStore()
        try await SecretStoreCheck(store, reopen: { store }).run()
        try await SecretStoreCheck(FaultyStore()).run()
    }

    @Test(
        "The store check names the promise that a store breaks",
        arguments: [
            (.keepsRemoved, "A removed value is gone"), (.appends, "A later value replaces"),
            (.ignoresCase, "One key's value is never another's"), (.shortKeys, "One key's value is never another's"),
            (.joinsSpellings, "One key's value is never another's"),
            (.losesEmpty, "An empty value is a value."), (.small, "A value of 256 KiB is kept."),
            (.failsOnAbsent, "A key that was never written"),
            (.text, "A value is read as it was written, byte for byte."),
            (.tears, "Writers at one time"), (.forgets, "A new store at the same place has the written value"),
        ] as [(CarelessStore.Flaw, String)]
    )
    func careless(flaw: CarelessStore.Flaw, promise: String) async throws {
        let check = SecretStoreCheck(CarelessStore(flaw), reopen: { CarelessStore(flaw) })
        let error = await #expect(throws: BrokenPromise.self) { try await check.run() }
        #expect(error?.promise.hasPrefix(promise) == true, "\(error?.description ?? "")")
    }

    @Test("A faulty store fails only the configured call")
    func faulty() async throws {
        let store = FaultyStore()
        let key = StoreKey("a")
        try await store.write([1], for: key)
        store.fail(.write, call: 2, with: .locked)
        try await store.write([2], for: key)
        await #expect(throws: StorageFailure.locked) { try await store.write([3], for: key) }
        #expect(try await store.read(key) == [2])
        try await store.write([4], for: key)
        #expect(store.calls(of: .write) == 4)
        store.failAlways(.read, with: .corrupted)
        for _ in 0..<2 { await #expect(throws: StorageFailure.corrupted) { _ = try await store.read(key) } }
        store.fail(.remove)
        await #expect(throws: StorageFailure.unavailable) { try await store.remove(key) }
        store.recover()
        #expect(try await store.read(key) == [4])
        try await store.remove(key)
        #expect(try await store.read(key) == nil)
    }
}

/// A store with one flaw.
final class CarelessStore: SecretStore {
    enum Flaw: Sendable {
        case keepsRemoved, appends, ignoresCase, shortKeys, joinsSpellings, losesEmpty, small, failsOnAbsent, text,
            tears
        case forgets
    }

    private let flaw: Flaw
    private let values = Lock<[[UInt8]: [UInt8]]>([:])

    init(_ flaw: Flaw) { self.flaw = flaw }

    private func name(_ key: StoreKey) -> [UInt8] {
        switch flaw {
        case .ignoresCase: Array(key.description.lowercased().utf8)
        case .shortKeys: Array(key.description.utf8.prefix(255))
        case .joinsSpellings: Array(key.description.precomposedStringWithCanonicalMapping.utf8)
        default: Array(key.description.utf8)
        }
    }

    func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? { values.withLock { $0[name(key)] } }

    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        let name = name(key)
        switch flaw {
        case .appends: values.withLock { $0[name, default: []] += value }
        case .losesEmpty where value.isEmpty: values.withLock { $0[name] = nil }
        case .small where value.count > 4096: throw .unavailable
        case .text: values.withLock { $0[name] = Array(String(decoding: value, as: UTF8.self).utf8) }
        case .tears:
            values.withLock { $0[name] = Array(value.dropLast()) }
            await Task.yield()
            values.withLock { $0[name] = value }
        default: values.withLock { $0[name] = value }
        }
    }

    func remove(_ key: StoreKey) async throws(StorageFailure) {
        let isKnown = values.withLock { $0[name(key)] != nil }
        if flaw == .failsOnAbsent, !isKnown { throw .unavailable }
        if flaw != .keepsRemoved { values.withLock { $0[name(key)] = nil } }
    }
}
