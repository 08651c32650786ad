#if PostgreSQL
    import OstiaryServer

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// One row, whose columns are read in the order of the statement.
    struct PostgreSQLRow: Sendable {
        let statement: String
        let cells: [[UInt8]?]

        func bytes(_ column: Int) throws(PostgreSQLFailure) -> [UInt8] {
            guard cells.indices.contains(column), let cell = cells[column] else { throw mismatch }
            return cell
        }

        func isNull(_ column: Int) -> Bool { !cells.indices.contains(column) || cells[column] == nil }

        func utf8(_ column: Int) throws(PostgreSQLFailure) -> String {
            String(decoding: try bytes(column), as: UTF8.self)
        }

        func integer(_ column: Int) throws(PostgreSQLFailure) -> Int {
            let bytes = try bytes(column)
            guard bytes.count == 8 else { throw mismatch }
            return Int(Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
        }

        func time(_ column: Int) throws(PostgreSQLFailure) -> Date { Date(microseconds: try integer(column)) }

        func bool(_ column: Int) throws(PostgreSQLFailure) -> Bool {
            let bytes = try bytes(column)
            guard bytes.count == 1 else { throw mismatch }
            return bytes[0] != 0
        }

        private var mismatch: PostgreSQLFailure { .unexpectedAnswer(to: statement) }
    }
#endif
