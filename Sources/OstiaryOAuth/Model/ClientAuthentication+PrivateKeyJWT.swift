public import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ClientAuthentication {
    /// `private_key_jwt`: an assertion that the client signs, made anew for each request (RFC 7523 section 2.2).
    ///
    /// Its audience is the issuer, as one string and nothing else: an assertion that names an endpoint can be collected
    /// by one server and used at another. It is good for a minute.
    ///
    /// - Parameter key: The client's private key; the server knows the public half.
    public static func privateKeyJWT(_ key: SigningKey) -> ClientAuthentication {
        ClientAuthentication(method: "private_key_jwt", algorithm: key.algorithm) {
            (request, client, server, fresh) throws(SignInError) in
            let now = fresh.now.timeIntervalSince1970.rounded(.towardZero)
            let claims: JSONObject = [
                "iss": .string(client.id),
                "sub": .string(client.id),
                "aud": .string(server.issuer.description),
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
    }
}
