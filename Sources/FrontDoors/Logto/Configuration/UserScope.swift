/// A scope for claims about the user, in Logto's terms.
///
/// Each name has two spellings: version 2 of Logto's own SDK writes small letters, version 1 capitals.
public enum UserScope: String, Sendable, Hashable, CaseIterable {
    /// An ID token; always requested.
    case openid
    /// A refresh token; always requested.
    case offlineAccess = "offline_access"
    /// Name, user name, picture, times; always requested.
    case profile
    /// The e-mail address, and whether it is verified.
    case email
    /// The telephone number, and whether it is verified.
    case phone
    /// The postal address (OpenID Connect Core section 5.1.1).
    case address
    /// The app's data about the user; in the user info alone.
    case customData = "custom_data"
    /// The accounts at other services; in the user info alone.
    case identities
    /// The user's roles in the tenant.
    case roles
    /// The organizations that the user belongs to, and tokens for them.
    case organizations = "urn:logto:scope:organizations"
    /// The user's roles in organizations.
    case organizationRoles = "urn:logto:scope:organization_roles"
    /// The management of the user's sessions in the Account API; adds no claim.
    case sessions = "urn:logto:scope:sessions"

    /// ``profile``.
    public static let Profile = UserScope.profile
    /// ``email``.
    public static let Email = UserScope.email
    /// ``phone``.
    public static let Phone = UserScope.phone
    /// ``address``.
    public static let Address = UserScope.address
    /// ``customData``.
    public static let CustomData = UserScope.customData
    /// ``identities``.
    public static let Identities = UserScope.identities
    /// ``roles``.
    public static let Roles = UserScope.roles
    /// ``organizations``.
    public static let Organizations = UserScope.organizations
    /// ``organizationRoles``.
    public static let OrganizationRoles = UserScope.organizationRoles
}

/// A resource that means something to Logto itself.
public enum ReservedResource: String, Sendable, Hashable {
    /// Stands for tokens of organizations; named in the sign-in when the organizations scope is.
    case organizations = "urn:logto:resource:organizations"
}
