import OstiaryJOSE

/// The claims that the parameter `claims` of an authorization request names (OpenID Connect Core section 5.5).
///
/// Values and `essential` are not read: a user has a claim, or has not.
struct RequestedClaims: Sendable, Hashable {
    private static let maximumNames = 64

    /// The claims for the ID token.
    var idToken: [String] = []
    /// The claims for user info.
    var userInfo: [String] = []

    /// No claims.
    init() {}

    /// Reads the parameter; a text that is not a JSON object names no claims.
    init(_ text: String?) {
        guard let text, let object = try? JSONObject(parsing: Array(text.utf8)) else { return }
        idToken = Self.names(object["id_token"])
        userInfo = Self.names(object["userinfo"])
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

    private static func names(_ value: JSONValue?) -> [String] {
        Array((value?.object?.names ?? []).prefix(maximumNames))
    }
}
