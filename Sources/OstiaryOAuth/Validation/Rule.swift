import OstiaryJOSE

/// One named check of an answer, as a value: what it looks at, who asks for it, and whether it holds.
package struct Rule<Facts>: Sendable {
    /// Its own name, such as `id_token.aud.others`.
    package let name: String
    /// What it compares.
    package let check: SignInError.Check
    /// Which specification asks for it.
    package let citation: String
    private let holds: @Sendable (Facts) -> Bool
    /// What may be told of both sides.
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
