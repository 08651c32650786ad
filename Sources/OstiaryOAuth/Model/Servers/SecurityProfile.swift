public import OstiaryJOSE

/// A client's requirements beyond the standard ones: one value for each published profile.
///
/// A profile only tightens. An error reports what the server lacks before the user sees a page.
public struct SecurityProfile: Sendable, Hashable {
    /// The name, such as `fapi2_security`.
    public let name: String
    /// The signature algorithms of tokens, assertions and proofs; `nil` leaves them to the client's policy.
    public let algorithms: Set<SignatureAlgorithm>?
    let requirements: Set<Requirement>

    enum Requirement: Sendable, Hashable, CaseIterable {
        case confirmedProofKeys, literalLoopback, pushedAuthorization, asymmetricAuthentication, senderConstraint
        case issuerInResponses
    }

    /// The standard requirements: proof keys, exact redirects, every check of an ID token.
    public static let standard = SecurityProfile(name: "standard", algorithms: nil, requirements: [])

    /// OAuth 2.1: the server's metadata must list PKCE, and a loopback redirect URI must have an IP address.
    ///
    /// (draft-ietf-oauth-v2-1 sections 4.1.1, 7.5.1 and 8.4.2)
    public static let oauth21 = SecurityProfile(
        name: "oauth21",
        algorithms: nil,
        requirements: [.confirmedProofKeys, .literalLoopback]
    )

    /// FAPI 2.0 Security Profile: pushed requests, signed client assertions, bound tokens, named issuers.
    ///
    /// (FAPI 2.0 Security Profile sections 5.3.3 and 5.4)
    public static let fapi2Security = SecurityProfile(
        name: "fapi2_security",
        algorithms: [.ps256, .es256, .edDSA, .ed25519],
        requirements: Set(Requirement.allCases)
    )

    var requiresIssuerInResponses: Bool { requirements.contains(.issuerInResponses) }
    var requiresPushedAuthorization: Bool { requirements.contains(.pushedAuthorization) }

    /// Returns the unmet requirements of this profile, as sentences; empty when all are met.
    ///
    /// - Parameters:
    ///   - client: The client as configured.
    ///   - server: The server as its metadata describes it.
    /// - Returns: A sentence for each unmet requirement.
    public func shortcomings(of client: Client, at server: AuthorizationServer) -> [String] {
        clientShortcomings(client) + serverShortcomings(server)
    }

    /// Refuses to start when the profile cannot be kept.
    ///
    /// - Throws: `configuration` when the client is at fault, `unsupported` when the server is; at the stage given.
    package func check(_ client: Client, at server: AuthorizationServer, _ stage: SignInError.Stage) throws(SignInError)
    {
        let own = clientShortcomings(client)
        guard own.isEmpty else { throw SignInError(stage, .configuration(own.joined(separator: " "))) }
        let missing = serverShortcomings(server)
        guard missing.isEmpty else {
            throw SignInError(stage, .unsupported("what \(name) needs: " + missing.joined(separator: "; ")))
        }
    }

    private func clientShortcomings(_ client: Client) -> [String] {
        var found: [String] = []
        if requirements.contains(.literalLoopback), client.redirectURI.isLoopback,
            client.redirectURI.parts.authority?.host == "localhost"
        {
            found.append("A loopback redirect URI names an address, such as http://127.0.0.1/callback.")
        }
        if requirements.contains(.asymmetricAuthentication) {
            if let algorithm = client.authentication.algorithm {
                if algorithms?.contains(algorithm) == false {
                    found.append("The client's key signs with \(algorithm.rawValue), which \(name) does not allow.")
                }
            } else {
                found.append("The client authenticates with a key of its own (private_key_jwt).")
            }
            if client.authentication.assertionAudience == .tokenEndpoint {
                found.append("The audience of the client's assertions has to be the issuer, not the token endpoint.")
            }
        }
        if requirements.contains(.senderConstraint), client.senderConstraint.name == SenderConstraint.none.name {
            found.append("Tokens are bound to the client: give it a sender constraint, such as .dpop.")
        }
        return found
    }

    private func serverShortcomings(_ server: AuthorizationServer) -> [String] {
        var found: [String] = []
        if requirements.contains(.confirmedProofKeys), server.codeChallengeMethods?.contains("S256") != true {
            found.append("S256 in code_challenge_methods_supported")
        }
        if requirements.contains(.pushedAuthorization), server.pushedAuthorizationRequestEndpoint == nil {
            found.append("a pushed_authorization_request_endpoint")
        }
        if requirements.contains(.asymmetricAuthentication),
            server.tokenEndpointAuthenticationMethods?.contains("private_key_jwt") != true
        {
            found.append("private_key_jwt in token_endpoint_auth_methods_supported")
        }
        if requirements.contains(.senderConstraint), let algorithms,
            algorithms.isDisjoint(with: server.dpopSigningAlgorithms ?? [])
        {
            found.append("PS256, ES256, EdDSA or Ed25519 in dpop_signing_alg_values_supported")
        }
        if requirements.contains(.issuerInResponses), !server.sendsIssuerInResponses {
            found.append("authorization_response_iss_parameter_supported")
        }
        return found
    }
}
