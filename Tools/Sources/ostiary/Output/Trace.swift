import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import Synchronization

/// What a command tells beside its answer: that the device's clock is wrong, and on demand each request and each check.
///
/// Nothing secret comes here: reports and verdicts have none in them.
final class Trace: Sendable {
    /// How much is told.
    enum Detail: Sendable {
        /// The clock alone.
        case clock
        /// Each request and each check, too.
        case everything
    }

    private struct State {
        var clock: ClockOffset?
        var requests: [ExchangeReport] = []
        var checks: [Verdict] = []
    }

    private let detail: Detail
    /// Where lines go; `nil` when all of it is in the answer for programs.
    private let console: Console?
    private let state = Mutex(State())

    /// Starts with nothing told.
    init(_ detail: Detail, on console: Console?) {
        self.detail = detail
        self.console = console
    }

    /// Takes what happens in a flow.
    func record(_ event: FlowEvent) {
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
    func record(_ report: ExchangeReport) {
        guard detail == .everything else { return }
        state.withLock { $0.requests.append(report) }
        console?.note(
            "\(report.method) \(report.endpoint): \(report.outcome.words) (\(report.stage.rawValue))".printable
        )
    }

    /// Takes the checks of an answer.
    func record(_ verdict: Verdict) {
        guard detail == .everything else { return }
        state.withLock { $0.checks.append(verdict) }
        for entry in verdict.entries { console?.note("  " + CheckedRule(entry, at: verdict.stage).line) }
    }

    private func record(_ offset: ClockOffset) {
        let isFirst = state.withLock { state in
            defer { state.clock = state.clock ?? offset }
            return state.clock == nil
        }
        if isFirst { console?.note(offset.description) }
    }

    /// What the answer for programs says of it; empty when there is nothing to tell.
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

/// Why a command failed, and what was told on the way there.
struct TracedFailure: Error {
    let cause: any Error
    let members: JSONObject
}

extension ExchangeReport {
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

extension ExchangeReport.Outcome {
    /// How it ended, in a few words.
    var words: String {
        switch self {
        case .answered(let status): "\(status)"
        case .failed(let failure): "no answer, \(failure.rawValue)"
        }
    }
}

extension ClockOffset {
    fileprivate var object: JSONObject {
        // Finite and small: the clocks of two machines.
        ["offset": .integer(Int(seconds.rounded())), "message": .string(description)]
    }
}
