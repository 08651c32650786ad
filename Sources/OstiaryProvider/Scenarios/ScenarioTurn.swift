/// A scenario that some requests at an endpoint play, by their number, such as the second token request.
public struct ScenarioTurn: Sendable {
    /// The endpoint.
    public let route: Route
    /// The numbers of the requests, counted from 1 at this endpoint, whichever client sends them.
    public let requests: ClosedRange<Int>
    /// The scenario.
    public let scenario: Scenario

    /// Chooses requests.
    ///
    /// - Parameters:
    ///   - route: The endpoint.
    ///   - requests: Their numbers, 1 or more. Default: the first.
    ///   - scenario: The scenario that they play.
    public init(_ route: Route, _ requests: ClosedRange<Int> = 1...1, _ scenario: Scenario) {
        self.route = route
        self.requests = requests.clamped(to: 1...max(1, requests.upperBound))
        self.scenario = scenario
    }

    /// Reads a text such as `token:2=status-503` or `userinfo:1-3=status-401`.
    ///
    /// The endpoint is the ``Route/name``.
    ///
    /// - Throws: ``Failure`` with the part that is wrong.
    public init(_ text: String) throws(Failure) {
        guard let colon = text.firstIndex(of: ":"), let equals = text[colon...].firstIndex(of: "=") else {
            throw .form
        }
        guard let route = Route(name: String(text[..<colon])) else { throw .endpoint(String(text[..<colon])) }
        let ends = text[text.index(after: colon)..<equals].split(separator: "-", omittingEmptySubsequences: false)
        let numbers = ends.compactMap { Int($0) }
        guard numbers.count == ends.count, (1...2).contains(ends.count), let first = numbers.first,
            let last = numbers.last, first >= 1, first <= last
        else { throw .requests }
        let name = String(text[text.index(after: equals)...])
        guard let scenario = Scenario.named(name) else { throw .scenario(name) }
        self.init(route, first...last, scenario)
    }

    /// The part of a text that is wrong.
    public enum Failure: Error, Sendable, Hashable {
        /// It does not have the form `ENDPOINT:NUMBER=SCENARIO`.
        case form
        /// There is no such endpoint.
        case endpoint(String)
        /// The number is not one from 1 on, or two of them in order.
        case requests
        /// There is no such scenario.
        case scenario(String)
    }
}

extension ScenarioTurn: CustomStringConvertible {
    /// The text, such as `token:2=status-503`.
    public var description: String {
        let numbers = requests.count == 1 ? "\(requests.lowerBound)" : "\(requests.lowerBound)-\(requests.upperBound)"
        return "\(route.name):\(numbers)=\(scenario.name)"
    }
}

extension ScenarioTurn.Failure: CustomStringConvertible {
    /// The part, and what it may be, in sentences.
    public var description: String {
        switch self {
        case .form: "It has the form ENDPOINT:NUMBER=SCENARIO, such as token:2=status-503."
        case .endpoint(let name):
            "There is no endpoint \(name.logged). Endpoints: "
                + Route.allCases.map(\.name).joined(separator: ", ") + "."
        case .requests: "The number of the request is 1 or more, or a range such as 2-4."
        case .scenario(let name): "There is no scenario \(name.logged). List them: ostiary idp scenarios"
        }
    }
}

/// The turns of scenarios, and the requests that have come.
struct ScenarioSchedule: Sendable {
    private(set) var turns: [ScenarioTurn]
    private var counts: [Route: Int] = [:]

    init(_ turns: [ScenarioTurn]) { self.turns = turns }

    /// Counts a request; the scenario that it plays, of the first turn that has it, or `nil`.
    mutating func next(at route: Route) -> Scenario? {
        let number = (counts[route] ?? 0) + 1
        counts[route] = number
        return turns.first { $0.route == route && $0.requests.contains(number) }?.scenario
    }
}
