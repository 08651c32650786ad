import OstiaryJOSE

extension AccessTokenProfile {
    /// A property that an access token has and an ID token of the same issuer never has.
    ///
    /// A mark is positive: the absence of `nonce`, `at_hash` or `auth_time` marks nothing, since ID tokens may lack
    /// them and access tokens may have them. (RFC 8725 section 3.12)
    public struct Mark: Sendable, Hashable {
        indirect enum Kind: Sendable, Hashable {
            case type
            case value(claim: String, Set<String>)
            case presence(claim: String)
            case either(Kind, Kind)
        }

        let kind: Kind

        /// The header's `typ` is `at+jwt`. (RFC 9068 section 2.1)
        public static let type = Mark(kind: .type)

        /// A claim with one of these string values.
        ///
        /// - Parameters:
        ///   - name: A claim that ID tokens do not have with the same values.
        ///   - values: The values, at least one.
        /// - Returns: The mark.
        public static func claim(_ name: String, oneOf values: Set<String>) -> Mark {
            Mark(kind: .value(claim: name, values))
        }

        /// The presence of a claim: a string, or an array of strings, that is not empty.
        public static func claim(_ name: String) -> Mark { Mark(kind: .presence(claim: name)) }

        /// This mark or another one.
        public func or(_ other: Mark) -> Mark { Mark(kind: .either(kind, other.kind)) }

        /// Whether a token has the mark.
        func isOn(type: String?, _ claims: JSONObject) -> Bool { kind.isOn(type: type, claims) }

        /// Whether an introspection response contradicts the mark: the claim is present, with another value.
        func isContradicted(by description: JSONObject) -> Bool { kind.isContradicted(by: description) }

        /// A claim of the mark that ID tokens may have as well, or one with an empty list of values; neither marks
        /// anything.
        var sharedClaim: String? { kind.sharedClaim }
    }
}

extension AccessTokenProfile.Mark.Kind {
    fileprivate func isOn(type: String?, _ claims: JSONObject) -> Bool {
        switch self {
        case .type: return type.map { AccessTokenProfile.isSameType($0, "at+jwt") } ?? false
        case .value(let name, let values): return claims[name]?.string.map { $0.isOne(of: values) } ?? false
        case .presence(let name):
            switch claims[name] {
            case .string(let text)?: return !text.isEmpty
            case .array(let elements)?:
                return !elements.isEmpty && elements.allSatisfy { $0.string.map { !$0.isEmpty } ?? false }
            default: return false
            }
        case .either(let one, let other): return one.isOn(type: type, claims) || other.isOn(type: type, claims)
        }
    }

    fileprivate func isContradicted(by description: JSONObject) -> Bool {
        switch self {
        case .type, .presence: false
        case .value(let name, let values):
            description[name].map { !($0.string.map { $0.isOne(of: values) } ?? false) } ?? false
        // Either part may be the intended one.
        case .either(let one, let other):
            one.isContradicted(by: description) && other.isContradicted(by: description)
        }
    }

    fileprivate var sharedClaim: String? {
        switch self {
        case .type: nil
        case .value(let name, let values): values.isEmpty || Self.shared.contains(name) ? name : nil
        case .presence(let name): Self.shared.contains(name) || name == "typ" || name == "token_use" ? name : nil
        case .either(let one, let other): one.sharedClaim ?? other.sharedClaim
        }
    }

    /// The claims of ID tokens: by OpenID Connect Core sections 2 and 5.1, and those that servers add to both kinds.
    private static let shared: Set<String> = [
        "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "auth_time", "nonce", "acr", "amr", "azp", "at_hash", "c_hash",
        "s_hash", "sid", "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username",
        "profile",
        "picture", "website", "email", "email_verified", "gender", "birthdate", "zoneinfo", "locale", "phone_number",
        "phone_number_verified", "address", "updated_at", "client_id", "roles", "groups", "entitlements", "permissions",
        "realm_access", "resource_access", "cognito:groups", "cognito:username", "cnf", "tid", "oid", "idp", "ver",
        "uti",
        "username", "origin_jti", "org_id", "organizations",
    ]
}

extension String {
    /// Compares byte by byte: Swift's own comparison treats canonically equivalent strings as equal.
    fileprivate func isOne(of values: Set<String>) -> Bool {
        values.contains { $0.utf8.elementsEqual(utf8) }
    }
}
