public import HTTPTypes
import OstiaryJOSE

/// The place that says that the process runs: for whoever starts it again when it does not.
///
/// It asks nobody, so a database that is down does not have every instance restarted.
public struct LivenessEndpoint: ServerEndpoint {
    /// Makes the place.
    public init() {}

    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None.
    public var maximumBodyBytes: Int { 0 }

    /// 200.
    public func respond(to request: ServerRequest) async -> ServerResponse { .json(["status": "ok"]) }
}

/// The place that says whether requests should be sent here: for whoever shares them out.
public struct ReadinessEndpoint: ServerEndpoint {
    /// How one thing is that the service needs.
    public enum Condition: String, Sendable, Hashable {
        /// It works.
        case ready
        /// It works for now, such as keys that cannot be fetched again.
        case degraded
        /// It does not work.
        case unavailable
    }

    /// One thing that the service needs.
    public struct Check: Sendable {
        /// What it is called.
        public let name: String
        fileprivate let condition: @Sendable () async -> Condition

        /// Names a thing and says how it is found out.
        public init(_ name: String, _ condition: @escaping @Sendable () async -> Condition) {
            self.name = name
            self.condition = condition
        }

        /// An issuer's keys: fresh, old, or not there.
        public static func keys(_ source: KeySource) -> Check {
            Check("keys of \(source.issuer)") {
                switch source.state {
                case .fresh: .ready
                case .stale: .degraded
                case .missing: .unavailable
                }
            }
        }
    }

    private let checks: [Check]

    /// Makes the place.
    ///
    /// - Parameter checks: What the service needs.
    public init(_ checks: [Check]) { self.checks = checks }

    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None.
    public var maximumBodyBytes: Int { 0 }

    /// 200 with the condition of each thing, and 503 when one does not work.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        var conditions: [(name: String, condition: Condition)] = []
        for check in checks { conditions.append((check.name, await check.condition())) }
        var members = JSONObject()
        for (name, condition) in conditions { members[name] = .string(condition.rawValue) }
        let isReady = !conditions.contains { $0.condition == .unavailable }
        return .json(
            ["status": .string(isReady ? "ready" : "unavailable"), "checks": .object(members)],
            status: isReady ? .ok : .serviceUnavailable
        )
    }
}
