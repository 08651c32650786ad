public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ExpiringStore {
    /// Removes expired entries in batches, about once a minute, until the task is cancelled.
    ///
    /// A store removes nothing by itself: without this it grows with every request that proves a key. Run it in every
    /// instance, beside the server:
    ///
    ///     let cleaning = Task { await store.removeExpiredContinuously() }
    ///     defer { cleaning.cancel() }
    ///     try await application.runService()
    ///
    /// Expired entries are kept for two more minutes, so that an instance whose clock is ahead removes nothing that
    /// another one still uses.
    ///
    /// - Parameters:
    ///   - batch: The number of entries that are removed at once: few, so that no statement holds locks for long.
    ///     Default 500.
    ///   - clock: The time, and the waiting. Default: the system's.
    ///   - events: Called after each round with the number of removed entries, or the failure. Default: none.
    public func removeExpiredContinuously(
        batch: Int = 500,
        clock: DeviceClock = .server,
        events: @Sendable (Result<Int, StorageFailure>) -> Void = { _ in }
    ) async {
        while !Task.isCancelled {
            // Spread, so that instances that started together do not clean at the same times.
            do { try await clock.sleep(.seconds(Double.random(in: 45...75))) } catch { return }
            events(await removeAllExpired(batch: max(1, batch), now: clock.now().addingTimeInterval(-120)))
        }
    }

    private func removeAllExpired(batch: Int, now: Date) async -> Result<Int, StorageFailure> {
        var removed = 0
        do throws(StorageFailure) {
            while !Task.isCancelled {
                let count = try await removeExpired(limit: batch, now: now)
                removed += count
                guard count == batch else { break }
            }
            return .success(removed)
        } catch {
            return .failure(error)
        }
    }
}
