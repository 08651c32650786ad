public import Ostiary

extension OAuthError.Code {
    /// The device's secret is missing or wrong.
    public static let invalidDeviceSecret = Self(rawValue: "invalid_device_secret")
    /// The device belongs to another user.
    public static let deviceClaimedByOtherUser = Self(rawValue: "device_claimed_by_other_user")
    /// Too many requests; the error says when to come back.
    public static let rateLimited = Self(rawValue: "rate_limited")
    /// Two proofs of the other account were given where one is needed.
    public static let conflictingCredentials = Self(rawValue: "conflicting_credentials")
    /// No proof of the other account was given.
    public static let missingCredentials = Self(rawValue: "missing_credentials")
    /// Both accounts are the same.
    public static let selfMergeForbidden = Self(rawValue: "self_merge_forbidden")
    /// The merge ticket was used before.
    public static let tokenConsumed = Self(rawValue: "token_consumed")
    /// The merge ticket is too old.
    public static let tokenExpired = Self(rawValue: "token_expired")
    /// The identity is linked to another account: an anonymous caller may swap to it.
    public static let identityOwnedByAnotherAccount = Self(rawValue: "identity_owned_by_another_account")
    /// The address is linked to another account of that system.
    public static let emailLinkedToOtherAppleAccount = Self(rawValue: "email_linked_to_other_apple_account")
    /// Only an anonymous account can be swapped.
    public static let nonAnonymousCaller = Self(rawValue: "non_anonymous_caller")
}
