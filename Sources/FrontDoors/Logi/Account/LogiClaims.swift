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
    /// - Throws: `malformed` at stage `identity` for a claim of the wrong type, and for `is_canonical` that contradicts
    ///   `canonical_sub`: the account decides whose data the user sees.
    public init(_ claims: JSONObject) throws(SignInError) {
        let reader = LogiClaimReader(claims)
        sub = try reader.required("sub")
        canonicalSub = try reader.string("canonical_sub")
        isCanonical = try reader.bool("is_canonical")
        previouslyAnonymous = try reader.bool("previously_anonymous")
        email = try reader.string("email")
        emailVerified = try reader.bool("email_verified")
        anonymous = try reader.bool("anonymous")
        linkedAccounts = try reader.linkedAccounts()
        if let canonicalSub, let isCanonical, canonicalSub.utf8.elementsEqual(sub.utf8) != isCanonical {
            throw SignInError(.identity, .malformed("is_canonical contradicts canonical_sub"))
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
    /// - Throws: `mismatch(.idToken)` for a session without one, `malformed` for a claim of the wrong type; the session
    ///   is kept.
    public func logiClaims() throws(SignInError) -> LogiClaims {
        guard let identity else { throw SignInError(.identity, .mismatch(.idToken)) }
        return try LogiClaims(identity.claims)
    }
}
