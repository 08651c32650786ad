import OstiaryCompatibility
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Who listens for changes of a store's values.
final class StoreObservers: Sendable {
    private struct Observer {
        let key: StoreKey
        let look: @Sendable () -> Void
    }

    private let observers = Lock<[UUID: Observer]>([:])

    /// Lets everybody who listens for a key look at once.
    func look(at key: StoreKey) {
        let looks = observers.withLock { $0.values.filter { $0.key == key }.map(\.look) }
        for look in looks { look() }
    }

    /// Changes of a key's value, found by looking at something that is another one after each.
    ///
    /// Of several changes that nobody has taken yet, the last one is kept: a listener reads the value anyway.
    ///
    /// - Parameters:
    ///   - interval: Seconds between two looks; `nil` to look only when somebody writes here.
    ///   - identity: What stands there now; `nil` for nothing.
    func changes<Identity: Sendable & Equatable>(
        of key: StoreKey,
        lookingEvery interval: Double? = nil,
        clock: DeviceClock = .system,
        identity: @escaping @Sendable () -> Identity?
    ) -> AsyncStream<StoreChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreChange.self, bufferingPolicy: .bufferingNewest(1))
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

/// What was seen last.
private final class Seen<Value: Sendable>: Sendable {
    let value: Lock<Value?>
    init(_ value: Value?) { self.value = Lock(value) }
}
