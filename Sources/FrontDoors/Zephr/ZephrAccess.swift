public import Ostiary

/// A page or a resource that an app asks about before it shows it.
public struct ZephrAccessRequest: Sendable, Hashable {
    /// The path at the site, such as `/premium/article`.
    public var path: String
    /// The method.
    public var method: String
    /// Header fields that the decision looks at.
    public var headers: [String: String]
    /// What the content is, as the site's rules know it.
    public var content: JSONObject
    /// A token of a site that authenticates people with its own.
    public var jwt: Secret?

    /// Asks about a path.
    public init(
        path: String,
        method: String = "GET",
        headers: [String: String] = [:],
        content: JSONObject = [:],
        jwt: Secret? = nil
    ) {
        self.path = path
        self.method = method
        self.headers = headers
        self.content = content
        self.jwt = jwt
    }

    func json(for session: Secret) -> JSONObject {
        var object: JSONObject = [
            "path": .string(path), "httpMethod": .string(method), "session": .string(session.reveal()),
        ]
        if !headers.isEmpty {
            var fields = JSONObject()
            for (name, value) in headers.sorted(by: { $0.key < $1.key }) { fields[name] = .string(value) }
            object["requestHeaders"] = .object(fields)
        }
        if !content.isEmpty { object["contentMetadata"] = .object(content) }
        object["jwt"] = jwt.map { .string($0.reveal()) }
        return object
    }
}

/// What the site decided about it.
///
/// A decision on a device is advice: whoever owns the device can show the content all the same. What has to be paid for
/// is delivered by a server that asks for itself.
public struct ZephrAccessDecision: Sendable, Hashable {
    /// The status that the site would answer a browser with.
    public let status: Int
    /// The header fields that it would send.
    public let headers: [String: String]
    /// What it would show.
    public let body: String?

    init(status: Int, headers: JSONObject?, body: String?) {
        self.status = status
        self.headers = (headers?.members ?? []).reduce(into: [:]) { $0[$1.name] = $1.value.string }
        self.body = body
    }

    /// Whether the content may be shown.
    public var isAllowed: Bool { (200...299).contains(status) }
}
