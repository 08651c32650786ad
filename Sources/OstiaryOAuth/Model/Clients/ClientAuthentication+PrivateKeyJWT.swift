public import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ClientAuthentication {
    /// The audience of a client's assertions (RFC 7523 section 3): one string, never a list.
    public enum AssertionAudience: String, Sendable, Hashable, CaseIterable {
        /// The issuer, which no other server can have (draft-ietf-oauth-rfc7523bis).
        case issuer
        /// The token endpoint, for a server that accepts nothing else.
        ///
        /// A malicious server can name another server's token endpoint in its metadata, and redeem the assertion there.
        /// So such assertions are sent to the origin of the token endpoint alone, and a key that signs them may be
        /// registered at one issuer only. The FAPI profile rejects this setting.
        case tokenEndpoint = "token-endpoint"
    }

    /// `private_key_jwt`: an assertion that the client signs, made anew for each request (RFC 7523 section 2.2).
    ///
    /// It is valid for a minute.
    ///
    /// - Parameters:
    ///   - key: The client's private key; the server knows the public half.
    ///   - audience: The audience of each assertion. Default: the issuer.
    /// - Returns: The method of authentication.
    public static func privateKeyJWT(
        _ key: SigningKey,
        audience: AssertionAudience = .issuer
    ) -> ClientAuthentication {
        var authentication = ClientAuthentication(method: "private_key_jwt", algorithm: key.algorithm) {
            (request, client, server, fresh) throws(SignInError) in
            let now = fresh.now.timeIntervalSince1970.rounded(.towardZero)
            let claims: JSONObject = [
                "iss": .string(client.id),
                "sub": .string(client.id),
                "aud": .string(try audience.value(for: request.url, at: server)),
                "jti": .string(fresh.oneTimeValue()),
                "iat": .whole(now),
                "nbf": .whole(now),
                "exp": .whole(now + 60),
            ]
            do throws(JOSEError) {
                request.form[.clientAssertion] = try key.sign(claims: claims, type: "JWT")
            } catch {
                throw SignInError(.token, .configuration("The client's key cannot sign."))
            }
            request.form[.clientAssertionType] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            request.form[.clientID] = client.id
        }
        authentication.assertionAudience = audience
        return authentication
    }
}

extension ClientAuthentication.AssertionAudience {
    /// The `aud` of an assertion that goes to an endpoint.
    ///
    /// - Throws: `configuration` when the assertion may not go there.
    fileprivate func value(for endpoint: URL, at server: AuthorizationServer) throws(SignInError) -> String {
        switch self {
        case .issuer: return server.issuer.description
        case .tokenEndpoint:
            guard let tokenEndpoint = server.tokenEndpoint else {
                throw SignInError(.token, .unsupported("a token_endpoint"))
            }
            let isItsOrigin = Origin(endpoint) != nil && Origin(endpoint) == Origin(tokenEndpoint)
            guard NamedCheck.holds("assertion.origin", isItsOrigin) else {
                throw SignInError(
                    .token,
                    .configuration(
                        "No assertion for \(tokenEndpoint.withoutQuery) is sent to another origin, "
                            + "\(endpoint.withoutQuery): set the assertion's audience to the issuer."
                    )
                )
            }
            return tokenEndpoint.absoluteString
        }
    }
}
