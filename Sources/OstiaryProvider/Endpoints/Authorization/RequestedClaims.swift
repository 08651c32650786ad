import OstiaryJOSE
import OstiaryOAuth

/// The claims that the parameter `claims` of an authorization request names (OpenID Connect Core section 5.5).
///
/// `essential` and values are not read, for a user has a claim or has not; but for two claims of the ID token: `sub`,
/// which names the only user to respond for (OpenID Connect Core section 3.1.2.2), and an essential `acr`, which the
/// authentication has to meet (section 5.5.1.1).
struct RequestedClaims: Sendable, Hashable {
    private static let maximumNames = 64

    /// The claims for the ID token.
    var idToken: [String] = []
    /// The claims for user info.
    var userInfo: [String] = []
    /// The only user to respond for; `nil` for any.
    var subject: String?
    /// The values of `acr` of which the authentication has to meet one, the best first; `nil` for no such claim.
    var essentialContexts: [String]?

    /// No claims.
    init() {}

    /// Reads the parameter; a text that is not a JSON object names no claims.
    init(_ text: String?) {
        guard let text, let object = try? JSONObject(parsing: Array(text.utf8)) else { return }
        idToken = Self.names(object["id_token"])
        userInfo = Self.names(object["userinfo"])
        subject = object["id_token"]?.object?["sub"]?.object?["value"]?.string
        essentialContexts = Self.essentialValues(of: object["id_token"]?.object?["acr"]?.object)
    }

    /// The values of an essential claim, of which none may be acceptable; `nil` for a voluntary claim, and for one
    /// without values.
    private static func essentialValues(of claim: JSONObject?) -> [String]? {
        guard let claim, claim["essential"]?.bool == true, claim["value"] != nil || claim["values"] != nil else {
            return nil
        }
        let values = claim["values"]?.array ?? [claim["value"]].compactMap(\.self)
        return values.prefix(maximumNames).compactMap(\.string)
    }

    /// Reads what ``json`` wrote.
    init(json: JSONValue?) {
        func strings(_ name: String) -> [String] { json?.object?[name]?.array?.compactMap(\.string) ?? [] }
        idToken = strings("id_token")
        userInfo = strings("userinfo")
    }

    /// The names for a record; `nil` for none.
    var json: JSONValue? {
        guard !idToken.isEmpty || !userInfo.isEmpty else { return nil }
        return ["id_token": .strings(idToken), "userinfo": .strings(userInfo)]
    }

    /// The claims that some scopes give access to (OpenID Connect Core section 5.4).
    ///
    /// - Parameters:
    ///   - scopes: The scopes that the client may request.
    ///   - granted: The scopes that it is granted.
    /// - Returns: The claims, and the scopes that the user has to allow for them besides the granted ones.
    func limited(to scopes: [ProviderScope], besides granted: [Scope]) -> (RequestedClaims, [Scope]) {
        let known = Set(scopes.flatMap(\.claims))
        var limited = self
        limited.idToken.removeAll { !known.contains($0) }
        limited.userInfo.removeAll { !known.contains($0) }
        var opened = granted
        for name in limited.idToken + limited.userInfo {
            let sources = scopes.filter { $0.claims.contains(name) }.map(\.scope)
            if let first = sources.first, !sources.contains(where: opened.contains) { opened.append(first) }
        }
        return (limited, Array(opened.dropFirst(granted.count)))
    }

    private static func names(_ value: JSONValue?) -> [String] {
        Array((value?.object?.names ?? []).prefix(maximumNames))
    }
}
