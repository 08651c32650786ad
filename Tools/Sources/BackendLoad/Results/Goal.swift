import Synchronization

/// The number of repetitions of an operation, continued for as long as a run must last.
final class Goal: Sendable {
    private let count: Int
    private let mayEnd: @Sendable () -> Bool
    private let next = Atomic<Int>(0)

    /// - Parameters:
    ///   - count: The minimum number of repetitions.
    ///   - mayEnd: Whether the run may end after them.
    init(_ count: Int, ending mayEnd: @escaping @Sendable () -> Bool = { true }) {
        self.count = count
        self.mayEnd = mayEnd
    }

    /// Does something so many times, some at once; each is given a number of its own.
    func reach(atOnce: Int, _ body: @escaping @Sendable @concurrent (Int) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<max(1, atOnce) {
                group.addTask { @concurrent [self] in
                    while let number = pass() { await body(number) }
                }
            }
        }
    }

    private func pass() -> Int? {
        let number = next.add(1, ordering: .relaxed).oldValue
        return number < count || !mayEnd() ? number : nil
    }
}
