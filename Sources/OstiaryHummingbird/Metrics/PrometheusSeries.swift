#if Hummingbird
    import CoreMetrics
    import OstiaryCompatibility

    /// One series, whose values change under its own lock.
    protocol PrometheusSeries: AnyObject, Sendable {
        var kind: PrometheusText.Kind { get }
        func write(to text: inout PrometheusText, _ name: SeriesName)
    }

    /// A value that only increases.
    final class PrometheusCounter: PrometheusSeries, CounterHandler, FloatingPointCounterHandler {
        private let value = Lock(0.0)

        var kind: PrometheusText.Kind { .counter }
        func increment(by amount: Int64) { value.withLock { $0 += Double(amount) } }
        func increment(by amount: Double) { value.withLock { $0 += max(amount, 0) } }
        func reset() { value.withLock { $0 = 0 } }
        func write(to text: inout PrometheusText, _ name: SeriesName) {
            text.line(name.family, name.labels, value.withLock { $0 })
        }
    }

    /// A value that goes up and down.
    final class PrometheusGauge: PrometheusSeries, MeterHandler, RecorderHandler {
        private let value = Lock(0.0)

        var kind: PrometheusText.Kind { .gauge }
        func set(_ new: Int64) { value.withLock { $0 = Double(new) } }
        func set(_ new: Double) { value.withLock { $0 = new } }
        func increment(by amount: Double) { value.withLock { $0 += amount } }
        func decrement(by amount: Double) { value.withLock { $0 -= amount } }
        func record(_ new: Int64) { set(new) }
        func record(_ new: Double) { set(new) }
        func write(to text: inout PrometheusText, _ name: SeriesName) {
            text.line(name.family, name.labels, value.withLock { $0 })
        }
    }

    /// A count of values below each bound.
    final class PrometheusHistogram: PrometheusSeries, RecorderHandler, TimerHandler {
        /// Bounds for times, in seconds: from a quarter of a millisecond to 10 seconds.
        static let times: [Double] = [
            0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
        ]
        /// Bounds for sizes, in bytes.
        static let sizes: [Double] = [64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576]

        private struct State {
            var counts: [Int]
            var sum = 0.0
        }

        private let bounds: [Double]
        private let state: Lock<State>

        init(bounds: [Double]) {
            self.bounds = bounds
            state = Lock(State(counts: Array(repeating: 0, count: bounds.count + 1)))
        }

        var kind: PrometheusText.Kind { .histogram }
        func record(_ value: Int64) { record(Double(value)) }
        func record(_ value: Double) {
            let place = bounds.firstIndex { value <= $0 } ?? bounds.count
            state.withLock { state in
                state.counts[place] += 1
                state.sum += value
            }
        }
        func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

        func write(to text: inout PrometheusText, _ name: SeriesName) {
            let state = state.withLock { $0 }
            let comma = name.labels.isEmpty ? "" : ","
            var total = 0
            for (place, count) in state.counts.enumerated() {
                total += count
                let bound = PrometheusText.number(place < bounds.count ? bounds[place] : .infinity)
                text.line("\(name.family)_bucket", "\(name.labels)\(comma)le=\"\(bound)\"", Double(total))
            }
            text.line("\(name.family)_sum", name.labels, state.sum)
            text.line("\(name.family)_count", name.labels, Double(total))
        }
    }
#endif
