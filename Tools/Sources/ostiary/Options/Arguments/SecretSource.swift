import OstiaryOAuth

/// Secrets come from files and the environment, never from the arguments, which every process of the machine can read.
enum SecretSource {
    /// A file's content without the line feed at its end.
    case file(String)
    /// An environment variable's value.
    case environment(String)

    /// Reads the secret.
    ///
    /// - Throws: ``UsageError`` when it is missing.
    func secret(console: Console) throws(UsageError) -> Secret {
        switch self {
        case .environment(let name):
            guard let value = Environment.value(name) else {
                let state = Environment.isSet(name) ? "empty" : "not set"
                throw UsageError("The environment variable \(name) is \(state).")
            }
            return Secret(value)
        case .file(let path): return Secret(try SecretFile.line(of: path, "secret", console: console))
        }
    }
}
