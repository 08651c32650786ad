import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The reports of one request, while the provider responds to it.
final class RequestReports: Sendable {
    private static let maximum = 20

    private let kept = Lock<[ProviderEvent]>([])

    var events: [ProviderEvent] { kept.withLock { $0 } }

    func append(_ event: ProviderEvent) {
        kept.withLock { if $0.count < Self.maximum { $0.append(event) } }
    }
}

/// The last requests, for the administration: each with the reason of its refusal, none with a secret.
final class RequestJournal: Sendable {
    /// A request and its response.
    struct Entry: Sendable {
        /// The number of the request, from 1 on.
        fileprivate(set) var number = 0
        var time: Date
        var method: String
        var path: String
        /// The endpoint; `nil` for any other path.
        var route: Route?
        /// The client that the request is from; `nil` for none.
        var clientID: String?
        /// The parameters, each value or its substitute.
        var parameters: JSONObject
        /// The scenario that the request played; `nil` for none.
        var scenario: String?
        var status: Int
        var events: [ProviderEvent]

        /// Whether the provider refused it.
        var isRefused: Bool { events.contains { $0.outcome == .refused } || status >= 400 }
    }

    /// The requests to list.
    struct Filter: Sendable {
        /// The client, as entries have it.
        var clientID: String?
        var route: Route?
        var isRefused: Bool?
        /// The number of the last request that the caller knows.
        var after = 0

        func contains(_ entry: Entry) -> Bool {
            entry.number > after && (route == nil || entry.route == route)
                && (isRefused == nil || entry.isRefused == isRefused)
                && (clientID.map { entry.clientID?.utf8.elementsEqual($0.utf8) ?? false } ?? true)
        }
    }

    /// The largest number of requests that it keeps.
    static let capacity = 500

    private struct State: Sendable {
        var entries: [Entry] = []
        var count = 0
        /// The number of the last request that the administration has had forgotten.
        var cleared = 0
    }

    private let state = Lock(State())

    func append(_ entry: Entry) {
        state.withLock { state in
            state.count += 1
            state.entries.append(entry)
            state.entries[state.entries.count - 1].number = state.count
            // Seldom, so that one request in many pays for it.
            if state.entries.count >= 2 * Self.capacity {
                state.entries.removeFirst(state.entries.count - Self.capacity)
            }
        }
    }

    /// The kept requests that a filter has, the oldest first, and whether earlier ones are forgotten that it may have.
    func entries(_ filter: Filter) -> (entries: [Entry], isTruncated: Bool) {
        state.withLock { state in
            let kept = state.entries.suffix(Self.capacity)
            let first = kept.first?.number ?? state.count + 1
            return (kept.filter(filter.contains), first > max(filter.after, state.cleared) + 1)
        }
    }

    /// Forgets every request; the numbers go on.
    func clear() {
        state.withLock { state in
            state.entries = []
            state.cleared = state.count
        }
    }
}

extension RequestJournal.Entry {
    /// The parameters whose values hold no secret and name no user.
    private static let shown: Set<Parameters.Name> = [
        .responseType, .responseMode, .clientID, .redirectURI, .scope, .prompt, .maxAge, .uiLocales, .acrValues,
        .codeChallengeMethod, .grantType, .resource, .audience, .tokenTypeHint, .clientAssertionType,
        .subjectTokenType, .actorTokenType, .requestedTokenType, .postLogoutRedirectURI, "access_type", "display",
    ]
    /// The parameters whose values may hold a secret or name a user.
    private static let redacted: Set<Parameters.Name> = [
        .clientSecret, .clientAssertion, .code, .codeChallenge, .codeVerifier, .state, .nonce, .token, .refreshToken,
        .deviceCode, .userCode, .subjectToken, .actorToken, .dpopKeyThumbprint, .idTokenHint, .loginHint, .requestURI,
        .logoutURI, .issuer, .error, .errorDescription, .errorURI, "access_token", "id_token", "assertion",
        "authorization_details", "claims", "claims_locales", "logout_hint", "organization_id", "registration", "rel",
        "request", "software_statement", Parameters.Name(rawValue: PageInput.interaction),
        Parameters.Name(rawValue: PageInput.csrf), Parameters.Name(rawValue: PageInput.name),
        Parameters.Name(rawValue: PageInput.password), Parameters.Name(rawValue: PageInput.decision),
        Parameters.Name(rawValue: PageInput.oneTimePassword), Parameters.Name(rawValue: PageInput.account),
        Parameters.Name(rawValue: PageInput.forgottenAccount),
    ]
    private static let maximumParameters = 50

