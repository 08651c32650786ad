public import HTTPTypes
import OstiaryCompatibility
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
    private let lifetime: Double
    private let known = Known()

    /// Makes the place.
    ///
    /// - Parameters:
    ///   - checks: What the service needs.
    ///   - lifetime: For how long an answer is given again, in seconds, so that who asks often costs nothing. Default 0.
    public init(_ checks: [Check], validFor lifetime: Double = 0) {
        self.checks = checks
        self.lifetime = lifetime
    }

    /// The last answer, and when it was found.
    private final class Known: Sendable {
        private let state = Lock<(answer: ServerResponse, found: ContinuousClock.Instant)?>(nil)

        func answer(notOlderThan seconds: Double) -> ServerResponse? {
            state.withLock { state in
                guard let state, state.found + .seconds(seconds) > .now else { return nil }
                return state.answer
            }
        }

        func keep(_ answer: ServerResponse) { state.withLock { $0 = (answer, .now) } }
    }

    /// GET.
    public var method: HTTPRequest.Method { .get }
    /// None.
    public var maximumBodyBytes: Int { 0 }

    /// 200 with the condition of each thing, and 503 when one does not work.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        if lifetime > 0, let known = known.answer(notOlderThan: lifetime) { return known }
        let answer = await checked()
        if lifetime > 0 { known.keep(answer) }
        return answer
    }

    /// Makes all checks at once: one that waits keeps no other.
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
