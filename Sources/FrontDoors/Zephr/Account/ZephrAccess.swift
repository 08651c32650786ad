public import Ostiary

/// A page or a resource for which an app requests an access decision.
public struct ZephrAccessRequest: Sendable, Hashable {
    /// The path at the site, such as `/premium/article`.
    public var path: String
    /// The method.
    public var method: String
    /// Header fields that the decision looks at.
    public var headers: [String: String]
    /// The content, in the terms of the site's rules.
    public var content: JSONObject
    /// A token of a site that authenticates users with its own.
    public var jwt: Secret?

    /// Makes a request for a path.
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

/// The site's access decision.
///
/// A decision on a device is advice: the device's owner can display the content anyway. Paid content must come from a
/// server that requests the decision itself.
public struct ZephrAccessDecision: Sendable, Hashable {
    /// The status with which the site would respond to a browser.
    public let status: Int
    /// The header fields that it would send.
    public let headers: [String: String]
    /// The body with which the site would respond.
    public let body: String?

    init(status: Int, headers: JSONObject?, body: String?) {
        self.status = status
        self.headers = (headers?.members ?? []).reduce(into: [:]) { $0[$1.name] = $1.value.string }
        self.body = body
    }

    /// Whether access is allowed.
    public var isAllowed: Bool { (200...299).contains(status) }
}
