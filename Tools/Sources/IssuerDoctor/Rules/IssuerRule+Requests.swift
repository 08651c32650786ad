/// Rules about authorization requests and responses.
extension IssuerRule {
    static let requests: [IssuerRule] = [
        proofKey, proofKeyPlain, responseCode, implicit, issParameter, pushed, pushedRequired,
    ]

    private static let proofKey = IssuerRule(
        "pkce",
        .capabilities,
        .warning,
        raised: [.oauth21: .error, .rfc9700: .error, .fapi2: .error, .native: .error],
        "PKCE with S256 is offered",
        source: "RFC 7636 section 4.2; RFC 8414 section 2; RFC 9700 section 2.1.1",
        fix: "Support PKCE, and write \"code_challenge_methods_supported\": [\"S256\"]."
    ) { answers in
        guard !answers.readable.isEmpty, answers.issuesCodes else { return nil }
        let methods = answers.texts("code_challenge_methods_supported")
        return methods?.contains("S256") ?? false
            ? []
            : [
                Fault(
                    "A client cannot tell that its code is protected by PKCE with S256.",
                    now: methods?.joined(separator: " ")
                )
            ]
    }

    private static let proofKeyPlain = IssuerRule(
        "pkce-plain",
        .capabilities,
        .note,
        raised: [.rfc9700: .warning, .fapi2: .warning],
        "PKCE is offered with no weaker method than S256",
        source: "RFC 7636 section 7.2; RFC 9700 section 2.1.1; FAPI 2.0 Security Profile section 5.3.2.2",
        fix: "Take plain out of code_challenge_methods_supported, and refuse it."
    ) { answers in
        guard let methods = answers.texts("code_challenge_methods_supported") else { return nil }
        return methods.contains("plain")
            ? [
                Fault(
                    "With plain, every reader of the request learns the verifier.",
                    now: methods.joined(separator: " ")
                )
            ] : []
    }

    private static let responseCode = IssuerRule(
        "response-code",
        .capabilities,
        .error,
        "A response type with code is offered",
        source: "RFC 6749 section 3.1.1; OpenID Connect Discovery section 3",
        fix: "Support the authorization code grant, and list code in response_types_supported."
    ) { answers in
        guard answers.issuesCodes, let types = answers.texts("response_types_supported") else { return nil }
        return answers.responseTypes.contains { $0.contains("code") }
            ? [] : [Fault("The authorization code grant is not offered.", now: types.joined(separator: ", "))]
    }

    private static let implicit = IssuerRule(
        "implicit",
        .capabilities,
        .note,
        raised: [.oauth21: .error, .rfc9700: .warning, .fapi2: .warning, .native: .warning],
        "No access token is sent through the browser",
        source: "RFC 9700 section 2.1.2; OAuth 2.1 draft section 10.1; FAPI 2.0 Security Profile section 5.3.2.2",
        fix: "Take response types with token, and the grant implicit, out of the metadata and out of service."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        let types = answers.responseTypes.filter { $0.contains("token") }.map { $0.joined(separator: " ") }
        // The default of a missing list has implicit in it, which says nothing about this issuer.
        // ID tokens alone need the grant, too, and no access token comes with them.
        let isForIDTokens = answers.responseTypes.contains(["id_token"])
        let grants = isForIDTokens ? [] : (answers.texts("grant_types_supported") ?? []).filter { $0 == "implicit" }
        guard !types.isEmpty || !grants.isEmpty else { return [] }
        return [
            Fault(
                "The implicit grant is offered: tokens get into histories, logs and referrers.",
                now: (types + grants).joined(separator: ", ")
            )
        ]
    }

    private static let issParameter = IssuerRule(
        "iss-parameter",
        .capabilities,
        .note,
        raised: [.oauth21: .warning, .rfc9700: .warning, .fapi2: .error],
        "Authorization responses carry iss",
        source: "RFC 9207 section 3; RFC 9700 section 4.4.2.1; FAPI 2.0 Security Profile section 5.3.2.2",
        fix: "Send iss in each redirect, and write \"authorization_response_iss_parameter_supported\": true."
    ) { answers in
        guard !answers.readable.isEmpty, answers.issuesCodes else { return nil }
        return answers.isTrue("authorization_response_iss_parameter_supported")
            ? [] : [Fault("A client of several issuers cannot tell which one responded (mix-up).")]
    }

    private static let pushed = IssuerRule(
        "par",
        .capabilities,
        .note,
        raised: [.fapi2: .error],
        "Authorization requests can be pushed",
        source: "RFC 9126 section 5; FAPI 2.0 Security Profile section 5.3.2.2",
        fix: "Offer pushed requests, and name pushed_authorization_request_endpoint."
    ) { answers in
        // Where pushing is required without an endpoint, `grants-agree` says so.
        guard !answers.readable.isEmpty, answers.issuesCodes,
            !answers.isTrue("require_pushed_authorization_requests")
                || answers.has("pushed_authorization_request_endpoint")
        else { return nil }
        return answers.has("pushed_authorization_request_endpoint")
            ? [] : [Fault("Requests go through the browser, where they can be read and changed.")]
    }

    private static let pushedRequired = IssuerRule(
        "par-required",
        .capabilities,
        nil,
        raised: [.fapi2: .warning],
        "Authorization requests have to be pushed",
        source: "RFC 9126 section 5; FAPI 2.0 Security Profile section 5.3.2.2",
        fix: "Write \"require_pushed_authorization_requests\": true, or require it of each client."
    ) { answers in
        guard answers.has("pushed_authorization_request_endpoint") else { return nil }
        return answers.isTrue("require_pushed_authorization_requests")
            ? [] : [Fault("The metadata does not say that requests without PAR are refused.")]
    }
}
