import Ostiary
import OstiaryCompatibility
import OstiaryLogi
import OstiaryTesting
import Testing

/// A store that asks a user, who confirms or does not.
final class LogiBiometricStore: BiometricStore {
    private struct State {
        var values: [StoreKey: [UInt8]] = [:]
        var reasons: [String] = []
        var confirms = true
        var failure: StorageFailure?
    }

    private let state = Lock(State())

    var reasons: [String] { state.withLock { $0.reasons } }
    var keys: [String] { state.withLock { $0.values.keys.map(\.description) } }

    /// The user declines from now on.
    func decline() { state.withLock { $0.confirms = false } }
    func fail(with failure: StorageFailure) { state.withLock { $0.failure = failure } }
    /// Loses every value, as a store does whose items' fingers or faces have changed.
    func loseAll() { state.withLock { $0.values = [:] } }

    func read(_ key: StoreKey, because reason: String) async throws(StorageFailure) -> [UInt8]? {
        let (value, confirms): ([UInt8]?, Bool) = state.withLock { state in
            state.reasons.append(reason)
            return (state.values[key], state.confirms)
        }
        guard value == nil || confirms else { throw .locked }
        return value
    }

    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        state.withLock { $0.values[key] = value }
    }

    func remove(_ key: StoreKey) async throws(StorageFailure) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        state.withLock { $0.values[key] = nil }
    }
}

@Suite("logi: tokens that the user must confirm")
struct LogiHighAssuranceTests {
    @Test(
        "A high-assurance token is returned after the user confirms the stated reason",
        .covers(.logi, rows: 54)
    )
    func read() async throws {
        let store = LogiBiometricStore()
        let item = LogiHighAssuranceItem(of: try LogiWorld().logi(), in: store)
        #expect(try await item.token(because: "to look whether there is one") == nil)
        try await item.save(Secret("a token"))
        #expect(try await item.token(because: "to pay 12,000 won") == Secret("a token"))
        #expect(store.reasons.last == "to pay 12,000 won")
        #expect(store.keys.allSatisfy { $0.contains("high_assurance_token") && !$0.contains("session") })
        try await item.remove()
        #expect(try await item.token(because: "to look again") == nil)
    }

    @Test(
        "A user who declines keeps the high-assurance item, and an item that its store lost reads as absent",
        .covers(.logi, rows: 54)
    )
    func refused() async throws {
        let store = LogiBiometricStore()
        let item = LogiHighAssuranceItem(of: try LogiWorld().logi(), in: store)
        try await item.save(Secret("a token"))
        store.decline()
        let declined = await thrownError { () async throws(SignInError) in _ = try await item.token(because: "to pay") }
        #expect(declined == SignInError(.storage, .storage(.locked)))
        store.loseAll()
        #expect(try await item.token(because: "to pay") == nil)
    }

    @Test(
        "A high-assurance read without a reason, or an empty save, is refused without a prompt",
        .covers(.logi, rows: 54)
    )
    func reasons() async throws {
        let store = LogiBiometricStore()
        let item = LogiHighAssuranceItem(of: try LogiWorld().logi(), in: store)
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await item.token(because: "") }
                == SignInError(.storage, .configuration("Tell the user what the token is needed for."))
        )
        #expect(
            await thrownError { () async throws(SignInError) in try await item.save(Secret("")) }
                == SignInError(.storage, .configuration("There is nothing to keep."))
        )
        #expect(store.reasons.isEmpty)
    }

    @Test(
        "A failing store fails the save and the removal of a high-assurance item",
        .covers(.logi, rows: 54)
    )
    func failures() async throws {
        let store = LogiBiometricStore()
        let item = LogiHighAssuranceItem(of: try LogiWorld().logi(), in: store)
        store.fail(with: .unavailable)
        let expected = SignInError(.storage, .storage(.unavailable))
        #expect(await thrownError { () async throws(SignInError) in try await item.save(Secret("t")) } == expected)
        #expect(await thrownError { () async throws(SignInError) in try await item.remove() } == expected)
    }
}
