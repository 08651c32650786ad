public import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE

/// The liveness endpoint, which reports that the process runs.
///
/// It checks no dependency, so an unavailable database does not make a supervisor restart every instance.
public struct LivenessEndpoint: ServerEndpoint {
    /// Makes the endpoint.
    public init() {}

    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None.
    public var maximumBodyBytes: Int { 0 }

    /// 200.
    public func respond(to request: ServerRequest) async -> ServerResponse { .json(["status": "ok"]) }
}

/// The readiness endpoint, which reports to a load balancer whether this instance should get requests.
public struct ReadinessEndpoint: ServerEndpoint {
    /// The condition of a dependency.
    public enum Condition: String, Sendable, Hashable {
        /// It works.
        case ready
        /// It works for now, such as with keys that cannot be refreshed.
        case degraded
        /// It does not work.
        case unavailable
    }

    /// A check of a dependency.
    public struct Check: Sendable {
        /// The name of the dependency.
        public let name: String
        fileprivate let condition: @Sendable () async -> Condition

        /// Makes a check.
        public init(_ name: String, _ condition: @escaping @Sendable () async -> Condition) {
            self.name = name
            self.condition = condition
        }

        /// A check of an issuer's keys: fresh, stale, or missing.
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
    private let lifetime: Duration
    private let known = Known()

    /// Makes the endpoint.
    ///
    /// - Parameters:
    ///   - checks: The checks of the dependencies.
    ///   - lifetime: The time for which a response is cached, so that frequent requests cost nothing. Default 0.
    public init(_ checks: [Check], validFor lifetime: Duration = .zero) {
        self.checks = checks
        self.lifetime = lifetime
    }

    /// The cached response, and the time of its checks.
    private final class Known: Sendable {
        private let state = Lock<(answer: ServerResponse, found: ContinuousClock.Instant)?>(nil)

        func answer(notOlderThan age: Duration) -> ServerResponse? {
            state.withLock { state in
                guard let state, state.found + age > .now else { return nil }
                return state.answer
            }
        }

        func keep(_ answer: ServerResponse) { state.withLock { $0 = (answer, .now) } }
    }

    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None.
    public var maximumBodyBytes: Int { 0 }

    /// 200 with the condition of every dependency, or 503 when one is unavailable.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        if lifetime > .zero, let known = known.answer(notOlderThan: lifetime) { return known }
        let answer = await checked()
        if lifetime > .zero { known.keep(answer) }
        return answer
    }

    /// Runs all checks concurrently.
    private func checked() async -> ServerResponse {
        let conditions = await withTaskGroup(of: (Int, Condition).self) { group in
            for (index, check) in checks.enumerated() { group.addTask { (index, await check.condition()) } }
            var found: [Int: Condition] = [:]
            for await (index, condition) in group { found[index] = condition }
            return checks.indices.map { (name: checks[$0].name, condition: found[$0] ?? .unavailable) }
        }
        var members = JSONObject()
        for (name, condition) in conditions { members[name] = .string(condition.rawValue) }
        let isReady = !conditions.contains { $0.condition == .unavailable }
        return .json(
            ["status": .string(isReady ? "ready" : "unavailable"), "checks": .object(members)],
            status: isReady ? .ok : .serviceUnavailable
        )
    }
}
