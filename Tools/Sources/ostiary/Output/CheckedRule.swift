import Foundation
import OstiaryJOSE
import OstiaryOAuth

/// One check and how it came out, as a line and as an object.
struct CheckedRule: Sendable {
    /// The outcome of the check.
    enum Outcome: String, Sendable {
        case passed
        case failed
        /// It could not be made, because an earlier one failed or because no value to compare with was given.
        case skipped
    }

    let stage: SignInError.Stage?
    let name: String
    let check: SignInError.Check
    let rule: String
    let outcome: Outcome
    let expected: String?
    let found: String?

    /// Makes one.
    init(
        _ name: String,
        _ check: SignInError.Check,
        _ rule: String,
        _ outcome: Outcome,
        expected: String? = nil,
        found: String? = nil
    ) {
        stage = nil
        self.name = name
        self.check = check
        self.rule = rule
        self.outcome = outcome
        self.expected = expected
        self.found = found
    }

    /// Takes one that was made in a flow.
    init(_ entry: Verdict.Entry, at stage: SignInError.Stage) {
        self.stage = stage
        name = entry.name
        check = entry.check
        rule = entry.rule
        outcome = entry.holds ? .passed : .failed
        expected = entry.expected
        found = entry.found
    }

    /// Whether the check had no value to compare with, as those of a refresh have in a first sign-in.
    var isEmpty: Bool { name.hasPrefix("refresh.") && outcome == .passed && expected == nil }

    /// The line for the user.
    var line: String {
        var line = outcome.rawValue.padded(to: 8) + name.padded(to: 22)
        let values = [("expected", expected), ("found", found)].compactMap { label, value in
            value.flatMap { $0.isEmpty ? nil : "\(label): \(name.isOfTime ? $0.withDates : $0)" }
        }
        if !values.isEmpty { line += " " + values.joined(separator: "; ") }
        return (line + " [\(rule)]").printable
    }

    /// The object for programs.
    var object: JSONObject {
        [
            "stage": stage.map { .string($0.rawValue) } ?? .null,
            "name": .string(name),
            "check": .string(check.rawValue),
            "rule": .string(rule),
            "outcome": .string(outcome.rawValue),
            "expected": expected.map { .string($0) } ?? .null,
            "found": found.map { .string($0) } ?? .null,
        ]
    }
}

extension String {
    /// The text with spaces behind it, up to a width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension String {
    /// Whether a check with this name compares times.
    fileprivate var isOfTime: Bool {
        split(separator: ".").contains { ["exp", "nbf", "iat", "auth_time"].contains($0) }
    }

    /// The text with each NumericDate as RFC 3339 writes it.
    fileprivate var withDates: String {
        replacing(/\b1[0-9]{9}\b/) { Double($0.output).map { Date(timeIntervalSince1970: $0).internetTime } ?? "" }
    }
}
