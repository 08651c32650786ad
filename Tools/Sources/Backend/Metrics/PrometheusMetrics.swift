import CoreMetrics
import Prometheus
import Synchronization

/// The metrics of the process, which Prometheus fetches: swift-prometheus with this service's names, buckets and
/// limits.
///
/// swift-prometheus writes label values as they are, keeps any number of series, and ends the process where one name
/// has two kinds or is once with and once without labels. Here values are escaped, names get the suffixes that
/// Prometheus expects, and a series too many, or one that does not fit its name, is counted in
/// `ostiary_dropped_series_total` and kept nowhere.
final class PrometheusMetrics: MetricsFactory {
    /// Bounds for times: from a quarter of a millisecond to 10 seconds.
    static let times: [Duration] = [
        .microseconds(250), .microseconds(500), .milliseconds(1), .microseconds(2500), .milliseconds(5),
        .milliseconds(10), .milliseconds(25), .milliseconds(50), .milliseconds(100), .milliseconds(250),
        .milliseconds(500), .seconds(1), .milliseconds(2500), .seconds(5), .seconds(10),
    ]
    /// Bounds for sizes, in bytes.
    static let sizes: [Double] = [64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576]
    private static let droppedName = "ostiary_dropped_series_total"

    private enum Kind {
        case counter, gauge, time, size

        /// The end of a name, as Prometheus has it.
        var suffix: String {
            switch self {
            case .counter: "_total"
            case .time: "_seconds"
            case .gauge, .size: ""
            }
        }
    }

    private struct Family: Equatable {
        let kind: Kind
        let isLabelled: Bool
    }

    private struct Series {
        let name: String
        let labels: [(String, String)]
    }

    private struct State {
        var families = [droppedName: Family(kind: .counter, isLabelled: false)]
        var series: Set<String> = []
    }

    private let registry = PrometheusCollectorRegistry()
    private let factory: PrometheusMetricsFactory
    private let dropped: Prometheus.Counter
    private let maximumSeries: Int
    private let state = Mutex(State())

    /// Makes metrics that keep at most so many series.
    init(maximumSeries: Int = 10_000) {
        self.maximumSeries = maximumSeries
        var factory = PrometheusMetricsFactory(registry: registry)
        factory.defaultDurationHistogramBuckets = Self.times
        factory.defaultValueHistogramBuckets = Self.sizes
        self.factory = factory
        dropped = registry.makeCounter(
            descriptor: MetricNameDescriptor(
                metricName: "ostiary_dropped_series",
                unitName: "total",
                helpText: "Series that were not kept"
            )
        )
    }

    /// The text that Prometheus reads (exposition format 0.0.4).
    var text: String {
        // Swift spells infinity another way than the format. No label value holds a line's end.
        registry.emitToString().replacing(" inf\n", with: " +Inf\n")
    }

    /// The series as it is written; `nil` for one that is kept nowhere.
    private func series(_ label: String, _ dimensions: [(String, String)], _ kind: Kind) -> Series? {
        let plain = PrometheusName.name(label)
        let name = plain.hasSuffix(kind.suffix) ? plain : plain + kind.suffix
        let labels = dimensions.map { (PrometheusName.name($0.0), PrometheusName.escaped($0.1)) }
        let family = Family(kind: kind, isLabelled: !labels.isEmpty)
        let key = ([name] + labels.flatMap { [$0.0, $0.1] }).joined(separator: "\n")
        let isKept = state.withLock { state in
            guard state.families[name] ?? family == family else { return false }
            if state.series.contains(key) { return true }
            guard state.series.count < maximumSeries, Set(labels.map(\.0)).count == labels.count else { return false }
            state.families[name] = family
            state.series.insert(key)
            return true
        }
        guard isKept else {
            dropped.increment()
            return nil
        }
        return Series(name: name, labels: labels)
    }

    // MARK: MetricsFactory

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        guard let series = series(label, dimensions, .counter) else { return NOOPMetricsHandler.instance }
        return factory.makeCounter(label: series.name, dimensions: series.labels)
    }

    func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        guard let series = series(label, dimensions, .counter) else { return NOOPMetricsHandler.instance }
        return factory.makeFloatingPointCounter(label: series.name, dimensions: series.labels)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        guard let series = series(label, dimensions, .gauge) else { return NOOPMetricsHandler.instance }
        return factory.makeMeter(label: series.name, dimensions: series.labels)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard let series = series(label, dimensions, aggregate ? .size : .gauge) else {
            return NOOPMetricsHandler.instance
        }
        return factory.makeRecorder(label: series.name, dimensions: series.labels, aggregate: aggregate)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        guard let series = series(label, dimensions, .time) else { return NOOPMetricsHandler.instance }
        return factory.makeTimer(label: series.name, dimensions: series.labels)
    }

    // A series goes on after its handle: Prometheus counts from the beginning of the process.

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

/// Names and values as the text format has them.
enum PrometheusName {
    /// A name of letters, digits and `_`, of at most 200 characters.
    static func name(_ label: String) -> String {
        let bytes = label.utf8.prefix(200).map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                byte
            default: UInt8(ascii: "_")
            }
        }
        let name = String(decoding: bytes, as: UTF8.self)
        return name.first.map { $0.isNumber } ?? true ? "_" + name : name
    }

    /// A label's value with its escapes, of at most 200 characters.
    static func escaped(_ value: String) -> String {
        value.unicodeScalars.prefix(200).map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: String(scalar)
            }
        }.joined()
    }
}
