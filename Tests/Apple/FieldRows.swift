import Testing

/// What people who use sign-in libraries asked for or complained of, by its row in the table of docs/apple.md.
struct FieldRows: TestTrait, SuiteTrait {
    let rows: [Int]
}

extension Trait where Self == FieldRows {
    /// The rows that a test shows the behaviour of; scripts/apple-rows.py makes the table.
    static func field(rows: Int...) -> FieldRows { FieldRows(rows: rows) }
}
