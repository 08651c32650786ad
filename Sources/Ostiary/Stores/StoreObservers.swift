import OstiaryCompatibility
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The listeners for changes to a store's values.
final class StoreObservers: Sendable {
    private struct Observer {
        let key: StoreKey
        let look: @Sendable () -> Void
    }

    private let observers = Lock<[UUID: Observer]>([:])

    /// Makes every listener for a key check for a change now.
    func look(at key: StoreKey) {
        let looks = observers.withLock { $0.values.filter { $0.key == key }.map(\.look) }
        for look in looks { look() }
    }

    /// Reports changes to a key's value, found by comparing an identity that each change replaces.
    ///
    /// Of several changes that the listener has not consumed yet, the last one is kept: a listener reads the value
    /// anyway.
    ///
    /// The comparisons are an `interval` apart; `nil` compares only after a write through this store. `identity`
    /// returns the identity of the stored value; `nil` when there is none.
    func changes<Identity: Sendable & Equatable>(
        of key: StoreKey,
        lookingEvery interval: Duration? = nil,
        clock: DeviceClock = .system,
        identity: @escaping @Sendable () -> Identity?
    ) -> AsyncStream<StoreKey.Change> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: StoreKey.Change.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let last = Seen(identity())
        let look: @Sendable () -> Void = {
            last.value.withLock { last in
                let found = identity()
                guard found != last else { return }
                last = found
                continuation.yield(found == nil ? .removed : .written)
            }
        }
        let name = UUID()
        observers.withLock { $0[name] = Observer(key: key, look: look) }
        let looking = interval.map { interval in
            Task {
                while (try? await clock.sleep(interval)) != nil, !Task.isCancelled { look() }
            }
        }
        continuation.onTermination = { [weak self] _ in
            looking?.cancel()
            self?.observers.withLock { $0[name] = nil }
        }
        return stream
    }
}

/// The identity that was seen last.
private final class Seen<Value: Sendable>: Sendable {
    let value: Lock<Value?>
    init(_ value: Value?) { self.value = Lock(value) }
}

/// The number of the write that set each value of a store, for the writes of this process.
final class StoreVersions: Sendable {
    private struct State {
        var writes = 0
        var versions: [StoreKey: Int?] = [:]
    }

    private let state = Lock(State())

    /// The number of the last write of a key; `nil` after a removal, 0 when this process has not changed it.
    func version(of key: StoreKey) -> Int? { state.withLock { $0.versions[key, default: 0] } }

    /// Records that a value was written.
    func write(_ key: StoreKey) {
        state.withLock { state in
            state.writes += 1
            state.versions[key] = .some(state.writes)
        }
    }

    /// Records that a value was removed.
    func remove(_ key: StoreKey) { state.withLock { $0.versions[key] = .some(nil) } }
}
