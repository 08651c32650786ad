#if Hummingbird
    public import CoreMetrics
    import OstiaryCompatibility

    /// Stores the metrics of swift-metrics in this process, for Prometheus to read.
    ///
    ///     let registry = PrometheusRegistry()
    ///     MetricsSystem.bootstrap(registry)
    ///     router.add(PrometheusEndpoint(registry), at: "/metrics")
    ///
    /// The number of series is limited. A further series is dropped and counted, so that a label whose values come from
    /// outside does not exhaust the memory.
    public final class PrometheusRegistry: MetricsFactory {
        private let maximumSeries: Int
        private let state = Lock(State())

        private struct State {
            var series: [SeriesName: any PrometheusSeries] = [:]
            var dropped = 0
        }

        /// Makes an empty registry.
        ///
        /// - Parameter maximumSeries: The greatest number of series. Default 10,000.
        public init(maximumSeries: Int = 10_000) { self.maximumSeries = maximumSeries }

        /// The text that Prometheus reads (exposition format 0.0.4).
        public var text: String {
            let (series, dropped) = state.withLock { ($0.series, $0.dropped) }
            var text = PrometheusText()
            let families = Dictionary(grouping: series, by: \.key.family).sorted { $0.key < $1.key }
            for (family, members) in families {
                guard let kind = members.first?.value.kind else { continue }
                text.begin(family, kind)
                for (name, one) in members.sorted(by: { $0.key.labels < $1.key.labels }) where one.kind == kind {
                    one.write(to: &text, name)
                }
            }
            text.begin("ostiary_dropped_series_total", .counter)
            text.line("ostiary_dropped_series_total", "", Double(dropped))
            return text.text
        }

        private func series<Series: PrometheusSeries>(
            _ label: String,
            _ dimensions: [(String, String)],
            suffix: String = "",
            _ make: () -> Series
        ) -> Series {
            let name = SeriesName(label, dimensions, suffix: suffix)
            return state.withLock { state in
                if let known = state.series[name] as? Series { return known }
                let new = make()
                if state.series[name] == nil, state.series.count < maximumSeries {
                    state.series[name] = new
                } else {
                    state.dropped += 1
                }
                return new
            }
        }

        // MARK: MetricsFactory

        /// A counter, whose name ends in `_total`.
        public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
            series(label, dimensions, suffix: "_total") { PrometheusCounter() }
        }
        /// A counter of fractions, whose name ends in `_total`.
        public func makeFloatingPointCounter(
            label: String,
            dimensions: [(String, String)]
        ) -> any FloatingPointCounterHandler {
            series(label, dimensions, suffix: "_total") { PrometheusCounter() }
        }
        /// A value that goes up and down.
        public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
            series(label, dimensions) { PrometheusGauge() }
        }
        /// A value that goes up and down, or a distribution of values.
        public func makeRecorder(
            label: String,
            dimensions: [(String, String)],
            aggregate: Bool
        ) -> any RecorderHandler {
            aggregate
                ? series(label, dimensions) { PrometheusHistogram(bounds: PrometheusHistogram.sizes) }
                : series(label, dimensions) { PrometheusGauge() }
        }
        /// A distribution of times, in seconds, whose name ends in `_seconds`.
        public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
            series(label, dimensions, suffix: "_seconds") { PrometheusHistogram(bounds: PrometheusHistogram.times) }
        }

        // A series outlives its handle: Prometheus counts from the start of the process.

        /// Does nothing: a series stays.
        public func destroyCounter(_ handler: any CounterHandler) {}
        /// Does nothing: a series stays.
        public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
        /// Does nothing: a series stays.
        public func destroyMeter(_ handler: any MeterHandler) {}
        /// Does nothing: a series stays.
        public func destroyRecorder(_ handler: any RecorderHandler) {}
        /// Does nothing: a series stays.
        public func destroyTimer(_ handler: any TimerHandler) {}
    }

    /// The name of a series, with its labels as they are written.
    struct SeriesName: Hashable, Sendable {
        let family: String
        let labels: String

        init(_ label: String, _ dimensions: [(String, String)], suffix: String) {
            let name = PrometheusText.name(label)
            family = name.hasSuffix(suffix) ? name : name + suffix
            labels = dimensions.map { "\(PrometheusText.name($0.0))=\"\(PrometheusText.escaped($0.1))\"" }
                .joined(separator: ",")
        }
    }
#endif
