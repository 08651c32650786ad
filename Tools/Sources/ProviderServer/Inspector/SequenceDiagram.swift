import OstiaryJOSE
import OstiaryProvider

/// Flows as a sequence diagram in the language of Mermaid.
struct SequenceDiagram: Sendable {
    /// The diagram, with a newline at its end.
    let text: String

    /// Draws flows, one below the other.
    init(_ flows: [[RecordedExchange]]) {
        var parties: Set<RecordedExchange.Party> = [.provider]
        var lines: [String] = []
        for flow in flows {
            let hasBackend = flow.contains { [$0.sender, $0.receiver].contains(.backend) }
            let client = hasBackend ? RecordedExchange.Party.backend : .app
            let names = [
                "Flow \(flow.first?.flow ?? 0)", flow.lazy.compactMap(\.clientID).first.map { "client \($0)" },
                flow.lazy.compactMap(\.userName).first.map { "user \($0)" },
            ]
            lines.append("Note over provider: " + Self.escaped(names.compactMap(\.self).joined(separator: ", ")))
            for exchange in flow {
                let (sender, receiver) = (exchange.sender.rawValue, exchange.receiver.rawValue)
                parties.formUnion([exchange.sender, exchange.receiver])
                let place = (exchange.origin ?? "") + exchange.path
                lines.append("\(sender)->>\(receiver): " + Self.escaped("\(exchange.method) \(place)"))
                lines += exchange.events.map { event in
                    let words = [
                        "\(event.outcome.rawValue): \(event.reason)",
                        event.rule.map { "\($0.rawValue) (\($0.source))" },
                        event.mend,
                    ]
                    return "Note over provider: " + Self.escaped(words.compactMap(\.self).joined(separator: " "))
                }
                lines.append("\(receiver)-->>\(sender): " + Self.escaped(Self.answer(exchange)))
                guard exchange.sender == .browser, let redirect = exchange.redirect, redirect.isToClient else {
                    continue
                }
                parties.insert(client)
                let names = exchange.response.names.joined(separator: ", ")
                lines.append("browser->>\(client.rawValue): " + Self.escaped("GET \(redirect.location) \(names)"))
            }
        }
        let participants = RecordedExchange.Party.allCases.filter(parties.contains).map {
            "participant \($0.rawValue) as \($0.rawValue.prefix(1).uppercased())\($0.rawValue.dropFirst())"
        }
        text = (["sequenceDiagram"] + (participants + lines).map { "    " + $0 }).joined(separator: "\n") + "\n"
    }

    private static func answer(_ exchange: RecordedExchange) -> String {
        var words = [exchange.status.map(String.init) ?? "no response"]
        if let error = exchange.response["error"]?.string { words.append(error) }
        if let redirect = exchange.redirect { words.append("to \(redirect.location)") }
        if exchange.redirect == nil, exchange.response["error"] == nil, !exchange.response.isEmpty {
            words.append(exchange.response.names.joined(separator: ", "))
        }
        return words.joined(separator: " ")
    }

    /// The text as a message: whatever may mean something to Mermaid, or be markup, is a character entity.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            let isPlain =
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                || " ./_-?=,()".unicodeScalars.contains(scalar)
            return isPlain ? String(scalar) : "#\(scalar.value);"
        }
        .joined()
    }
}
