#if os(Linux) || os(macOS)
    import OstiaryCompatibility

    /// The listeners of one user agent that have their answer and still have to serve their last page.
    final class LingeringListeners: Sendable {
        private let listeners = Lock<[LoopbackListener]>([])

        func add(_ listener: LoopbackListener) {
            listeners.withLock { listeners in
                listeners.removeAll(where: \.isClosed)
                listeners.append(listener)
            }
        }

        /// Closes the listeners, so that the next attempt finds a fixed port free.
        func close() async {
            for listener in takeAll() { await listener.close() }
        }

        /// Waits until each listener has served its page or given up.
        func settle() async {
            for listener in takeAll() { await listener.closed() }
        }

        private func takeAll() -> [LoopbackListener] {
            listeners.withLock { listeners in
                defer { listeners = [] }
                return listeners
            }
        }
    }
#endif
