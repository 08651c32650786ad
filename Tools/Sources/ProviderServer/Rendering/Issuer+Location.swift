import OstiaryOAuth

extension Issuer {
    /// The host and the port as they stand in the identifier, in lower case.
    var authority: String { String(afterScheme.prefix { $0 != "/" }).lowercased() }

    /// The path without a slash at its end; empty for none.
    var basePath: String {
        let path = afterScheme.drop { $0 != "/" }
        return path.hasSuffix("/") ? String(path.dropLast()) : String(path)
    }

    /// The scheme, the host and the port.
    var origin: String { String(description.prefix { $0 != "/" }) + "//" + String(afterScheme.prefix { $0 != "/" }) }

    /// Whether the host is this machine.
    var isOfThisMachine: Bool {
        ["127.0.0.1", "localhost", "[::1]"].contains { authority == $0 || authority.hasPrefix($0 + ":") }
    }

    private var afterScheme: Substring { description.drop { $0 != "/" }.dropFirst(2) }
}
