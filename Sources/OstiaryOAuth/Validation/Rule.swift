import OstiaryJOSE

/// One named check of a response, as a value: the compared values, the citation, and the condition.
package struct Rule<Facts>: Sendable {
    /// Its own name, such as `id_token.aud.others`.
    package let name: String
    /// The check that an error names.
    package let check: SignInError.Check
    /// The specification and section that require the check.
    package let citation: String
    private let holds: @Sendable (Facts) -> Bool
    /// The printable values of both sides.
    let evidence: @Sendable (Facts) -> (expected: String?, found: String?)

    /// Names a check.
    package init(
        _ name: String,
        _ check: SignInError.Check,
        _ citation: String,
        evidence: @escaping @Sendable (Facts) -> (expected: String?, found: String?) = { _ in (nil, nil) },
        holds: @escaping @Sendable (Facts) -> Bool
    ) {
        self.name = name
        self.check = check
        self.citation = citation
        self.evidence = evidence
        self.holds = holds
    }

    package func isSatisfied(by facts: Facts) -> Bool { NamedCheck.holds(named: name, holds(facts)) }
}
