#if PostgreSQL
    /// A statement that is prepared once for each connection.
    ///
    /// Its text is part of the program: a value can only be a parameter of it.
    struct PostgreSQLStatement: Sendable {
        /// The purpose in words; unique, since the server identifies the statement by it.
        let name: String
        let text: String

        init(_ name: StaticString, _ text: StaticString) {
            self.name = "\(name)"
            self.text = "\(text)"
        }
    }
#endif
