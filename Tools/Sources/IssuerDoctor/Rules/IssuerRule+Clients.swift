/// Rules about client authentication, tokens and algorithms.
extension IssuerRule {
    static let clients: [IssuerRule] = [
        publicClients, asymmetricClients, assertionAlgorithms, assertionNone, senderConstraint, proofAlgorithms,
        idTokenNone, idTokenSymmetric, fapiAlgorithms,
    ]

    private static let publicClients = IssuerRule(
        "auth-none",
        .capabilities,
        nil,
        raised: [.native: .warning],
        "Public clients are accepted at the token endpoint",
        source: "RFC 8252 section 8.4; RFC 7591 section 2",
        fix: "Accept clients without a secret, and list none in token_endpoint_auth_methods_supported."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        let methods = answers.authenticationMethods
        return methods.contains("none")
            ? []
            : [
                Fault(
                    "An app on a device can keep no secret, and only clients with one are listed.",
                    now: methods.joined(separator: " ")
                )
            ]
    }

    private static let asymmetricClients = IssuerRule(
        "auth-asymmetric",
        .capabilities,
        .note,
        raised: [.fapi2: .error],
        "Clients can authenticate with a key",
        source: "RFC 9700 section 2.5; FAPI 2.0 Security Profile section 5.3.2.1",
        fix: "Support private_key_jwt or tls_client_auth, and list it in token_endpoint_auth_methods_supported."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        let methods = answers.authenticationMethods
        let asymmetric: Set = ["private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth"]
        return methods.contains(where: asymmetric.contains)
            ? []
            : [
                Fault(
                    "Confidential clients have only a secret that they share with the issuer.",
                    now: methods.joined(separator: " ")
                )
            ]
    }

    private static let assertionAlgorithms = IssuerRule(
        "auth-algorithms",
        .capabilities,
        .warning,
        "The algorithms of client assertions are listed",
        source: "RFC 8414 section 2",
        fix: "Add token_endpoint_auth_signing_alg_values_supported."
    ) { answers in
        let methods = answers.authenticationMethods.filter { ["private_key_jwt", "client_secret_jwt"].contains($0) }
        guard !methods.isEmpty else { return nil }
        return answers.has("token_endpoint_auth_signing_alg_values_supported")
            ? []
            : [
                Fault(
                    "token_endpoint_auth_signing_alg_values_supported is missing.",
                    now: methods.joined(separator: " ")
                )
            ]
    }

    private static let assertionNone = IssuerRule(
        "auth-algorithm-none",
        .capabilities,
        .error,
        "Client assertions are signed",
        source: "RFC 8414 section 2; RFC 8725 section 3.2",
        fix: "Take none out of token_endpoint_auth_signing_alg_values_supported, and refuse it."
    ) { answers in
        guard let algorithms = answers.texts("token_endpoint_auth_signing_alg_values_supported") else { return nil }
        return algorithms.contains("none")
            ? [
                Fault(
                    "Anyone can claim to be the client with an unsigned assertion.",
                    now: algorithms.joined(separator: " ")
                )
            ]
            : []
    }

    private static let senderConstraint = IssuerRule(
        "sender-constraint",
        .capabilities,
        .note,
        raised: [.oauth21: .warning, .rfc9700: .warning, .fapi2: .error],
        "Access tokens can be bound to the client (DPoP or mutual TLS)",
        source: "RFC 9449 section 5.1; RFC 8705 section 3.3; RFC 9700 section 2.2.1",
        fix: "Support DPoP, and write dpop_signing_alg_values_supported."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        let proofs = answers.texts("dpop_signing_alg_values_supported") ?? []
        return !proofs.isEmpty || answers.isTrue("tls_client_certificate_bound_access_tokens")
            ? [] : [Fault("A stolen access token works for any holder.")]
    }

    private static let proofAlgorithms = IssuerRule(
        "dpop-algorithms",
        .capabilities,
        .error,
        "DPoP proofs are signed with asymmetric algorithms",
        source: "RFC 9449 sections 4.3 and 5.1",
        fix: "Take none and the HS algorithms out of dpop_signing_alg_values_supported, and refuse them."
    ) { answers in
        guard let algorithms = answers.texts("dpop_signing_alg_values_supported") else { return nil }
        return algorithms.contains { $0 == "none" || $0.hasPrefix("HS") }
            ? [Fault("A proof with such an algorithm proves nothing.", now: algorithms.joined(separator: " "))] : []
    }

    private static let idTokenNone = IssuerRule(
        "id-token-none",
        .capabilities,
        .warning,
        "ID tokens are signed",
        source: "OpenID Connect Discovery section 3; RFC 8725 section 3.2",
        fix: "Take none out of id_token_signing_alg_values_supported."
    ) { answers in
        guard let algorithms = answers.texts("id_token_signing_alg_values_supported") else { return nil }
        return algorithms.contains("none")
            ? [Fault("Unsigned ID tokens are offered.", now: algorithms.joined(separator: " "))] : []
    }

    private static let idTokenSymmetric = IssuerRule(
        "id-token-symmetric",
        .capabilities,
        .note,
        raised: [.fapi2: .warning, .native: .warning],
        "ID tokens are signed with asymmetric algorithms",
        source: "OpenID Connect Core section 10.1; FAPI 2.0 Security Profile section 5.4.1",
        fix: "Take the HS algorithms out of id_token_signing_alg_values_supported."
    ) { answers in
        guard let algorithms = answers.texts("id_token_signing_alg_values_supported") else { return nil }
        return algorithms.contains { $0.hasPrefix("HS") }
            ? [
                Fault(
                    "ID tokens can be signed with the client's secret, which a public client does not have.",
                    now: algorithms.joined(separator: " ")
                )
            ] : []
    }

    private static let fapiAlgorithms = IssuerRule(
        "fapi-algorithms",
        .capabilities,
        nil,
        raised: [.fapi2: .error],
        "Tokens, assertions and proofs can be signed with PS256, ES256 or EdDSA",
        source: "FAPI 2.0 Security Profile section 5.4.1",
        fix: "Offer ES256 or PS256 in the list."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        let lists = [
            "id_token_signing_alg_values_supported", "token_endpoint_auth_signing_alg_values_supported",
            "dpop_signing_alg_values_supported",
        ]
        return lists.compactMap { name in
            guard let algorithms = answers.texts(name), !algorithms.isEmpty else { return nil }
            return algorithms.contains { ["PS256", "ES256", "EdDSA", "Ed25519"].contains($0) }
                ? nil : Fault("\(name) has none of them.", now: algorithms.joined(separator: " "))
        }
    }
}
