import OstiaryJOSE

/// One named check of a response or a token, as a value: the compared values, the citation, and the condition.
package struct Rule<Facts, Check: Sendable>: Sendable {
    /// Its own name, such as `id_token.aud.others`.
    package let name: String
    /// The check that an error names.
    package let check: Check
    /// The specification and section that require the check.
    package let citation: String
    /// Whether the facts meet the condition.
    ///
    /// Pass the result through `NamedCheck`, as ``isSatisfied(by:)`` does.
    package let holds: @Sendable (Facts) -> Bool
    /// The printable values of both sides; `nil` for a check that shows none.
    let evidence: (@Sendable (Facts) -> (expected: String?, found: String?))?

    /// Names a check.
    package init(
        _ name: String,
        _ check: Check,
        _ citation: String,
        evidence: (@Sendable (Facts) -> (expected: String?, found: String?))? = nil,
        holds: @escaping @Sendable (Facts) -> Bool
    ) {
        self.name = name
        self.check = check
        self.citation = citation
        self.evidence = evidence
        self.holds = holds
    }

    func isSatisfied(by facts: Facts) -> Bool { NamedCheck.holds(named: name, holds(facts)) }
}
