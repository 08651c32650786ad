/// One condition that an issuer's responses are held to.
package struct IssuerRule: Sendable {
    /// The part of the responses that a rule reads.
    package enum Area: String, Sendable, CaseIterable {
        case transport, metadata, keys, capabilities
    }

    /// A value that breaks a rule.
    struct Fault: Sendable {
        let message: String
        var now: String?
        var fix: String?

        init(_ message: String, now: String? = nil, fix: String? = nil) {
            self.message = message
            self.now = now
            self.fix = fix
        }
    }

    /// Its name, as findings carry it.
    package let name: String
    package let area: Area
    /// The grade of its faults without a profile; `nil` for a rule of profiles alone.
    package let grade: IssuerFinding.Grade?
    /// The grades of its faults under profiles, where they are higher.
    package let raised: [IssuerProfile: IssuerFinding.Grade]
    /// The condition, as a kept one is reported.
    package let title: String
    /// The source of the rule.
    package let source: String
    private let fix: String
    private let look: @Sendable (IssuerAnswers) -> [Fault]?

    /// Makes a rule; `look` returns the faults: none for a kept rule, `nil` where the rule does not apply.
    ///
    /// `fix` is the change that mends a fault, unless the fault has its own.
    init(
        _ name: String,
        _ area: Area,
        _ grade: IssuerFinding.Grade?,
        raised: [IssuerProfile: IssuerFinding.Grade] = [:],
        _ title: String,
        source: String,
        fix: String,
        _ look: @escaping @Sendable (IssuerAnswers) -> [Fault]?
    ) {
        self.name = name
        self.area = area
        self.grade = grade
        self.raised = raised
        self.title = title
        self.source = source
        self.fix = fix
        self.look = look
    }

    /// The findings at an issuer: one for each fault, or one that says that the rule is kept.
    func findings(in answers: IssuerAnswers, against profiles: Set<IssuerProfile>) -> [IssuerFinding] {
        let grades = [grade] + profiles.map { raised[$0] }
        guard let grade = grades.compactMap(\.self).max(), let faults = look(answers) else { return [] }
        guard !faults.isEmpty else { return [finding(.ok, Fault(title))] }
        return faults.map { finding(grade, $0) }
    }

    private func finding(_ grade: IssuerFinding.Grade, _ fault: Fault) -> IssuerFinding {
        IssuerFinding(
            rule: name,
            area: area,
            grade: grade,
            message: fault.message,
            now: fault.now,
            fix: grade == .ok ? nil : fault.fix ?? fix,
            source: source
        )
    }

    /// Every rule, in the order of the documentation.
    package static let all: [IssuerRule] = transport + metadata + endpoints + keys + requests + clients + others
}
