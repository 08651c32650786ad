import Foundation

/// The tasks that the app has asked the system to let it finish.
public struct BackgroundTasks: Sendable {
    /// The system grants none.
    public var isRefusing = false
    /// The names of those that have begun and not ended, in order.
    public var running: [String] { active.sorted { $0.key < $1.key }.map(\.value.name) }
    /// The names of all that ever began.
    public private(set) var begun: [String] = []

    struct Active: Sendable {
        var name: String
        var expire: @Sendable () -> Void
    }

    var active: [Int: Active] = [:]
    private var next = 1

    mutating func begin(_ name: String, expire: @escaping @Sendable () -> Void) -> Int? {
        guard !isRefusing else { return nil }
        defer { next += 1 }
        active[next] = Active(name: name, expire: expire)
        begun.append(name)
        return next
    }
}

extension SimulatedDevice {
    /// Begins a task; `nil` when none is granted.
    public func beginTask(_ name: String, expire: @escaping @Sendable () -> Void) -> Int? {
        with { $0.background.begin(name, expire: expire) }
    }

    /// Ends a task; ending one twice is a violation, as UIKit logs it.
    public func endTask(_ id: Int) {
        let known = with { $0.background.active.removeValue(forKey: id) != nil }
        if !known { violation("a background task was ended twice") }
    }

    /// The time is up: each task gets a notice, and one that does not end itself then is the end of the app.
    public func expireTasks() {
        for (id, task) in with({ $0.background.active }) {
            task.expire()
            if with({ $0.background.active[id] != nil }) { violation("a background task outlived its expiration") }
        }
    }
}
