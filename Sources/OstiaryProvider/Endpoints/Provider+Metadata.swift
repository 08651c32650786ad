import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// The metadata (RFC 8414 section 3.2, OpenID Connect Discovery section 4.2).
    func metadata() -> ProviderResponse {
        func strings(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        let algorithms = strings(self.algorithms.map(\.rawValue))
        let idTokenAlgorithms = changingAlgorithm.map { strings([$0.rawValue]) } ?? algorithms
        let rules = self.rules
        let isEveryMethod = rules.authenticationMethods == .every
        let confidential =
            isEveryMethod ? ["client_secret_basic", "client_secret_post", "private_key_jwt"] : ["private_key_jwt"]
        let methods = strings((isEveryMethod ? ["none"] : []) + confidential)
        let assertionAlgorithms = strings(
            SignatureAlgorithm.allCases.filter(rules.algorithms.contains).map(\.rawValue)
        )
        let claims = ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", "at_hash"]
        var metadata: JSONObject = [
            "issuer": .string(configuration.issuer.description),
            "authorization_endpoint": .string(routes.url(.authorization)),
            "token_endpoint": .string(routes.url(.token)),
            "jwks_uri": .string(routes.url(.keySet)),
            "userinfo_endpoint": .string(routes.url(.userInfo)),
            "revocation_endpoint": .string(routes.url(.revocation)),
            "introspection_endpoint": .string(routes.url(.introspection)),
            "device_authorization_endpoint": .string(routes.url(.deviceAuthorization)),
            "end_session_endpoint": .string(routes.url(.endSession)),
            "scopes_supported": strings(knownScopes.map(\.rawValue)),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": strings(RegisteredClient.GrantType.allCases.map(\.rawValue)),
            "subject_types_supported": rules.clientReferences == .accepted ? ["public", "pairwise"] : ["public"],
            "id_token_signing_alg_values_supported": idTokenAlgorithms,
            "userinfo_signing_alg_values_supported": algorithms,
            "token_endpoint_auth_methods_supported": methods,
            "token_endpoint_auth_signing_alg_values_supported": assertionAlgorithms,
            "revocation_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_signing_alg_values_supported": assertionAlgorithms,
            "pushed_authorization_request_endpoint": .string(routes.url(.pushedAuthorization)),
            "require_pushed_authorization_requests": .bool(
                configuration.requiresPushedAuthorizationRequests || rules.pushedRequests == .everyClient
            ),
            "dpop_signing_alg_values_supported": strings(
                configuration.dpop.algorithms.filter(rules.algorithms.contains).map(\.rawValue)
            ),
            "introspection_endpoint_auth_methods_supported": strings(confidential),
            "introspection_endpoint_auth_signing_alg_values_supported": assertionAlgorithms,
            "code_challenge_methods_supported": ["S256"],
            "prompt_values_supported": strings(Prompt.allCases.map(\.rawValue)),
            "acr_values_supported": strings(contexts),
            "claims_supported": strings(claims + configuration.scopes.flatMap(\.claims)),
            "authorization_response_iss_parameter_supported": true,
            "claims_parameter_supported": .bool(rules.claimsParameter == .honored),
            "request_parameter_supported": .bool(rules.requestObjects == .accepted),
            "request_uri_parameter_supported": .bool(fetchesReferences),
            // Marks the document as a development provider's, in case such a server runs in production.
            "x-dev-idp": true,
        ]
        if configuration.attestsClients {
            let attested: [JSONValue] = (methods.array ?? []) + ["attest_jwt_client_auth"]
            for endpoint in ["token", "revocation"] {
                metadata["\(endpoint)_endpoint_auth_methods_supported"] = .array(attested)
            }
            metadata["client_attestation_signing_alg_values_supported"] = assertionAlgorithms
            metadata["client_attestation_pop_signing_alg_values_supported"] = assertionAlgorithms
            if configuration.attestation.requiresChallenge {
                metadata["challenge_endpoint"] = .string(routes.url(.attestationChallenge))
            }
        }
        if fetchesReferences {
            metadata["require_request_uri_registration"] = true
        }
        if configuration.languages != [.english] {
            metadata["ui_locales_supported"] = strings(configuration.languages.map(\.rawValue))
        }
        writeLogout(&metadata)
        if configuration.registration.access != .closed {
            metadata["registration_endpoint"] = .string(routes.url(.registration))
        }
        writeManners(&metadata)
        for (member, route) in Self.optionalMembers where !routes.has(route) { metadata[member] = nil }
        configuration.dialect.writeMetadata(&metadata, at: self)
        // RFC 8414 section 3.2.
        for member in metadata.members where member.value.array?.isEmpty ?? false { metadata[member.name] = nil }
        scenario.metadata(&metadata)
        return .publicJSON(metadata)
    }

    /// Announces the ways to notify clients of a sign-out, where users can sign out.
    private func writeLogout(_ metadata: inout JSONObject) {
        guard routes.has(.endSession) else { return }
        for channel in configuration.outbound == nil ? ["frontchannel"] : ["frontchannel", "backchannel"] {
            metadata["\(channel)_logout_supported"] = true
            metadata["\(channel)_logout_session_supported"] = true
        }
    }

    /// Whether the provider fetches what clients refer to.
    private var fetchesReferences: Bool {
        rules.clientReferences == .accepted && configuration.outbound != nil
    }

    /// The scopes that a request may have.
    var knownScopes: [Scope] {
        let isOfflineAccessKnown = manners.offlineAccess != .unknown
        return configuration.scopes.map(\.scope).filter { isOfflineAccessKnown || $0 != .offlineAccess }
    }

    /// The endpoints that a dialect may lack.
    private static let optionalMembers: [(String, Route)] = [
        ("userinfo_endpoint", .userInfo), ("revocation_endpoint", .revocation),
        ("introspection_endpoint", .introspection), ("device_authorization_endpoint", .deviceAuthorization),
        ("end_session_endpoint", .endSession), ("registration_endpoint", .registration),
        ("pushed_authorization_request_endpoint", .pushedAuthorization), ("challenge_endpoint", .attestationChallenge),
    ]

    /// The public keys (RFC 7517 section 5), each with `alg`, `kid` and `use`.
    func keySet() async throws -> ProviderResponse {
        let keys = try await keyRing.keys().published(at: now).map { key in
            var object = key.jsonObject
            for name in manners.absentKeyMembers { object[name] = nil }
            return JSONValue.object(object)
        }
        var document: JSONObject = ["keys": .array(keys)]
        scenario.keySet(&document)
        return .publicJSON(document, mediaType: "application/jwk-set+json")
    }

    /// The `acr` of a sign-in with name and password.
    package static let passwordContext = "urn:ostiary:password"
    /// The `acr` of a sign-in with a one-time password besides.
    static let multiFactorContext = "urn:ostiary:mfa"
    /// The `acr` of a sign-in with a passkey.
    static let passkeyContext = "urn:ostiary:passkey"
}
