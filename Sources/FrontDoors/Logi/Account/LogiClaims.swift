public import Ostiary

/// The account claims of an ID token or the user info, including merges with other accounts.
///
/// Use ``effectiveSub`` for every lookup: it survives a merge.
public struct LogiClaims: Sendable, Hashable {
    /// The user's identifier at this app (`sub`); stable for as long as the app is connected.
    public let sub: String
    /// The account that survives a merge (`canonical_sub`).
    public let canonicalSub: String?
    /// Whether `sub` is that account (`is_canonical`).
    public let isCanonical: Bool?
    /// The accounts that were merged into this one, with the known facts of each merge (`linked_subs`).
    public let linkedAccounts: [LinkedAccount]
    /// Whether the account began without a name (`previously_anonymous`).
    public let previouslyAnonymous: Bool?
    /// The address, with scope `email`.
    public let email: String?
    /// Whether the address was confirmed.
    public let emailVerified: Bool?
    /// Whether the account has no name yet.
    public let anonymous: Bool?

    /// The identifier to look the user up by: `canonical_sub`, or `sub` where it is missing.
    public var effectiveSub: String { canonicalSub ?? sub }

    /// The identifiers of the accounts that were merged into this one; `nil` for none.
    public var linkedSubs: [String]? { linkedAccounts.isEmpty ? nil : linkedAccounts.map(\.sub) }

    /// Reads claims that have been verified.
    ///
    /// A claim that only informs about the account, such as `email` or `linked_subs`, counts as absent when it has
    /// another type.
    ///
    /// - Throws: `malformed` at stage `identity` for `sub`, `canonical_sub` or `is_canonical` of the wrong type, and
    ///   for `is_canonical` that contradicts `canonical_sub`: the account decides whose data the user sees.
    public init(_ claims: JSONObject) throws(SignInError) {
        let reader = LogiClaimReader(claims)
        sub = try reader.required("sub")
        canonicalSub = try reader.string("canonical_sub")
        isCanonical = try reader.bool("is_canonical")
        previouslyAnonymous = reader.informationalBool("previously_anonymous")
        email = reader.informationalText("email")
        emailVerified = reader.informationalBool("email_verified")
        anonymous = reader.informationalBool("anonymous")
        linkedAccounts = reader.linkedAccounts()
        if let canonicalSub, let isCanonical, canonicalSub.utf8.elementsEqual(sub.utf8) != isCanonical {
            throw SignInError(.identity, .malformed("is_canonical contradicts canonical_sub"))
        }
    }
}

extension LogiClaims: Decodable {
    /// Decodes claims of the vendor's document; not verified here.
    ///
    /// - Throws: `malformed` as ``init(_:)``, and `DecodingError` for anything but a JSON object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ClaimName.self)
        var claims = JSONObject()
        for name in container.allKeys {
            claims[name.stringValue] = try container.decode(DecodedClaim.self, forKey: name).value
        }
        try self.init(claims)
    }

    private struct ClaimName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// One JSON value of a decoder.
    private struct DecodedClaim: Decodable {
        let value: JSONValue

        init(from decoder: any Decoder) throws {
            if let object = try? decoder.container(keyedBy: ClaimName.self) {
                var members = JSONObject()
                for name in object.allKeys {
                    members[name.stringValue] = try object.decode(DecodedClaim.self, forKey: name).value
                }
                value = .object(members)
            } else if var list = try? decoder.unkeyedContainer() {
                var values: [JSONValue] = []
                while !list.isAtEnd { values.append(try list.decode(DecodedClaim.self).value) }
                value = .array(values)
            } else {
                let single = try decoder.singleValueContainer()
                if single.decodeNil() {
                    value = .null
                } else if let bool = try? single.decode(Bool.self) {
                    value = .bool(bool)
                } else if let number = try? single.decode(Int.self) {
                    value = .integer(number)
                } else if let number = try? single.decode(Double.self) {
                    value = .number(number)
                } else {
                    value = .string(try single.decode(String.self))
                }
            }
        }
    }
}

extension LogiClaims: CustomStringConvertible, CustomReflectable {
    /// The type's name alone; no data about the user.
    public var description: String { "LogiClaims" }
    /// No data about the user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Session {
    /// Returns the account claims of the ID token, which each refresh renews.
    ///
    /// - Throws: `mismatch(.idToken)` for a session without one, and as ``LogiClaims/init(_:)``; the session is kept.
    public func logiClaims() throws(SignInError) -> LogiClaims {
        guard let identity else { throw SignInError(.identity, .mismatch(.idToken)) }
        return try LogiClaims(identity.claims)
    }
}
