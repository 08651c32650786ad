#if SQLite
    /// The reason that the database file did not carry out a request.
    ///
    /// It contains no value of a statement.
    public enum SQLiteFailure: Error, Sendable, Hashable {
        /// The file cannot be opened or created, is not a database, or is accessible to other users.
        case cannotOpen(String)
        /// A later program wrote the file: update this program first.
        case newerSchema
        /// A statement failed with a result code of SQLite.
        case failed(String, code: Int32)
    }

    extension SQLiteFailure: CustomStringConvertible {
        /// The failure as a sentence, for a log.
        public var description: String {
            switch self {
            case .cannotOpen(let path): "The database \(path) cannot be opened."
            case .newerSchema: "A later program wrote the database: update this one first."
            case .failed(let operation, let code): "SQLite failed with result code \(code): \(operation)."
            }
        }
    }
#endif
