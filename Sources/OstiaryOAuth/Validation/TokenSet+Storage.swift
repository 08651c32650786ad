package import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TokenSet {
    /// The tokens as bytes for a sealed store.
    ///
    /// Only this package can write and read them: a public way in would be a way round the checks.
    package func stored() -> JSONObject {
        var object: JSONObject = [
            "issuer": .string(issuer.description),
            "client_id": .string(clientID),
            "access_token": .string(accessToken.reveal()),
            "scope": .string(scopes.text),
        ]
        object["refresh_token"] = refreshToken.map { .string($0.reveal()) }
        object["expires_at"] = expiry.map { .number($0.timeIntervalSince1970) }
        object["id_token"] = identity.map { .string($0.compact.reveal()) }
        return object
    }

    /// Reads what ``stored()`` wrote.
    package init(stored object: JSONObject) throws(SignInError) {
        let corrupted = SignInError(.storage, .storage(.corrupted))
        guard let issuer = object["issuer"]?.string, let clientID = object["client_id"]?.string,
            let accessToken = object["access_token"]?.string, let scope = object["scope"]?.string
        else { throw corrupted }
        var identity: IdentityToken?
        if let compact = object["id_token"]?.string {
            guard let token = try? VerifiedJWT.restored(compact: compact) else { throw corrupted }
            identity = IdentityToken(token)
        }
        self.init(
            issuer: try Issuer(issuer),
            clientID: clientID,
            accessToken: Secret(accessToken),
            refreshToken: object["refresh_token"]?.string.map(Secret.init),
            scopes: Scope.list(scope),
            expiry: object.date("expires_at"),
            identity: identity
        )
    }
}
