import OstiaryJOSE
package import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An access token or a refresh token that was handed out.
package struct IssuedToken: Sendable {
    var grant: String
    var clientID: String
    package var scopes: [Scope]
    /// The resources that an access token is for; empty for the default audience.
    var resources: [String]
    /// The thumbprint of the key that it is bound to (RFC 9449 section 5); `nil` for none.
    var keyThumbprint: String?
    /// The thumbprint of the attested instance that a refresh token is bound to; `nil` for other clients'.
    var instance: String?
    /// The key that the header of the sign-in's first ID token names, with a refresh token.
    var firstKeyID: String?
    /// The claims of an opaque access token.
    var claims: JSONObject?
    var expires: Date

    func record(_ kind: ProviderRecord.Kind, secret: String) -> ProviderRecord {
        var value: JSONObject = [
            "grant": .string(grant), "client_id": .string(clientID), "scope": .string(scopes.text),
            "exp": .number(expires.timeIntervalSince1970), "resource": .strings(resources),
        ]
        value["jkt"] = keyThumbprint.map { .string($0) }
        value["instance"] = instance.map { .string($0) }
        value["kid"] = firstKeyID.map { .string($0) }
        value["claims"] = claims.map { .object($0) }
        return ProviderRecord(
            kind: kind,
            key: SecretDigest(secret).text,
            family: grant,
            value: value,
            expires: expires
        )
    }

    init(
        grant: String,
        clientID: String,
        scopes: [Scope],
        resources: [String] = [],
        keyThumbprint: String? = nil,
        expires: Date
    ) {
        self.grant = grant
        self.clientID = clientID
        self.scopes = scopes
        self.resources = resources
        self.keyThumbprint = keyThumbprint
        self.expires = expires
    }

    init?(_ record: ProviderRecord) {
        guard let grant = record.value["grant"]?.string, let clientID = record.value["client_id"]?.string,
            let scopes = record.value["scope"]?.string, let expires = record.value["exp"]?.time
        else { return nil }
        self.init(
            grant: grant,
            clientID: clientID,
            scopes: Scope.list(scopes),
            resources: record.value["resource"]?.array?.compactMap(\.string) ?? [],
            keyThumbprint: record.value["jkt"]?.string,
            expires: expires
        )
        instance = record.value["instance"]?.string
        firstKeyID = record.value["kid"]?.string
        claims = record.value["claims"]?.object
    }
}
