import Foundation
import OstiaryJOSE
import OstiaryProvider

/// Exchanges as an HTTP Archive 1.2, which the developer tools of browsers open.
///
/// The format demands fields that are not recorded: they are empty, and sizes are -1. The status is 0 where no response
/// came.
struct HTTPArchive: Sendable {
    /// The archive.
    let object: JSONObject

    /// Writes the archive.
    ///
    /// - Parameters:
    ///   - exchanges: The exchanges, the oldest first.
    ///   - origin: The scheme, host and port of the provider.
    init(_ exchanges: [RecordedExchange], origin: String) {
        let log: JSONObject = [
            "version": "1.2", "creator": ["name": "ostiary", "version": "1"],
            "pages": .array(Self.pages(exchanges).map { .object($0) }),
            "entries": .array(exchanges.map { .object(Self.entry($0, origin)) }),
        ]
        object = ["log": .object(log)]
    }

    /// A page for each flow, which readers of the format show as a group.
    private static func pages(_ exchanges: [RecordedExchange]) -> [JSONObject] {
        var seen: Set<Int> = []
        return exchanges.filter { seen.insert($0.flow).inserted }.map { exchange in
            [
                "startedDateTime": .string(exchange.time.formatted(.iso8601)), "id": .string("flow \(exchange.flow)"),
                "title": .string("Flow \(exchange.flow)"), "pageTimings": [:],
            ]
        }
    }

    private static func entry(_ exchange: RecordedExchange, _ origin: String) -> JSONObject {
        let pairs = JSONValue.array(
            exchange.parameters.members.flatMap { member in
                (member.value.array ?? [member.value]).map { value -> JSONValue in
                    ["name": .string(member.name), "value": .string(value.string ?? "")]
                }
            }
        )
        let isForm = exchange.method == "POST" && !exchange.parameters.isEmpty
        var headers: [JSONValue] = []
        if let scheme = exchange.authorization {
            headers.append(["name": "Authorization", "value": .string("\(scheme) [redacted]")])
        }
        if exchange.hasProof { headers.append(["name": "DPoP", "value": "[redacted]"]) }
        var request: JSONObject = [
            "method": .string(exchange.method), "url": .string((exchange.origin ?? origin) + exchange.path),
            "httpVersion": "HTTP/1.1", "cookies": [], "headers": .array(headers), "queryString": isForm ? [] : pairs,
            "headersSize": -1, "bodySize": -1,
        ]
        if isForm {
            request["postData"] = ["mimeType": "application/x-www-form-urlencoded", "params": pairs]
        }
        var content: JSONObject = ["size": -1, "mimeType": ""]
        if !exchange.response.isEmpty, exchange.redirect == nil {
            content["mimeType"] = "application/json"
            content["text"] = .string(String(decoding: exchange.response.encoded(), as: UTF8.self))
        }
        let response: JSONObject = [
            "status": .integer(exchange.status ?? 0), "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": [], "content": .object(content),
            "redirectURL": .string(exchange.redirect?.location ?? ""), "headersSize": -1, "bodySize": -1,
        ]
        return [
            "startedDateTime": .string(exchange.time.formatted(.iso8601)), "time": 0, "request": .object(request),
            "response": .object(response), "cache": [:], "timings": ["send": 0, "wait": 0, "receive": 0],
            "pageref": .string("flow \(exchange.flow)"), "comment": .string(comment(exchange)),
        ]
    }

    private static func comment(_ exchange: RecordedExchange) -> String {
        exchange.events.map { event in
            ([event.outcome.rawValue] + event.members.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
        }
        .joined(separator: "\n")
    }
}
