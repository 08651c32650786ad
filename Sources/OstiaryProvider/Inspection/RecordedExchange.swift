import HTTPTypes
public import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One request to the provider, or one of the provider with a logout token, and the response: without a secret, and in
/// printable ASCII.
public struct RecordedExchange: Sendable {
    /// A participant of a flow.
    public enum Party: String, Sendable, Hashable, CaseIterable {
        /// A client that keeps no secret.
        case app
        /// The user's browser.
        case browser
        /// A client that authenticates.
        case backend
        /// A resource server.
        case resource
        /// The provider.
        case provider
    }

    /// The place that a browser is sent to.
    public struct Redirect: Sendable, Hashable {
        /// The URL before the query.
        public internal(set) var location: String
        /// Whether the place is the client's; the provider's own page otherwise.
        public internal(set) var isToClient: Bool
    }

    /// The number of the exchange, from 1 on.
    public internal(set) var number = 0
    /// The number of the first exchange of its flow.
    public internal(set) var flow = 0
    /// The time by the provider's clock.
    public internal(set) var time: Date
    /// The method of the request.
    public internal(set) var method: String
    /// The path of the request.
    public internal(set) var path: String
    /// The endpoint; `nil` for any other path.
    public internal(set) var route: Route?
    /// The client that the request is from, or that receives it; `nil` for none.
    public internal(set) var clientID: String?
    /// The user whose code or token the exchange has; `nil` for none.
    public internal(set) var userName: String?
    /// The sender of the request.
    public internal(set) var sender: Party
    /// The receiver of the request: a client for a logout token, and otherwise the provider.
    public internal(set) var receiver = Party.provider
    /// The scheme, host and port of a receiver that is not the provider; `nil` for the provider.
    public internal(set) var origin: String?
    /// The parameters of the request, each value or its substitute.
    public internal(set) var parameters: JSONObject
    /// The scheme of the `Authorization` field: `Basic`, `Bearer` or `DPoP`; `nil` for another one, and for none.
    public internal(set) var authorization: String?
    /// Whether the request has a DPoP proof (RFC 9449 section 4).
    public internal(set) var hasProof = false
    /// The scenario that the request played; `nil` for none.
    public internal(set) var scenario: String?
    /// The status of the response; `nil` where a request of the provider brought none.
    public internal(set) var status: Int?
    /// The parameters of a redirect, or the members of a response of the endpoints that issue something.
    public internal(set) var response: JSONObject = [:]
    /// The redirect of the response; `nil` for none.
    public internal(set) var redirect: Redirect?
    /// The reports of the provider's log.
    public internal(set) var events: [ProviderEvent]

    /// Whether the provider refused the request, or a client did not take a logout token.
    public var isRefused: Bool {
        guard receiver == .provider else { return events.contains { $0.outcome == .undelivered } }
        return events.contains { $0.outcome == .refused } || (status ?? 0) >= 400
    }
}

extension RecordedExchange {
    private static let maximumParameters = 50

    /// The parameters of a request: those that may hold a secret without their values, at most 50, and long values cut.
    ///
    /// Any other name may be the rest of a secret that was sent without escapes, and is `[unknown]`.
    static func parameters(of request: ProviderRequest) -> JSONObject {
        let sent = request.method == .post ? request.formParameters : request.queryParameters
        return redacted(sent?.pairs.map { ($0.name.rawValue, .string($0.value)) } ?? [], shown: [.shown])
    }

    /// The parameters of a request that the provider sends, as ``parameters(of:)`` has those of a request to it.
    static func parameters(sentWith request: EndpointRequest) -> JSONObject {
        let query = FormURLEncoding.decode(request.url.query() ?? "")?.pairs ?? []
        return redacted((query + request.form.pairs).map { ($0.name.rawValue, .string($0.value)) }, shown: [.shown])
    }

    /// The members of a response, as ``parameters(of:)`` has those of a request.
    static func redacted(response members: [(name: String, value: JSONValue)]) -> JSONObject {
        redacted(members, shown: [.shown, .shownInResponses])
    }

    private static func redacted(
        _ pairs: [(name: String, value: JSONValue)],
        shown: Set<RecordedParameter.Visibility>
    ) -> JSONObject {
        var object = JSONObject()
        for pair in pairs.prefix(maximumParameters) {
            let known = RecordedParameter.named(pair.name)
            var value: JSONValue = "[redacted]"
            if let known, shown.contains(known.visibility) {
                if let text = pair.value.string { value = .string(text.logged) }
                if let number = pair.value.integer { value = .integer(number) }
            }
            let name = known?.name ?? "[unknown]"
            switch object[name] {
            case nil: object[name] = value
            case .array(let values): object[name] = .array(values + [value])
            case let first?: object[name] = .array([first, value])
            }
        }
        return object
    }

    /// The bytes of its texts, and about those of what holds them.
    var size: Int {
        let reports = events.flatMap(\.members).map(\.value)
        let texts = [method, path, clientID, userName, redirect?.location].compactMap(\.self) + reports
        return texts.reduce(512) { $0 + 64 + $1.utf8.count } + parameters.size + response.size
    }

    /// The exchange for `/admin/requests`.
    var administered: JSONObject {
        var object: JSONObject = [
            "number": .integer(number), "time": .integer(time.numericDate), "method": .string(method),
            "path": .string(path),
        ]
        object["endpoint"] = route.map { .string($0.name) }
        object["client_id"] = clientID.map { .string($0) }
        object["parameters"] = .object(parameters)
        object["scenario"] = scenario.map { .string($0) }
        object["status"] = status.map { .integer($0) }
        object["refused"] = .bool(isRefused)
        object["reports"] = .array(
            events.map { event in
                var report: JSONObject = ["outcome": .string(event.outcome.rawValue)]
                for member in event.object.members where !["path", "client", "status"].contains(member.name) {
                    report[member.name] = member.value
                }
                return .object(report)
            }
        )
        return object
    }

    /// The exchange as one JSON object: what `/admin/requests` has of it, and its place in the flow.
    public var object: JSONObject {
        var object = administered
        object["flow"] = .integer(flow)
        object["user"] = userName.map { .string($0) }
        object["from"] = .string(sender.rawValue)
        object["to"] = .string(receiver.rawValue)
        object["origin"] = origin.map { .string($0) }
        object["authorization"] = authorization.map { .string($0) }
        if hasProof { object["proof"] = true }
        object["response"] = .object(response)
        if let redirect {
            object["location"] = .string(redirect.location)
            object["to_client"] = .bool(redirect.isToClient)
        }
        return object
    }
}

extension JSONObject {
    /// The bytes of its texts, and 64 for each value.
    fileprivate var size: Int { members.reduce(0) { $0 + $1.name.utf8.count + $1.value.size } }
}

extension JSONValue {
    /// The bytes of its texts, and 64 for each value.
    fileprivate var size: Int {
        switch self {
        case .string(let text): 64 + text.utf8.count
        case .array(let values): values.reduce(64) { $0 + $1.size }
        case .object(let object): 64 + object.size
        case .integer, .number, .bool, .null: 64
        }
    }
}
