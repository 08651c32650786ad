package import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AuthorizationServer {
    /// Reads metadata, and compares its `issuer` with the requested one, code point by code point (RFC 8414 section
    /// 3.3).
    ///
    /// Unknown members are kept in ``metadata``. A known member of the wrong type is rejected: using half of a broken
    /// document would be guessing.
    package init(metadata: JSONObject, of issuer: Issuer) throws(SignInError) {
        guard let named = metadata["issuer"]?.string else { throw Self.malformed("issuer") }
        guard NamedCheck.holds("metadata.issuer", issuer.isNamed(named)) else {
            throw SignInError(
                .discovery,
                failing: .metadataIssuer,
                .init(expected: issuer.description, found: OAuthError.printable(named))
            )
        }
        func endpoint(_ name: String) throws(SignInError) -> URL? {
            guard let value = metadata[name], !value.isNull else { return nil }
            guard let text = value.string, let parts = URIParts(text), parts.fragment == nil,
                let url = URL(string: text)
            else { throw Self.malformed(name) }
            guard NamedCheck.holds("metadata.endpoint.secure", parts.isSecureOrLoopback) else {
                throw SignInError(.discovery, .transport(.insecureURL))
            }
            // A remote issuer sends no request into this machine.
            guard NamedCheck.holds("metadata.endpoint.loopback", issuer.isLoopback || !parts.isLoopback) else {
                throw SignInError(.discovery, .mismatch(.origin))
            }
            return url
        }
        func strings(_ name: String) throws(SignInError) -> [String]? {
            guard let value = metadata[name], !value.isNull else { return nil }
            guard let array = value.array else { throw Self.malformed(name) }
            return array.compactMap(\.string)
        }
        self.init(
            issuer: issuer,
            authorizationEndpoint: try endpoint("authorization_endpoint"),
            tokenEndpoint: try endpoint("token_endpoint"),
            jwksURI: try endpoint("jwks_uri"),
            userInfoEndpoint: try endpoint("userinfo_endpoint"),
            revocationEndpoint: try endpoint("revocation_endpoint"),
            endSessionEndpoint: try endpoint("end_session_endpoint"),
            sendsIssuerInResponses: metadata["authorization_response_iss_parameter_supported"]?.bool ?? false
        )
        introspectionEndpoint = try endpoint("introspection_endpoint")
        registrationEndpoint = try endpoint("registration_endpoint")
        deviceAuthorizationEndpoint = try endpoint("device_authorization_endpoint")
        pushedAuthorizationRequestEndpoint = try endpoint("pushed_authorization_request_endpoint")
        idTokenSigningAlgorithms = try strings("id_token_signing_alg_values_supported").map {
            Set($0.compactMap(SignatureAlgorithm.init(rawValue:)))
        }
        dpopSigningAlgorithms = try strings("dpop_signing_alg_values_supported").map {
            Set($0.compactMap(SignatureAlgorithm.init(rawValue:)))
        }
        requiresPushedAuthorizationRequests = metadata["require_pushed_authorization_requests"]?.bool ?? false
        tokenEndpointAuthenticationMethods = try strings("token_endpoint_auth_methods_supported")
        codeChallengeMethods = try strings("code_challenge_methods_supported")
        scopes = try strings("scopes_supported")?.map(Scope.init(rawValue:))
        self.metadata = metadata
    }

    /// Fills in the endpoints that this document lacks from another document of the same issuer.
    ///
    /// Some servers describe OpenID Connect in one document and OAuth in the other, and put some endpoints into only
    /// one of them. What is here stays; a document of another issuer cannot be merged.
    package func completed(by other: AuthorizationServer) -> AuthorizationServer {
        guard other.issuer == issuer else { return self }
        var whole = self
        func fill(_ path: WritableKeyPath<AuthorizationServer, URL?>) {
            if whole[keyPath: path] == nil { whole[keyPath: path] = other[keyPath: path] }
        }
        for endpoint in Endpoint.allCases { fill(endpoint.path) }
        whole.sendsIssuerInResponses = sendsIssuerInResponses || other.sendsIssuerInResponses
        whole.requiresPushedAuthorizationRequests =
            requiresPushedAuthorizationRequests || other.requiresPushedAuthorizationRequests
        whole.dpopSigningAlgorithms = dpopSigningAlgorithms ?? other.dpopSigningAlgorithms
        whole.idTokenSigningAlgorithms = idTokenSigningAlgorithms ?? other.idTokenSigningAlgorithms
        return whole
    }

    /// An endpoint that only one of an issuer's two documents may name.
    package enum Endpoint: Sendable, Hashable, CaseIterable {
        case keySet, userInfo, revocation, introspection, registration, endSession, deviceAuthorization
        case pushedAuthorization

        fileprivate var path: WritableKeyPath<AuthorizationServer, URL?> {
            switch self {
            case .keySet: \.jwksURI
            case .userInfo: \.userInfoEndpoint
            case .revocation: \.revocationEndpoint
            case .introspection: \.introspectionEndpoint
            case .registration: \.registrationEndpoint
            case .endSession: \.endSessionEndpoint
            case .deviceAuthorization: \.deviceAuthorizationEndpoint
            case .pushedAuthorization: \.pushedAuthorizationRequestEndpoint
            }
        }
    }

    /// Whether an endpoint is known.
    package func has(_ endpoint: Endpoint) -> Bool { self[keyPath: endpoint.path] != nil }

    private static func malformed(_ member: String) -> SignInError {
        SignInError(.discovery, .malformed("the metadata's \(member)"))
    }
}
