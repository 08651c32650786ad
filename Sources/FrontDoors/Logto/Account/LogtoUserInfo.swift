public import OstiaryJOSE
public import OstiaryOAuth

/// The tenant's claims about the user who signed in, after their subject was compared with the ID token's.
public struct LogtoUserInfo: LogtoClaims {
    /// Every claim, as it came.
    public let claims: JSONObject

    /// Takes user info that was checked.
    public init(_ info: UserInfo) { claims = info.claims }

    init(claims: JSONObject) { self.claims = claims }

    /// An organization in words.
    public struct OrganizationData: Sendable, Hashable {
        /// Its identifier.
        public let id: String
        /// Its name.
        public let name: String
        /// The description of the organization, if there is one.
        public let description: String?

        init?(_ object: JSONObject) {
            guard let id = object["id"]?.string, let name = object["name"]?.string else { return nil }
            self.id = id
            self.name = name
            description = object["description"]?.string
        }
    }
}

extension LogtoUserInfo: CustomStringConvertible, CustomReflectable {
    /// The names of the claims; their values may identify the user.
    public var description: String { "LogtoUserInfo(\(claims.names.joined(separator: ", ")))" }
    /// The names of the claims.
    public var customMirror: Mirror { Mirror(self, children: ["claims": claims.names]) }
}
