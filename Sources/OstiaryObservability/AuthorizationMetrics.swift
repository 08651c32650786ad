#if Hummingbird || Vapor
    import Metrics
    package import OstiaryServer

    /// Counts the middleware's decisions, with the reason of each refusal from a small fixed set.
    package struct AuthorizationMetrics: Sendable {
        private static let label = "ostiary_authorizations"
        private let granted = Counter(label: label, dimensions: [("outcome", "granted")])
        private let time = Timer(label: "ostiary_authorization")

        package init() {}

        package func granted(after duration: Duration) {
            granted.increment()
            record(duration)
        }

        package func refused(_ refusal: Authorization.Refusal, after duration: Duration) {
            Counter(label: Self.label, dimensions: [("outcome", refusal.reason.name)]).increment()
            record(duration)
        }

        private func record(_ duration: Duration) {
            let (seconds, attoseconds) = duration.components
            time.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        }
    }
#endif
