public import Ostiary
import OstiaryCompatibility
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks that a lock keeps the promises of `ProcessLock`.
///
/// The test of a lock is one line; it fails with the promise that was broken.
///
///     try await ProcessLockCheck(FileLock(directory: folder), sharing: { FileLock(directory: folder) }).run()
public struct ProcessLockCheck: Sendable {
    /// Whether a lock knows its owner.
    public enum Owner: Sendable, Hashable {
        /// The lock knows the process and the time when it was taken.
        case told
        /// The lock does not know its owner, as may be the case for a lock of another machine.
        case unknown
    }

    let lock: any ProcessLock
    let owner: Owner
    private let share: @Sendable () throws -> any ProcessLock
    private let leave: (@Sendable (String) async throws -> Void)?

    /// Makes a check of a lock that is free.
    ///
    /// - Parameters:
    ///   - lock: The lock; it accepts names that begin with `check`.
    ///   - owner: Whether it knows its owner. Default: it does.
    ///   - share: Makes the same lock again, as another part of the app or another process would. Default: the checked
    ///     one, for a lock of this process alone.
    ///   - leave: Lets another process take a lock by its name, and kills the process while it holds the lock; returns
    ///     when the process is dead. Without it, dead owners are not checked.
    public init(
        _ lock: any ProcessLock,
        owner: Owner = .told,
        sharing share: (@Sendable () throws -> any ProcessLock)? = nil,
        leftBehindBy leave: (@Sendable (String) async throws -> Void)? = nil
    ) {
        self.lock = lock
        self.owner = owner
        self.share = share ?? { lock }
        self.leave = leave
    }

    /// Checks every promise; it takes some tenths of a second, in which it waits for locks that are held.
    ///
    /// - Throws: ``BrokenPromise``; the errors of `share` and `leave`.
    public func run() async throws {
        let other = try share()
        try await checkExclusion(other)
        try await checkNames()
        try await checkPatience(other)
        try await checkRelease(other)
        try await checkCancellation(other)
        try await checkConcurrency(other)
        try await checkOwner(other)
        try await checkDeadOwner(other)
    }

    private func checkNames() async throws {
        let promise = "Locks of different names are different locks, whatever characters the names are made of."
        let long = String(repeating: "long", count: 1000)
        let names = ["a", "A", "a ", "a/b", "../a", ".", "", "\u{0}", "ä", "a\u{308}", "🗝️", "a\nb", long, long + "x"]
        var holds: [ProcessLockHold] = []
        for name in names { holds.append(try await acquire("check " + name, waiting: .zero, promise)) }
        for hold in holds { hold.release() }
    }

    private func checkConcurrency(_ other: any ProcessLock) async throws {
        let promise = "Many callers at once get the lock one at a time, and each gets it."
        let inside = Inside()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let hold = try await acquire(
                        "check many",
                        of: number % 2 == 0 ? lock : other,
                        waiting: .seconds(60),
                        promise
                    )
                    let count = inside.enter()
                    guard count == 1 else { throw BrokenPromise(promise, found: "\(count) holders at once") }
                    await Task.yield()
                    inside.leave()
                    hold.release()
                }
            }
            try await group.waitForAll()
        }
    }

    private func checkOwner(_ other: any ProcessLock) async throws {
        guard owner == .told else { return }
        let promise = "A held lock names its owner and age; a released one names none."
        try expect(nobodyHas: "check owner", promise)
        let before = Date()
        let hold = try await acquire("check owner", promise)
        for lock in [lock, other] {
            guard let owner = try seen("check owner", of: lock, promise) else {
                throw BrokenPromise(promise, found: "no owner, while it was held")
            }
            guard owner.processID == ProcessInfo.processInfo.processIdentifier else {
                throw BrokenPromise(promise, found: "process \(owner.processID) instead of this one")
            }
            // Written as text by some: a thousandth of a second may be lost.
            let now = Date()
            guard owner.age(at: now).inSeconds <= now.timeIntervalSince(before) + 0.001 else {
                throw BrokenPromise(promise, found: "an age of \(owner.age(at: now))")
            }
        }
        try expect(nobodyHas: "check another owner's", promise)
        hold.release()
        try expect(nobodyHas: "check owner", promise)
    }

    private func checkDeadOwner(_ other: any ProcessLock) async throws {
        guard let leave else { return }
        let promise = "A lock of a process that died is free, and names no owner."
        let name = "check left behind"
        try await leave(name)
        if owner == .told { try expect(nobodyHas: name, promise) }
        try await acquire(name, of: other, waiting: .seconds(10), promise).release()
        try await acquire(name, waiting: .zero, promise).release()
    }

    // MARK: Calls

    func acquire(
        _ name: String,
        of lock: (any ProcessLock)? = nil,
        waiting patience: Duration = .seconds(10),
        _ promise: String
    ) async throws -> ProcessLockHold {
        do {
            return try await (lock ?? self.lock).acquire(name, waiting: patience)
        } catch {
            throw BrokenPromise(promise, found: "\(error.rawValue) from a lock that should be free")
        }
    }

    func expect(held name: String, of lock: any ProcessLock, waiting patience: Duration = .zero, _ promise: String)
        async throws
    {
        do {
            let hold = try await lock.acquire(name, waiting: patience)
            hold.release()
        } catch .locked {
            return
        } catch {
            throw BrokenPromise(promise, found: "\(error.rawValue) instead of locked")
        }
        throw BrokenPromise(promise, found: "a second holder")
    }

    private func expect(nobodyHas name: String, _ promise: String) throws {
        guard let owner = try seen(name, of: lock, promise) else { return }
        throw BrokenPromise(promise, found: "process \(owner.processID) as the owner of a free lock")
    }

    private func seen(_ name: String, of lock: any ProcessLock, _ promise: String) throws -> ProcessLockHold.Owner? {
        do {
            return try lock.owner(of: name)
        } catch {
            throw BrokenPromise(promise, found: "looking failed: \(error.rawValue)")
        }
    }
}

/// Counts the callers that hold a lock at once.
private final class Inside: Sendable {
    private let count = Lock(0)

    func enter() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}
