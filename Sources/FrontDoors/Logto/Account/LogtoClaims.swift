public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Claims about the user from any source: by their own properties if Logto documents them, otherwise by name.
///
/// The scopes that the sign-in requests decide which claims are there. Those beyond the standard ones are in the user
/// info, and in the ID token where the tenant's settings put them there.
public protocol LogtoClaims: Sendable, Hashable {
    /// Every claim, as it came.
    var claims: JSONObject { get }
}

extension LogtoClaims {
    /// The user's identifier at this tenant.
    public var sub: String { text("sub") ?? "" }
    /// The full name.
    public var name: String? { text("name") }
    /// The name with which the user signs in.
    public var username: String? { text("username") }
    /// The address of a picture.
    public var picture: String? { text("picture") }
    /// The surname.
    public var familyName: String? { text("family_name") }
    /// The given name.
    public var givenName: String? { text("given_name") }
    /// The middle name.
    public var middleName: String? { text("middle_name") }
    /// The casual name.
    public var nickname: String? { text("nickname") }
    /// The name by which the user wants to be called.
    public var preferredUsername: String? { text("preferred_username") }
    /// The address of the user's page.
    public var profile: String? { text("profile") }
    /// The address of the user's site.
    public var website: String? { text("website") }
    /// The gender.
    public var gender: String? { text("gender") }
    /// The date of birth, `YYYY-MM-DD`; the year may be 0000 or stand alone.
    public var birthdate: String? { text("birthdate") }
    /// The time zone, such as `Europe/Paris`.
    public var zoneinfo: String? { text("zoneinfo") }
    /// The language and region (RFC 5646).
    public var locale: String? { text("locale") }
    /// The time at which the account was created; Logto sends milliseconds.
    public var createdAt: Date? { moment("created_at") }
    /// The time of the account's last change; Logto sends milliseconds.
    public var updatedAt: Date? { moment("updated_at") }
    /// The e-mail address.
    public var email: String? { text("email") }
    /// Whether the e-mail address is verified.
    public var emailVerified: Bool? { claims["email_verified"]?.bool }
    /// The telephone number.
    public var phoneNumber: String? { text("phone_number") }
    /// The telephone number, as Logto's guide names it.
    public var phone: String? { phoneNumber }
    /// Whether the telephone number is verified.
    public var phoneNumberVerified: Bool? { claims["phone_number_verified"]?.bool }
    /// The postal address (OpenID Connect Core section 5.1.1).
    public var address: JsonObject? { object("address") }
    /// The user's roles in the tenant.
    public var roles: [String]? { texts("roles") }
    /// The organizations that the user belongs to.
    public var organizations: [String]? { texts("organizations") }
    /// The user's roles in organizations, as received: `<organization>:<role>`.
    public var organizationRoles: [String]? { texts("organization_roles") }
    /// The user's roles by organization; a value without a colon is left out.
    public var rolesByOrganization: [String: [String]] {
        (organizationRoles ?? []).reduce(into: [:]) { roles, text in
            guard let colon = text.firstIndex(of: ":") else { return }
            roles[String(text[..<colon]), default: []].append(String(text[text.index(after: colon)...]))
        }
    }

    /// The app's data about the user.
    public var customData: JsonObject? { object("custom_data") }
    /// The app's data about the user, as Logto's guide names it.
    public var custom_data: JsonValue? { self["custom_data"] }
    /// The accounts at other services, by connector.
    public var identities: JsonObject? { object("identities") }
    /// The accounts at enterprises' providers.
    public var ssoIdentities: [JsonValue]? { claims["sso_identities"]?.array?.map(JsonValue.init) }
    /// The organizations that the user belongs to, with their names.
    public var organizationData: [LogtoUserInfo.OrganizationData]? {
        claims["organization_data"]?.array?.compactMap { $0.object.flatMap(LogtoUserInfo.OrganizationData.init) }
    }

    /// A claim by its name on the wire, such as `organization_data`; `nil` when it is not there.
    public subscript(name: String) -> JsonValue? { claims[name].map(JsonValue.init) }

    /// A claim that is a text; `nil` for another type and for `null`.
    public func text(_ name: String) -> String? { claims[name]?.string }

    private func object(_ name: String) -> JsonObject? { claims[name]?.object.map { JsonObject($0) } }

    private func texts(_ name: String) -> [String]? { claims[name]?.array?.compactMap(\.string) }

    private func moment(_ name: String) -> Date? {
        claims[name]?.number.map { Date(timeIntervalSince1970: $0 / 1000) }
    }
}
