/// The activity of a view while it is on the screen.
@MainActor final class SimulatedLife {
    struct Declaration {
        var onAppear: (@MainActor () -> Void)?
        var onDisappear: (@MainActor () -> Void)?
        var task: (@Sendable () async -> Void)?
        /// The value that restarts the task, or is watched, when it changes.
        var id: AnyHashable?
        var value: (any Equatable)?
        /// Told of the value before and the value now.
        var onChange: (@MainActor (Any, Any) -> Void)?
        var isToldAtFirst = false
    }

    private var declaration: Declaration
    private var running: Task<Void, Never>?

    init(_ declaration: Declaration) {
        self.declaration = declaration
        declaration.onAppear?()
        start()
        if declaration.isToldAtFirst, let value = declaration.value { declaration.onChange?(value, value) }
    }

    private func start() {
        guard let task = declaration.task else { return }
        running = Task { await task() }
    }

    func update(_ new: Declaration) {
        let old = declaration
        declaration = new
        if old.id != new.id {
            running?.cancel()
            start()
        }
        if let before = old.value, let now = new.value, !Self.isEqual(before, now) { new.onChange?(before, now) }
    }

    private static func isEqual<Value: Equatable>(_ a: Value, _ b: any Equatable) -> Bool { a == b as? Value }

    func end() {
        running?.cancel()
        declaration.onDisappear?()
    }
}
