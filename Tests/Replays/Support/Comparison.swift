import Ostiary
import OstiaryJOSE
import OstiaryTesting
import Testing

/// The ending of a step by the head of its recording.
enum Ending {
    case well(JSONObject?)
    /// With an error; a member that the recording does not tell is `nil` and not compared.
    case refused(stage: String?, reason: String?, check: String?, code: String?)

    init(of step: Recording.Step) {
        let error = step.answer?["error"]?.object
        switch step.exit ?? 0 {
        case 0: self = .well(step.answer)
        // A command without --json told it in words: there is no session.
        case 6 where error == nil: self = .refused(stage: "storage", reason: "signInRequired", check: nil, code: nil)
        default:
            self = .refused(
                stage: error?["stage"]?.string,
                reason: error?["stage"]?.string == nil ? nil : error?["reason"]?.string,
                check: error?["check"]?.string,
                code: error?["code"]?.string
            )
        }
    }
}

extension Stage {
    /// Carries out a step, and compares how it ends.
    func expect(_ step: Recording.Step, ends ending: Ending, sourceLocation: SourceLocation = #_sourceLocation) async {
        let place = "\(name), step \(step.name ?? step.arguments.prefix(2).joined(separator: " "))"
        if let name = step.name { replay.skip(toStep: name) }
        do {
            let answer = try await run(step)
            guard case .well(let expected) = ending else {
                Issue.record("\(place): ended well, \(ending) expected", sourceLocation: sourceLocation)
                return
            }
            for member in answer.members {
                guard let value = expected?[member.name], !value.isNull else { continue }
                #expect(member.value == value, "\(place): \(member.name)", sourceLocation: sourceLocation)
            }
        } catch let error as SignInError {
            guard case .refused(let stage, let reason, let check, let code) = ending else {
                let missing = replay.unansweredRequests.map(\.description)
                Issue.record("\(place): \(error), without an answer: \(missing)", sourceLocation: sourceLocation)
                return
            }
            let found = error.told
            if let stage { #expect(found.stage == stage, "\(place): stage", sourceLocation: sourceLocation) }
            if let reason { #expect(found.reason == reason, "\(place): \(error)", sourceLocation: sourceLocation) }
            if let check { #expect(found.check == check, "\(place): check", sourceLocation: sourceLocation) }
            if let code { #expect(found.code == code, "\(place): code", sourceLocation: sourceLocation) }
        } catch {
            Issue.record("\(place): \(error)", sourceLocation: sourceLocation)
        }
    }
}

extension SignInError {
    /// The words of the command line's JSON.
    fileprivate var told: (stage: String, reason: String, check: String?, code: String?) {
        switch reason {
        case .mismatch(let check): (stage.rawValue, "mismatch", check.rawValue, nil)
        case .refused(let error): (stage.rawValue, "refused", nil, error.code.rawValue)
        case .server: (stage.rawValue, "server", nil, nil)
        case .transport: (stage.rawValue, "transport", nil, nil)
        case .malformed: (stage.rawValue, "malformed", nil, nil)
        case .unsupported: (stage.rawValue, "unsupported", nil, nil)
        case .configuration: (stage.rawValue, "configuration", nil, nil)
        case .signInRequired: (stage.rawValue, "signInRequired", nil, nil)
        case .timedOut: (stage.rawValue, "timedOut", nil, nil)
        case .cancelled: (stage.rawValue, "cancelled", nil, nil)
        default: (stage.rawValue, "other", nil, nil)
        }
    }
}
