public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Claims about the user from any source: by their own properties if Logto documents them, otherwise by name.
@dynamicMemberLookup
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
    /// Whether the telephone number is verified.
    public var phoneNumberVerified: Bool? { claims["phone_number_verified"]?.bool }
    /// The postal address (OpenID Connect Core section 5.1.1).
    public var address: JsonObject? { claims["address"]?.object.map(JsonObject.init) }
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

    /// Any claim by its own name, such as `custom_data`.
    public subscript(dynamicMember name: String) -> JsonValue? { claims[name].map(JsonValue.init) }

    /// A claim that is a text; `nil` for another type and for `null`.
    public func text(_ name: String) -> String? { claims[name]?.string }

    private func texts(_ name: String) -> [String]? { claims[name]?.array?.compactMap(\.string) }

    private func moment(_ name: String) -> Date? {
        claims[name]?.number.map { Date(timeIntervalSince1970: $0 / 1000) }
    }
}
