import Foundation
import Synchronization

/// The figures of one phase of a run: the number of responses of each kind, and their durations.
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
        /// The seconds of processor time that each part used meanwhile.
        var processorSeconds: [String: Double]?
    }

    private struct State {
        var kinds: [String: Int] = [:]
        var milliseconds: [Float] = []
        var began = ContinuousClock.now
        var ended: ContinuousClock.Instant?
    }

    let name: String
    private let state = Mutex(State())

    init(_ name: String) { self.name = name }

    /// Counts the seconds from now.
    func begin() { state.withLock { $0.began = .now } }

    /// Counts no seconds from now on.
    func end() { state.withLock { $0.ended = .now } }

    /// Counts one whole exchange or call, with all its attempts.
    func add(_ duration: Duration) {
        let milliseconds = Float(duration / .milliseconds(1))
        state.withLock { $0.milliseconds.append(milliseconds) }
    }

    /// Counts the end of one attempt.
    func count(_ kind: String) { state.withLock { $0.kinds[kind, default: 0] += 1 } }

    /// The figures so far.
    func report() -> Report {
        let (kinds, sorted, began, ended) = state.withLock {
            ($0.kinds, $0.milliseconds.sorted(), $0.began, $0.ended ?? .now)
        }
        let seconds = (ended - began) / .seconds(1)
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
