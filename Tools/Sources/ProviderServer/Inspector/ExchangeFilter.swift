import Foundation
import OstiaryJOSE
import OstiaryProvider

/// The flows to export: each with all of its exchanges.
struct ExchangeFilter: Sendable, Hashable {
    /// The number of one flow.
    var flow: Int?
    /// The client of an exchange of the flow.
    var clientID: String?
    /// The user of an exchange of the flow.
    var userName: String?
    /// The endpoint of an exchange, by its name.
    var endpoint: String?
    /// Whether an exchange is refused.
    var isRefused = false
    /// A part of a text of an exchange, in any case.
    var text: String?

    /// Reads the members of a query.
    ///
    /// - Throws: ``InspectorQueryError`` for a name that is unknown, and a value that is malformed.
    init(_ members: [String: String]) throws(InspectorQueryError) {
        for (name, value) in members where !value.isEmpty {
            switch name {
            case "flow":
                guard let number = Int(value) else { throw .value(name) }
                flow = number
            case "client_id": clientID = value
            case "user": userName = value
            case "endpoint":
                guard Route(name: value) != nil else { throw .value(name) }
                endpoint = value
            case "refused":
                guard let isRefused = Bool(value) else { throw .value(name) }
                self.isRefused = isRefused
            case "text": text = value.lowercased()
            default: throw .name(name)
            }
        }
    }

    /// The exchanges of every flow that has one like this, flow by flow.
    func exchanges(of all: [RecordedExchange]) -> [[RecordedExchange]] {
        var flows: [Int: [RecordedExchange]] = [:]
        var order: [Int] = []
        for exchange in all where flow == nil || exchange.flow == flow {
            if flows[exchange.flow] == nil { order.append(exchange.flow) }
            flows[exchange.flow, default: []].append(exchange)
        }
        return order.compactMap { flows[$0] }.filter(contains)
    }

    private func contains(_ flow: [RecordedExchange]) -> Bool {
        (clientID == nil || flow.contains { $0.clientID == clientID })
            && (userName == nil || flow.contains { $0.userName == userName })
            && flow.contains { exchange in
                (endpoint == nil || exchange.route?.name == endpoint) && (!isRefused || exchange.isRefused)
                    && (text.map { part in exchange.texts.contains { $0.lowercased().contains(part) } } ?? true)
            }
    }
}

extension RecordedExchange {
    /// Every text that a search looks into.
    fileprivate var texts: [String] {
        let own = [
            method, (origin ?? "") + path, clientID, userName, status.map(String.init), scenario, redirect?.location,
        ].compactMap(\.self)
        let values = (parameters.members + response.members).flatMap { [$0.name] + $0.value.texts }
        return own + values + events.flatMap { $0.members.map(\.value) }
    }
}

extension JSONValue {
    fileprivate var texts: [String] { array?.compactMap(\.string) ?? [string ?? integer.map(String.init) ?? ""] }
}

/// The reasons to refuse a query of the inspector.
enum InspectorQueryError: Error {
    /// It cannot be read, or repeats a name.
    case malformed
    /// The name is unknown.
    case name(String)
    /// The value of this name is not one that it can have.
    case value(String)

    /// The error, in one sentence.
    var sentence: String {
        switch self {
        case .malformed: "The query cannot be read, or names something twice."
        case .name(let name):
            "The query has \(name.prefix(64)). It may have after at events, and form, flow, client_id, user, endpoint, "
                + "refused and text at export."
        case .value(let name): "The query's \(name.prefix(64)) cannot have this value."
        }
    }
}
