#if PostgreSQL
    /// A statement that is prepared once for each connection.
    ///
    /// Its text is written in the program: a value gets into one as a parameter only.
    struct PostgreSQLStatement: Sendable {
        /// What it is for, in words; unique, since it is what the server calls it.
        let name: String
        let text: String

        init(_ name: StaticString, _ text: StaticString) {
            self.name = "\(name)"
            self.text = "\(text)"
        }
    }
#endif
