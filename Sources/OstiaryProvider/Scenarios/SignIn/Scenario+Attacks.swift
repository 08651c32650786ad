import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// Attacks that the OpenID Foundation's suite does not contain.
extension Scenario {
    /// The redirect carries tokens, as in flows that RFC 9700 section 2.1.2 advises against.
    public static let frontChannelTokens = Scenario(name: "front-channel-tokens") {
        $0.authorizationResponse = { parameters in
            parameters["id_token"] = "a.b.c"
            parameters["access_token"] = "injected"
        }
    }
    /// The redirect brings a code of another sign-in (RFC 9700 section 4.5).
    public static let injectedCode = Scenario(name: "injected-code") {
        $0.authorizationResponse = { $0[.code] = "a-code-of-somebody-else" }
    }
    /// The ID token is not valid yet.
    public static let futureNotBefore = idToken("future-nbf") { draft in
        draft.claims["nbf"] = .integer((draft.claims["iat"]?.integer ?? 0) + 3600)
    }
    /// The `acr` of the ID token names another method of authentication.
    public static let otherAuthenticationContext = idToken("other-acr") { $0.claims["acr"] = "urn:other" }
    /// The ID token brings the key that it is signed with (RFC 8725 section 3.10).
    public static let embeddedKey = idToken("embedded-jwk") { draft in
        draft.header["jwk"] = strangersKey.map { .object($0.publicKey.jsonObject) }
        draft.signByStranger()
    }
    /// The ID token says where the key lies that it is signed with (RFC 8725 section 3.10).
    public static let linkedKey = idToken("linked-key") { draft in
        draft.header["jku"] = "https://stranger.example/jwks"
        draft.header["x5u"] = "https://stranger.example/certificates"
        draft.signByStranger()
    }
    /// The ID token says that it is an access token (RFC 9068 section 2.1).
    public static let accessTokenType = idToken("id-token-typ-at-jwt") { $0.header["typ"] = "at+jwt" }
    /// The ID token is encrypted and compressed without an agreement (RFC 8725 section 3.6).
    public static let encryptedIDToken = Scenario(name: "encrypted-id-token") {
        $0.tokenResponse = { response, _ in
            let header: JSONObject = ["alg": "RSA-OAEP", "enc": "A256GCM", "zip": "DEF"]
            let part = Base64URL.encode([UInt8](repeating: 0, count: 256))
            response["id_token"] = .string(
                [Base64URL.encode(header.encoded()), part, part, part, part].joined(separator: ".")
            )
        }
    }
    /// The user info's signature is damaged.
    public static let userInfoInvalidSignature = Scenario(name: "userinfo-invalid-signature") {
        $0.signedUserInfo = { $0.signature = .damaged }
    }
    /// The signed user info is for another client.
    public static let userInfoInvalidAudience = Scenario(name: "userinfo-invalid-aud") {
        $0.signedUserInfo = { $0.claims["aud"] = .string(($0.claims["aud"]?.string ?? "") + "1") }
    }
    /// Both metadata documents send the client elsewhere, which it must not follow.
    public static let redirectingMetadata = Scenario(name: "redirecting-metadata") {
        $0.response = { request, response in
            let documents = [Route.openIDConfiguration, .authorizationServer]
            guard documents.contains(where: { request.path.contains($0.rawValue) }) else { return }
            response = ProviderResponse(status: .found, fields: [.location: "https://stranger.example/metadata"])
        }
    }
    /// The response types are listed with their words in unusual order: to be accepted.
    public static let unusualResponseTypes = Scenario(name: "unusual-response-types") {
        $0.metadata = { $0["response_types_supported"] = ["id_token code", "token id_token", "code"] }
    }
    /// No key identifier anywhere, and several keys that could be it: to be accepted by trying them, or refused.
    public static let absentKeyIDs = Scenario(name: "oidcc-client-test-kid-absent-multiple-jwks") {
        $0.idToken = { $0.header["kid"] = nil }
        $0.keySet = { document in
            var keys = (document["keys"]?.array ?? []).compactMap(\.object)
            if let stranger = strangersKey { keys.insert(stranger.publicKey.jsonObject, at: 0) }
            document["keys"] = .array(
                keys.map { key in
                    var key = key
                    key["kid"] = nil
                    return .object(key)
                }
            )
        }
    }

    private static func idToken(_ name: String, _ change: @escaping @Sendable (inout TokenDraft) -> Void) -> Scenario {
        Scenario(name: name) { $0.idToken = change }
    }

    /// A key that no issuer has.
    fileprivate static let strangersKey = try? SigningKey.generate(.rs256)
}

extension TokenDraft {
    /// Signs with a key that is not the issuer's, under the name of one that is.
    fileprivate mutating func signByStranger() {
        guard let key = Scenario.strangersKey else { return }
        signature = .other { (try? key.signature(for: $0)) ?? [] }
    }
}
