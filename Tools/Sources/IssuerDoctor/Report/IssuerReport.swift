package import OstiaryJOSE
import OstiaryOAuth

/// The findings at an issuer, as text for the user and as an object for programs.
package struct IssuerReport: Sendable {
    package let findings: [IssuerFinding]
    private let answers: IssuerAnswers
    private let profiles: Set<IssuerProfile>

    /// Judges the responses of an issuer.
    ///
    /// `profiles` are the specifications that it is held to besides what every client needs.
    package init(on answers: IssuerAnswers, against profiles: Set<IssuerProfile> = []) {
        self.answers = answers
        self.profiles = profiles
        findings = IssuerRule.all.flatMap { $0.findings(in: answers, against: profiles) }
    }

    package func count(_ grade: IssuerFinding.Grade) -> Int { findings.count { $0.grade == grade } }

    /// The number of findings of a grade or a more serious one.
    package func count(from grade: IssuerFinding.Grade) -> Int { findings.count { $0.grade >= grade } }

    private var names: [String] { IssuerProfile.allCases.filter(profiles.contains).map(\.rawValue) }

    /// The lines for the user; no character is escaped.
    package var lines: [String] {
        var lines = [answers.issuer.description + (names.isEmpty ? "" : " against " + names.joined(separator: ", "))]
        for area in IssuerRule.Area.allCases {
            let ofArea = findings.filter { $0.area == area }.sorted { $0.grade > $1.grade }
            guard !ofArea.isEmpty else { continue }
            lines += ["", area.rawValue]
            for finding in ofArea { lines += finding.lines }
        }
        let counts = IssuerFinding.Grade.allCases.reversed().map { grade in
            let count = count(grade)
            return "\(count) \(grade.rawValue)" + (count == 1 || grade == .ok ? "" : "s")
        }
        return lines + ["", counts.joined(separator: ", ") + "."]
    }

    /// The members of the output for programs, as `docs/issuer-doctor.schema.json` describes them.
    package var members: JSONObject {
        var counts = JSONObject()
        for grade in IssuerFinding.Grade.allCases { counts[grade.rawValue] = .integer(count(grade)) }
        return [
            "schema": 1,
            "issuer": .string(answers.issuer.description),
            "profiles": .array(names.map { .string($0) }),
            "counts": .object(counts),
            "findings": .array(findings.map { .object($0.object) }),
        ]
    }
}

extension IssuerFinding {
    fileprivate var lines: [String] {
        let grade = grade.rawValue
        let head = "  " + grade + String(repeating: " ", count: 9 - grade.count) + message + " [\(rule)]"
        guard self.grade != .ok else { return [head] }
        let indent = String(repeating: " ", count: 11)
        return [head] + (now.map { [indent + "now: " + $0] } ?? []) + (fix.map { [indent + "fix: " + $0] } ?? [])
            + [indent + "see: " + source]
    }

    fileprivate var object: JSONObject {
        [
            "rule": .string(rule),
            "area": .string(area.rawValue),
            "grade": .string(grade.rawValue),
            "message": .string(message),
            "now": now.map { .string($0) } ?? .null,
            "fix": fix.map { .string($0) } ?? .null,
            "source": .string(source),
        ]
    }
}
