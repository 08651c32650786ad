import OstiaryJOSE
import OstiaryProvider

/// A command that repeats the request of an exchange; secrets are variables of the shell, to be set before.
struct CurlCommand: Sendable {
    /// The command, in one line.
    let text: String

    /// Writes the command.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - origin: The scheme, host and port of the provider.
    init(_ exchange: RecordedExchange, origin: String) {
        var words = ["curl", "--include", "--globoff"]
        let isForm = exchange.method == "POST" && !exchange.parameters.isEmpty
        let isQuery = exchange.method == "GET"
        if isQuery, !exchange.parameters.isEmpty { words.append("--get") }
        if !isQuery, !isForm { words += ["--request", Self.quoted(exchange.method)] }
        words.append(Self.quoted(origin + exchange.path))
        if let scheme = exchange.authorization {
            words += [
                "--header", "\"Authorization: \(scheme) $\(scheme == "Basic" ? "CREDENTIALS" : "ACCESS_TOKEN")\"",
            ]
        }
        if exchange.hasProof { words += ["--header", "\"DPoP: $DPOP_PROOF\""] }
        for (name, value) in exchange.parameters.members where name != "[unknown]" {
            for value in value.array ?? [value] {
                let isSecret = value == "[redacted]"
                let word =
                    isSecret ? "\"\(name)=$\(name.uppercased())\"" : Self.quoted("\(name)=\(value.string ?? "")")
                words += ["--data-urlencode", word]
            }
        }
        text = words.joined(separator: " ")
    }

    /// The word of a POSIX shell with this value, whatever is in it.
    static func quoted(_ value: String) -> String {
        let plain = "/:.-_=+,@%".unicodeScalars
        let isPlain = value.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || plain.contains(scalar))
        }
        guard value.isEmpty || !isPlain else { return value }
        return "'" + value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
