#if SQLite
    /// Why the database file did not do what it was asked to.
    ///
    /// It holds no value of a statement.
    public enum SQLiteFailure: Error, Sendable, Hashable {
        /// The file cannot be opened or made, is no database, or is open to others.
        case cannotOpen(String)
        /// A later program wrote the file: update this one first.
        case newerSchema
        /// A statement failed with a result code of SQLite's.
        case failed(String, code: Int32)
    }

    extension SQLiteFailure: CustomStringConvertible {
        /// What went wrong, for a log.
        public var description: String {
            switch self {
            case .cannotOpen(let path): "The database \(path) cannot be opened."
            case .newerSchema: "A later program wrote the database: update this one first."
            case .failed(let operation, let code): "SQLite failed with result code \(code): \(operation)."
            }
        }
    }
#endif
