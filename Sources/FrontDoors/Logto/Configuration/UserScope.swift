/// A scope for claims about the user, in Logto's terms.
///
/// Each name has two spellings: version 2 of Logto's own SDK writes small letters, version 1 capitals.
public struct UserScope: RawRepresentable, Sendable, Hashable {
    /// The scope on the wire.
    public let rawValue: String
    /// Takes any scope.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An ID token; always requested.
    public static let openid = UserScope(rawValue: "openid")
    /// A refresh token; always requested.
    public static let offlineAccess = UserScope(rawValue: "offline_access")
    /// Name, user name, picture, times; always requested.
    public static let profile = UserScope(rawValue: "profile")
    /// The e-mail address, and whether it is verified.
    public static let email = UserScope(rawValue: "email")
    /// The telephone number, and whether it is verified.
    public static let phone = UserScope(rawValue: "phone")
    /// The postal address (OpenID Connect Core section 5.1.1).
    public static let address = UserScope(rawValue: "address")
    /// The app's data about the user; in the user info alone.
    public static let customData = UserScope(rawValue: "custom_data")
    /// The accounts at other services; in the user info alone.
    public static let identities = UserScope(rawValue: "identities")
    /// The user's roles in the tenant.
    public static let roles = UserScope(rawValue: "roles")
    /// The organizations that the user belongs to, and tokens for them.
    public static let organizations = UserScope(rawValue: "urn:logto:scope:organizations")
    /// The user's roles in organizations.
    public static let organizationRoles = UserScope(rawValue: "urn:logto:scope:organization_roles")
    /// The management of the user's sessions in the Account API; adds no claim.
    public static let sessions = UserScope(rawValue: "urn:logto:scope:sessions")

    /// ``profile``.
    public static let Profile = profile
    /// ``email``.
    public static let Email = email
    /// ``phone``.
    public static let Phone = phone
    /// ``address``.
    public static let Address = address
    /// ``customData``.
    public static let CustomData = customData
    /// ``identities``.
    public static let Identities = identities
    /// ``roles``.
    public static let Roles = roles
    /// ``organizations``.
    public static let Organizations = organizations
    /// ``organizationRoles``.
    public static let OrganizationRoles = organizationRoles
}

/// A resource that means something to Logto itself.
public enum ReservedResource: String, Sendable, Hashable {
    /// Stands for tokens of organizations; named in the sign-in when the organizations scope is.
    case organizations = "urn:logto:resource:organizations"
}
