public import OstiaryOAuth

/// A supported scope, with its text for the user.
public struct ProviderScope: Sendable, Hashable {
    /// The scope value.
    public var scope: Scope
    /// The description of the scope for the user, such as "See your e-mail address".
    public var sentence: String
    /// The claims about the user that it gives access to (OpenID Connect Core section 5.4).
    public var claims: [String]

    /// Describes a scope.
    public init(_ scope: Scope, sentence: String, claims: [String] = []) {
        self.scope = scope
        self.sentence = sentence
        self.claims = claims
    }
}

extension ProviderScope {
    /// The text that the sentence is; `nil` for a sentence of the configuration.
    var text: PageText? {
        Self.standard.contains { $0.scope == scope && $0.sentence == sentence } ? PageText.byEnglish[sentence] : nil
    }

    /// The scopes of OpenID Connect Core sections 3.1.2.1, 5.4 and 11.
    static let standard: [ProviderScope] = [
        ProviderScope(.openID, sentence: PageText.knowYou.english),
        ProviderScope(
            .profile,
            sentence: PageText.seeProfile.english,
            claims: [
                "name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile",
                "picture",
                "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at",
            ]
        ),
        ProviderScope(.email, sentence: PageText.seeEmail.english, claims: ["email", "email_verified"]),
        ProviderScope("address", sentence: PageText.seeAddress.english, claims: ["address"]),
        ProviderScope(
            "phone",
            sentence: PageText.seePhone.english,
            claims: ["phone_number", "phone_number_verified"]
        ),
        ProviderScope(.offlineAccess, sentence: PageText.staySignedInAway.english),
    ]
}