    /// Whether an endpoint knows a parameter with this name.
    static func isKnown(_ name: Parameters.Name) -> Bool { shown.contains(name) || redacted.contains(name) }

    /// The parameters of a request: those that may hold a secret without their values, at most 50, and long values cut.
    ///
    /// Any other name may be the rest of a secret that was sent without escapes, and is `[unknown]`.
    static func parameters(of request: ProviderRequest) -> JSONObject {
        guard let sent = request.method == .post ? request.formParameters : request.queryParameters else { return [:] }
        var object = JSONObject()
        for pair in sent.pairs.prefix(maximumParameters) {
            let isShown = shown.contains(pair.name)
            let value: JSONValue = .string(isShown ? pair.value.logged : "[redacted]")
            let name = isKnown(pair.name) ? pair.name.rawValue : "[unknown]"
            switch object[name] {
            case nil: object[name] = value
            case .array(let values): object[name] = .array(values + [value])
            case let first?: object[name] = .array([first, value])
            }
        }
        return object
    }

    /// The entry for the administration.
    var administered: JSONObject {
        var object: JSONObject = [
            "number": .integer(number), "time": .integer(time.numericDate), "method": .string(method),
            "path": .string(path),
        ]
        object["endpoint"] = route.map { .string($0.name) }
        object["client_id"] = clientID.map { .string($0) }
        object["parameters"] = .object(parameters)
        object["scenario"] = scenario.map { .string($0) }
        object["status"] = .integer(status)
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
}

extension Provider {
    /// Keeps a request and its response for the administration.
    ///
    /// A HEAD request that a server sends before GET for the length is not kept.
    func keep(
        _ request: ProviderRequest,
        from clientID: String?,
        playing scenario: Scenario,
        _ response: ProviderResponse
    ) {
        guard request.method != .head || response.status == .methodNotAllowed else { return }
        let events = request.reports?.events ?? []
        journal.append(
            RequestJournal.Entry(
                time: now,
                method: request.method.rawValue.logged,
                path: request.path.logged,
                route: routes.route(at: request.path),
                clientID: (clientID ?? events.lazy.compactMap(\.clientID).first)?.logged,
                parameters: RequestJournal.Entry.parameters(of: request),
                scenario: scenario.name == Scenario.none.name ? nil : scenario.name,
                status: response.status.code,
                events: events
            )
        )
    }

    /// `/admin/requests`.
    func administerRequests(_ request: ProviderRequest) throws(Refusal) -> ProviderResponse {
        guard request.method == .get else {
            journal.clear()
            return .nothing
        }
        let (entries, isTruncated) = journal.entries(try RequestJournal.Filter(request))
        var object: JSONObject = ["requests": .array(entries.map { .object($0.administered) })]
        if isTruncated { object["truncated"] = true }
        return .json(object)
    }
}

extension RequestJournal.Filter {
    /// Reads the filter from a query: `client_id`, `endpoint`, `refused` and `after`.
    fileprivate init(_ request: ProviderRequest) throws(Refusal) {
        guard let query = request.queryParameters else {
            throw .json(.invalidRequest, "The query cannot be read.")
        }
        for name in query.names {
            guard query.values(of: name).count == 1, let value = query[name] else {
                throw .json(.invalidRequest, "The query has \(name.rawValue.logged) more than once.")
            }
            switch name.rawValue {
            case "client_id": clientID = value.logged
            case "endpoint":
                guard let route = Route(name: value) else {
                    throw .json(.invalidRequest, ScenarioTurn.Failure.endpoint(value).description)
                }
                self.route = route
            case "refused":
                guard let isRefused = Bool(value) else {
                    throw .json(.invalidRequest, "refused is not true or false.")
                }
                self.isRefused = isRefused
            case "after":
                guard let number = Int(value), number >= 0 else {
                    throw .json(.invalidRequest, "after is not the number of a request.")
                }
                after = number
            default:
                throw .json(
                    .invalidRequest,
                    "The query has \(name.rawValue.logged). It may have client_id, endpoint, refused and after."
                )
            }
        }
    }
}
