import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An access token or a refresh token that was handed out.
struct IssuedToken: Sendable {
    var grant: String
    var clientID: String
    var scopes: [Scope]
    var expires: Date

    func record(_ kind: ProviderRecord.Kind, secret: String) -> ProviderRecord {
        ProviderRecord(
            kind: kind,
            key: SecretDigest(secret).text,
            family: grant,
            value: [
                "grant": .string(grant), "client_id": .string(clientID), "scope": .string(scopes.text),
                "exp": .number(expires.timeIntervalSince1970),
            ],
            expires: expires
        )
    }

    init(grant: String, clientID: String, scopes: [Scope], expires: Date) {
        self.grant = grant
        self.clientID = clientID
        self.scopes = scopes
        self.expires = expires
    }

    init?(_ record: ProviderRecord) {
        guard let grant = record.value["grant"]?.string, let clientID = record.value["client_id"]?.string,
            let scopes = record.value["scope"]?.string, let expires = record.value["exp"]?.number
        else { return nil }
        self.init(
            grant: grant,
            clientID: clientID,
            scopes: Scope.list(scopes),
            expires: Date(timeIntervalSince1970: expires)
        )
    }
}
