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
    ///   - origin: The scheme, host and port of the provider, for a request to it.
    init(_ exchange: RecordedExchange, origin: String) {
        var words = ["curl", "--include", "--globoff"]
        let parameters = Self.parameters(of: exchange)
        // Those of a form make a POST of it; without one the method has to be named.
        let isForm = exchange.method == "POST" && !parameters.isEmpty
        if exchange.method != "POST", !parameters.isEmpty { words.append("--get") }
        switch exchange.method {
        case "GET": break
        case "HEAD": words.append("--head")
        case let method: if !isForm { words += ["--request", Self.quoted(method)] }
        }
        words.append(Self.quoted((exchange.origin ?? origin) + exchange.path))
        if let scheme = exchange.authorization {
            words += [
                "--header", "\"Authorization: \(scheme) $\(scheme == "Basic" ? "CREDENTIALS" : "ACCESS_TOKEN")\"",
            ]
        }
        if exchange.hasProof { words += ["--header", "\"DPoP: $DPOP_PROOF\""] }
        for word in parameters { words += ["--data-urlencode", word] }
        text = words.joined(separator: " ")
    }

    /// The words of the parameters whose names are known, each with its value or a variable.
    private static func parameters(of exchange: RecordedExchange) -> [String] {
        exchange.parameters.members.filter { $0.name != "[unknown]" }.flatMap { name, value in
            (value.array ?? [value]).map { value in
                value == "[redacted]" ? "\"\(name)=$\(name.uppercased())\"" : quoted("\(name)=\(value.string ?? "")")
            }
        }
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
