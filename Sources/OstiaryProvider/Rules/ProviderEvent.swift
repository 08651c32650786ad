public import OstiaryJOSE

/// A report for the provider's log: the reason a request was refused, or was served although the strict rules refuse
/// it, and the outcome of a logout token.
///
/// It holds no code, token, secret, password or key, and printable ASCII alone.
public struct ProviderEvent: Sendable, Hashable {
    /// The result that is reported.
    public enum Outcome: String, Sendable, Hashable {
        /// The request was refused.
        case refused
        /// The request was served, and the strict rules refuse it.
        case admitted
        /// The request was served with less than it asked for.
        case narrowed
        /// A client took a logout token.
        case delivered
        /// A client did not take a logout token: at any attempt in the log, at this one in an exchange of the inspector.
        case undelivered
    }

    /// The result.
    public var outcome: Outcome
    /// The path of the request.
    public var path: String
    /// The client that the request names, as it names it; `nil` for none.
    public var clientID: String?
    /// The status of the response; `nil` while there is none yet.
    public var status: Int?
    /// The error code; `nil` for a page, and for a request that was served.
    public var error: String?
    /// The reason, more precise than the response where that must not help an attacker.
    public var reason: String
    /// The rule that the request breaks; `nil` for a request that no rules serve.
    public var rule: ProviderRule?
    /// The change that makes the request right, or has it served; `nil` when the reason says it.
    public var mend: String?

    init(
        _ outcome: Outcome,
        path: String,
        clientID: String?,
        status: Int? = nil,
        error: String? = nil,
        reason: String,
        rule: ProviderRule? = nil,
        mend: String? = nil
    ) {
        self.outcome = outcome
        self.path = path.logged
        self.clientID = clientID?.logged
        self.status = status
        self.error = error?.logged
        self.reason = reason.printable
        self.rule = rule
        self.mend = mend?.printable
    }
}

extension ProviderEvent {
    /// The members in order, as names and values for a line of log.
    public var members: [(name: String, value: String)] {
        let all: [(String, String?)] = [
            ("path", path), ("status", status.map(String.init)), ("client", clientID), ("error", error),
            ("reason", reason), ("rule", rule.map { "\($0.rawValue) (\($0.source))" }), ("mend", mend),
        ]
        return all.compactMap { name, value in value.map { (name: name, value: $0) } }
    }

    /// The members in order, as a JSON object: `status` is a number.
    public var object: JSONObject {
        var object = JSONObject()
        for (name, value) in members { object[name] = .string(value) }
        if let status { object["status"] = .integer(status) }
        return object
    }
}
