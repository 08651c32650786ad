#if PostgreSQL
    import CPostgreSQL
    import OstiaryServer

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The rows that a statement returned, copied from libpq's memory.
    struct PostgreSQLResult: Sendable {
        let rows: [PostgreSQLRow]
        /// The number of rows that were inserted, changed, deleted or read.
        let count: Int

        static let empty = PostgreSQLResult(rows: [], count: 0)

        private init(rows: [PostgreSQLRow], count: Int) {
            self.rows = rows
            self.count = count
        }

        /// Copies a result of libpq in binary form.
        init(copying result: OpaquePointer, of statement: String) {
            let columns = PQnfields(result)
            rows = (0..<PQntuples(result)).map { row in
                PostgreSQLRow(
                    statement: statement,
                    cells: (0..<columns).map { column in
                        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else {
                            return nil
                        }
                        let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
                        return Array(bytes)
                    }
                )
            }
            count = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
        }
    }

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
