import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import Synchronization

/// A command's reports beside its answer: a wrong device clock, and on request each request and each check.
///
/// It contains no secret: reports and verdicts have none.
final class Trace: Sendable {
    /// The level of detail.
    enum Detail: Sendable {
        /// The clock alone.
        case clock
        /// Also each request and each check.
        case everything
    }

    private struct State {
        var clock: ServerClock.Offset?
        var requests: [RequestEvent] = []
        var checks: [Verdict] = []
    }

    private let detail: Detail
    /// The console for the lines; `nil` when they are only in the output for programs.
    private let console: Console?
    private let state = Mutex(State())

    /// Makes an empty trace.
    init(_ detail: Detail, on console: Console?) {
        self.detail = detail
        self.console = console
    }

    /// Records an event of a flow.
    func record(_ event: SignInEvent) {
        switch event {
        case .exchange(let report): record(report)
        case .checked(let verdict): record(verdict)
        case .clockIsWrong(let offset): record(offset)
        case .storageFailed(let error):
            console?.note("\(error.message) The new tokens are kept; storing them is tried again for 30 seconds.")
        default: break
        }
    }

    /// Takes a request and how it ended.
    func record(_ report: RequestEvent) {
        guard detail == .everything else { return }
        state.withLock { $0.requests.append(report) }
        console?.note(
            "\(report.method) \(report.endpoint): \(report.outcome.words) (\(report.stage.rawValue))".printable
        )
    }

    /// Adds the checks of a response.
    func record(_ verdict: Verdict) {
        guard detail == .everything else { return }
        state.withLock { $0.checks.append(verdict) }
        for entry in verdict.entries {
            let rule = CheckedRule(entry, at: verdict.stage)
            if !rule.isEmpty { console?.note("  " + rule.line) }
        }
    }

    private func record(_ offset: ServerClock.Offset) {
        let isFirst = state.withLock { state in
            defer { state.clock = state.clock ?? offset }
            return state.clock == nil
        }
        if isFirst { console?.note(offset.description) }
    }

    /// The members for the output for programs; empty without entries.
    var members: JSONObject {
        state.withLock { state in
            var members = JSONObject()
            members["clock"] = state.clock.map { .object($0.object) }
            guard detail == .everything else { return members }
            members["requests"] = .array(state.requests.map { .object($0.object) })
            members["checks"] = .array(
                state.checks.flatMap { verdict in
                    verdict.entries.map { .object(CheckedRule($0, at: verdict.stage).object) }
                }
            )
            return members
        }
    }
}

/// The reason a command failed, with the trace up to the failure.
struct TracedFailure: Error {
    let cause: any Error
    let members: JSONObject
}

extension RequestEvent {
    fileprivate var object: JSONObject {
        var object: JSONObject = [
            "stage": .string(stage.rawValue), "method": .string(method), "endpoint": .string(endpoint),
        ]
        switch outcome {
        case .answered(let status): object["status"] = .integer(status)
        case .failed(let failure): object["failure"] = .string(failure.rawValue)
        }
        return object
    }
}

extension RequestEvent.Outcome {
    /// The outcome, in a few words.
    var words: String {
        switch self {
        case .answered(let status): "\(status)"
        case .failed(let failure): "no answer, \(failure.rawValue)"
        }
    }
}

extension ServerClock.Offset {
    fileprivate var object: JSONObject {
        // Finite and small: the clocks of two machines.
        ["offset": .integer(Int((lead / .seconds(1)).rounded())), "message": .string(description)]
    }
}
