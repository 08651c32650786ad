/// One rule of the doctor, which finds one kind of fault.
package struct Rule: Sendable {
    /// Its name, as findings carry it.
    package let name: String
    /// The severity of its findings, if they say no other.
    package let severity: Finding.Severity
    /// The fault that the rule finds, in one line.
    package let title: String
    /// The source of the rule.
    package let source: String
    private let look: @Sendable (Rule, Project) -> [Finding]

    init(
        _ name: String,
        _ severity: Finding.Severity,
        _ title: String,
        source: String,
        _ look: @escaping @Sendable (_ rule: Rule, _ project: Project) -> [Finding]
    ) {
        self.name = name
        self.severity = severity
        self.title = title
        self.source = source
        self.look = look
    }

    func findings(in project: Project) -> [Finding] { look(self, project) }

    /// A finding of this rule.
    ///
    /// `severity` is `nil` for the rule's own.
    func finding(
        _ place: Finding.Place,
        _ message: String,
        now: String? = nil,
        fix: String? = nil,
        severity: Finding.Severity? = nil
    ) -> Finding {
        Finding(
            rule: name,
            severity: severity ?? self.severity,
            place: place,
            message: message,
            now: now,
            fix: fix,
            source: source
        )
    }

    /// Every rule, in the order of the documentation.
    package static let all: [Rule] =
        reading + schemes + redirects + associatedDomains + associationFile + queries + delivery + session + keychain
        + biometry + macOS + network + secrets + platforms + privacy + systems
}

extension Project {
    /// Everything that is wrong, file by file.
    package var findings: [Finding] {
        var seen: Set<Finding> = []
        return Rule.all.flatMap { $0.findings(in: self) }.filter { seen.insert($0).inserted }.enumerated().sorted {
            ($0.element.order, $0.offset) < ($1.element.order, $1.offset)
        }.map(\.element)
    }
}

extension Finding {
    /// The key for sorting findings; a finding without a file comes last.
    fileprivate var order: String {
        let line = String(place.line ?? 0)
        return (place.file ?? "\u{10FFFF}") + "\u{0}" + String(repeating: "0", count: max(0, 8 - line.count)) + line
    }
}
