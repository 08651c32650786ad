import OstiaryOAuth

extension Issuer {
    /// The host and the port as they stand in the identifier, in lower case.
    var authority: String { String(afterScheme.prefix { $0 != "/" }).lowercased() }

    /// The path without a slash at its end; empty for none.
    var basePath: String {
        let path = afterScheme.drop { $0 != "/" }
        return path.hasSuffix("/") ? String(path.dropLast()) : String(path)
    }

    private var afterScheme: Substring { description.drop { $0 != "/" }.dropFirst(2) }
}
