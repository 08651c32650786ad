import Synchronization

/// Asks the system not to suspend the process while something is under way that may not be cut in half.
///
/// A code that is being redeemed and a refresh token that is being rotated are lost when the app is suspended between the
/// answer and the store. On systems that suspend nothing it is ``none``.
public struct BackgroundActivity: Sendable {
    /// Begins one activity: its name for the system's log, and what is called when the time is over, on any thread.
    public typealias Begin =
        @Sendable (_ name: String, _ expiring: @escaping @Sendable () -> Void) async -> BackgroundAssertion

    private let beginning: Begin

    /// Makes one of the way to begin.
    ///
    /// - Parameter begin: Returns soon, and calls `expiring` at most once, before the process is suspended; at once when
    ///   the system grants no time.
    public init(_ begin: @escaping Begin) { beginning = begin }

    /// For systems that suspend nothing.
    public static let none = BackgroundActivity { _, _ in BackgroundAssertion() }

    /// Begins an activity, which lasts until ``BackgroundAssertion/end()``.
    ///
    /// - Parameters:
    ///   - name: For the system's log; no secret.
    ///   - expiring: Gives back at once whatever must not be held by a suspended process, such as a lock in a shared
    ///     container (iOS ends the process for it, `0xdead10cc`). It decides nothing about how the activity ends: that may
    ///     still go well when the process runs again.
    public func begin(_ name: String, expiring: @escaping @Sendable () -> Void = {}) async -> BackgroundAssertion {
        await beginning(name, expiring)
    }

    /// Does something under an assertion, which is ended however that ends.
    public func during<T, Failure: Error>(
        _ name: String,
        expiring: @escaping @Sendable () -> Void = {},
        _ body: () async throws(Failure) -> sending T
    ) async throws(Failure) -> sending T {
        let assertion = await begin(name, expiring: expiring)
        defer { assertion.end() }
        return try await body()
    }
}

/// One activity that the system was told of.
public final class BackgroundAssertion: Sendable {
    private let ending: Mutex<(@Sendable () -> Void)?>

    /// Makes one of what ends it.
    public init(ending: @escaping @Sendable () -> Void = {}) { self.ending = Mutex(ending) }

    /// Tells the system that the activity is over; the first call counts.
    public func end() {
        let first = ending.withLock { ending in
            defer { ending = nil }
            return ending
        }
        first?()
    }

    deinit { end() }
}
