import Foundation
import Synchronization

/// What a phase of a run came to: how many answers of each kind, and how long they took.
final class Figures: Sendable {
    /// The same, to print.
    struct Report: Sendable, Codable {
        var name: String
        var count: Int
        var seconds: Double
        var perSecond: Double
        var p50Milliseconds: Double
        var p99Milliseconds: Double
        /// By kind, such as `200` or `connection`.
        var kinds: [String: Int]
    }

    private struct State {
        var kinds: [String: Int] = [:]
        var milliseconds: [Float] = []
    }

    let name: String
    private let state = Mutex(State())
    private let began = ContinuousClock.now

    init(_ name: String) { self.name = name }

    /// Counts one whole exchange or call, with all its attempts.
    func add(_ duration: Duration) {
        let milliseconds = Float(duration / .milliseconds(1))
        state.withLock { $0.milliseconds.append(milliseconds) }
    }

    /// Counts the end of one attempt.
    func count(_ kind: String) { state.withLock { $0.kinds[kind, default: 0] += 1 } }

    /// What it came to by now.
    func report() -> Report {
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        let (kinds, sorted) = state.withLock { ($0.kinds, $0.milliseconds.sorted()) }
        func percentile(_ share: Double) -> Double {
            guard !sorted.isEmpty else { return 0 }
            let index = min(sorted.count - 1, Int((Double(sorted.count) * share).rounded(.up)) - 1)
            return Double(sorted[max(0, index)])
        }
        return Report(
            name: name,
            count: sorted.count,
            seconds: seconds,
            perSecond: Double(sorted.count) / seconds,
            p50Milliseconds: percentile(0.5),
            p99Milliseconds: percentile(0.99),
            kinds: kinds
        )
    }
}

/// Does something so many times, some at once.
func times(_ count: Int, atOnce: Int, _ body: @escaping @Sendable @concurrent (Int) async -> Void) async {
    let next = Turnstile()
    await withTaskGroup(of: Void.self) { group in
        for _ in 0..<min(atOnce, max(count, 1)) {
            group.addTask { @concurrent in
                while let number = next.pass(below: count) { await body(number) }
            }
        }
    }
}

/// Gives each number once.
private final class Turnstile: Sendable {
    private let next = Atomic<Int>(0)

    func pass(below limit: Int) -> Int? {
        let number = next.add(1, ordering: .relaxed).oldValue
        return number < limit ? number : nil
    }
}
