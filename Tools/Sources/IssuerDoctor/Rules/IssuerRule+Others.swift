/// Rules about the other grants and endpoints.
extension IssuerRule {
    static let others: [IssuerRule] = [password, refresh, revocation, introspection, logout]

    private static let password = IssuerRule(
        "grant-password",
        .capabilities,
        .warning,
        raised: [.oauth21: .error, .rfc9700: .error],
        "No client is given the user's password",
        source: "RFC 9700 section 2.4; OAuth 2.1 draft section 10",
        fix: "Take the grant password out of service and out of grant_types_supported."
    ) { answers in
        guard let grants = answers.texts("grant_types_supported") else { return nil }
        return grants.contains("password")
            ? [Fault("The grant password hands the user's password to clients.", now: grants.joined(separator: " "))]
            : []
    }

    private static let refresh = IssuerRule(
        "grant-refresh",
        .capabilities,
        .note,
        raised: [.native: .warning],
        "Refresh tokens are issued",
        source: "RFC 6749 section 6",
        fix: "Support the grant refresh_token, and list it in grant_types_supported."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        return answers.texts("grant_types_supported")?.contains("refresh_token") ?? true
            ? []
            : [
                Fault(
                    "A user signs in again whenever an access token expires.",
                    now: answers.grants.joined(separator: " ")
                )
            ]
    }

    private static let revocation = IssuerRule(
        "revocation",
        .capabilities,
        .note,
        raised: [.native: .warning],
        "Tokens can be revoked",
        source: "RFC 7009 section 2; RFC 8414 section 2",
        fix: "Offer revocation, and name revocation_endpoint."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        return answers.has("revocation_endpoint")
            ? [] : [Fault("A client that signs out leaves its refresh token valid.")]
    }

    private static let introspection = IssuerRule(
        "introspection",
        .capabilities,
        .note,
        "Tokens can be introspected",
        source: "RFC 7662 section 2; RFC 8414 section 2",
        fix: "Offer introspection, and name introspection_endpoint, unless access tokens are JWTs (RFC 9068)."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        return answers.has("introspection_endpoint")
            ? [] : [Fault("A resource server cannot query whether a token was revoked.")]
    }

    private static let logout = IssuerRule(
        "logout",
        .capabilities,
        .note,
        "Users can sign out at the issuer",
        source: "OpenID Connect RP-Initiated Logout section 2.1",
        fix: "Offer sign-out, and name end_session_endpoint."
    ) { answers in
        guard answers.isOpenIDProvider else { return nil }
        return answers.has("end_session_endpoint")
            ? [] : [Fault("A user who signs out of an app stays signed in at the issuer.")]
    }
}
