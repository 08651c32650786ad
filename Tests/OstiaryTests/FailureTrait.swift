import Testing

/// The row of docs/failure-table.md that a test covers; the test's own name is the outcome there.
struct FailureTrait: TestTrait {
    let failure: String
}

extension Trait where Self == FailureTrait {
    /// The failure that the test shows the one outcome of.
    static func failure(_ failure: String) -> Self { FailureTrait(failure: failure) }
}
