#if PostgreSQL
    /// A statement, as a rule prepared once for each connection.
    ///
    /// Its text is part of the program: a value can only be a parameter of it.
    struct PostgreSQLStatement: Sendable {
        /// The purpose in words; unique among the prepared statements.
        let name: String
        let text: String
        /// Whether it is worth preparing.
        let isPrepared: Bool

        init(_ name: StaticString, _ text: StaticString, isPrepared: Bool = true) {
            self.init("\(name)", of: "\(text)", isPrepared: isPrepared)
        }

        private init(_ name: String, of text: String, isPrepared: Bool) {
            self.name = name
            self.text = text
            self.isPrepared = isPrepared
        }

        /// The statements of a script, which are separated by a semicolon at the end of a line.
        static func script(_ name: StaticString, _ text: StaticString) -> [PostgreSQLStatement] {
            "\(text)".split(separator: ";\n", omittingEmptySubsequences: true).map { text in
                PostgreSQLStatement("\(name)", of: String(text), isPrepared: false)
            }
        }
    }
#endif
