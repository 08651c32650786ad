#if canImport(Security)
    import OstiaryOAuth
    import OstiaryCompatibility

    /// Values that the user has unlocked, until the next check is due.
    final class UnlockedValues: Sendable {
        private struct Value {
            var bytes: [UInt8]
            let unlocked: Double
        }

        private let lifetime: Double
        private let clock: DeviceClock
        private let values = Lock<[StoreKey: Value]>([:])

        init(lasting lifetime: Double, clock: DeviceClock) {
            self.lifetime = lifetime
            self.clock = clock
        }

        subscript(key: StoreKey) -> [UInt8]? {
            let now = clock.uptime()
            return values.withLock { values in
                guard let value = values[key] else { return nil }
                guard now - value.unlocked < lifetime else {
                    values[key] = nil
                    return nil
                }
                return value.bytes
            }
        }

        func insert(_ bytes: [UInt8], for key: StoreKey) {
            guard lifetime > 0 else { return }
            let now = clock.uptime()
            values.withLock { $0[key] = Value(bytes: bytes, unlocked: now) }
        }

        /// Keeps a new value until the old one would have expired: writing is not unlocking.
        func replace(_ key: StoreKey, with bytes: [UInt8]) {
            values.withLock { $0[key]?.bytes = bytes }
        }

        func remove(_ key: StoreKey) { values.withLock { $0[key] = nil } }
        func removeAll() { values.withLock { $0 = [:] } }
    }
#endif
