/// The result of one rule at one issuer.
package struct IssuerFinding: Sendable, Hashable {
    /// The grade of a finding, the least serious first.
    package enum Grade: String, Sendable, CaseIterable, Comparable {
        /// The rule is kept.
        case ok
        /// A fact to know.
        case note
        /// Some clients fail, or a recommended protection is missing.
        case warning
        /// Clients fail, or a requirement is broken.
        case error

        package static func < (left: Grade, right: Grade) -> Bool { left.order < right.order }

        private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The rule's name.
    package let rule: String
    package let area: IssuerRule.Area
    package let grade: Grade
    /// The kept condition, or the fault with its effect.
    package let message: String
    /// The value that was found; `nil` for a missing one, and for a kept rule.
    package let now: String?
    /// The change that mends it; `nil` for a kept rule.
    package let fix: String?
    /// The source of the rule: the specification and its section.
    package let source: String
}
