import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An authorization code, bound to its client, its redirect URI and its proof key (RFC 9700 section 4.5).
struct IssuedCode: Sendable {
    var grant: String
    var clientID: String
    var redirectURI: String
    /// The S256 challenge; `nil` for a code that was requested without PKCE.
    var challenge: String?
    var nonce: String?
    /// Whether the authorization request named the redirect URI.
    var namesRedirectURI = true
    /// The thumbprint of the key that the token request must prove (RFC 9449 section 10); `nil` for any or none.
    var keyThumbprint: String?
    /// The expiry of the code; the record stays longer, so that a late second use is recognized.
    var expires: Date

    /// Whether it was requested with PKCE.
    var hasProofKey: Bool { challenge.map { _ in true } ?? false }

    /// Whether a verifier is the one of the challenge (RFC 7636 section 4.6); `nil` is the one of no challenge.
    func isProved(by verifier: String?) -> Bool {
        switch (challenge, verifier) {
        case (nil, nil): true
        case (let challenge?, let verifier?): constantTimeEqual(SecretDigest(verifier).text, challenge)
        case (nil, _?), (_?, nil): false
        }
    }

    func record(secret: String, remembered: Date) -> ProviderRecord {
        var value: JSONObject = [
            "client_id": .string(clientID), "redirect_uri": .string(redirectURI),
            "exp": .number(expires.timeIntervalSince1970), "grant": .string(grant),
        ]
        // A code without PKCE says so: a record that lost its challenge must not become one.
        value["code_challenge"] = challenge.map { .string($0) } ?? .bool(false)
        if !namesRedirectURI { value["redirect_uri_named"] = false }
        value["nonce"] = nonce.map { .string($0) }
        value["dpop_jkt"] = keyThumbprint.map { .string($0) }
        return ProviderRecord(
            kind: .authorizationCode,
            key: SecretDigest(secret).text,
            family: grant,
            value: value,
            expires: remembered
        )
    }

    init(
        grant: String,
        clientID: String,
        redirectURI: String,
        challenge: String?,
        nonce: String?,
        keyThumbprint: String? = nil,
        expires: Date
    ) {
        self.grant = grant
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.challenge = challenge
        self.nonce = nonce
        self.keyThumbprint = keyThumbprint
        self.expires = expires
    }

    init?(_ record: ProviderRecord) {
        guard let grant = record.value["grant"]?.string, let clientID = record.value["client_id"]?.string,
            let redirectURI = record.value["redirect_uri"]?.string, let expires = record.value["exp"]?.time
        else { return nil }
        let challenge = record.value["code_challenge"]?.string
        guard challenge != nil || record.value["code_challenge"]?.bool == false else { return nil }
        self.init(
            grant: grant,
            clientID: clientID,
            redirectURI: redirectURI,
            challenge: challenge,
            nonce: record.value["nonce"]?.string,
            keyThumbprint: record.value["dpop_jkt"]?.string,
            expires: expires
        )
        namesRedirectURI = record.value["redirect_uri_named"]?.bool ?? true
    }
}
