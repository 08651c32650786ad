import OstiaryJOSE
package import OstiaryOAuth

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A client's grant from one sign-in.
///
/// Its tokens are valid while its record exists, so removing the record revokes them all at once.
package struct IssuedGrant: Sendable {
    var id: String
    package var clientID: String
    package var subject: String
    package var scopes: [Scope]
    /// The resource servers that its access tokens may be for, besides the default audience (RFC 8707).
    var resources: [String]
    package var authenticated: Date
    /// Whether it outlives the login, and comes with refresh tokens (OpenID Connect Core section 11).
    var isOffline: Bool
    /// The login, `sid`; `nil` when the client came alone and is itself the subject.
    var session: String?
    /// The expiry of its last token.
    var expires: Date
    /// The grant that it was exchanged from, and ends with (RFC 8693).
    var parent: String?
    /// The actor who acts for the subject (RFC 8693 section 4.1).
    var actor: JSONObject?
    /// The audience of its access tokens; `nil` for the provider's own.
    var audience: [String]?
    /// The `nonce` of the authorization request.
    var nonce: String?
    /// Whether the authorization request had `max_age`.
    var isAskedForAuthenticationTime = false
    /// The methods of the user's authentication, as the claim `amr` has them.
    var methods = LoginSession.passwordMethods
    /// The `acr` of its tokens.
    var context = Provider.passwordContext
    /// The claims that the authorization request named.
    var claims = RequestedClaims()

    var record: ProviderRecord {
        var value: JSONObject = [
            "client_id": .string(clientID), "sub": .string(subject), "scope": .string(scopes.text),
            "auth_time": .number(authenticated.timeIntervalSince1970),
            "exp": .number(expires.timeIntervalSince1970), "resource": .strings(resources),
            "offline": .bool(isOffline),
        ]
        value["sid"] = session.map { .string($0) }
        value["parent"] = parent.map { .string($0) }
        value["act"] = actor.map { .object($0) }
        value["aud"] = audience.map { .array($0.map { .string($0) }) }
        value["nonce"] = nonce.map { .string($0) }
        value["claims"] = claims.json
        if isAskedForAuthenticationTime { value["max_age"] = true }
        if methods != LoginSession.passwordMethods { value["amr"] = .strings(methods) }
        if context != Provider.passwordContext { value["acr"] = .string(context) }
        return ProviderRecord(
            kind: .grant,
            key: id,
            family: id,
            session: isOffline ? nil : session,
            value: value,
            expires: expires
        )
    }

    init(
        id: String,
        clientID: String,
        subject: String,
        scopes: [Scope],
        resources: [String] = [],
        authenticated: Date,
        session: String?,
        expires: Date,
        isOffline: Bool? = nil
    ) {
        self.id = id
        self.clientID = clientID
        self.subject = subject
        self.scopes = scopes
        self.resources = resources
        self.authenticated = authenticated
        self.session = session
        self.expires = expires
        self.isOffline = isOffline ?? scopes.contains(.offlineAccess)
    }

    init?(_ record: ProviderRecord) {
        guard let clientID = record.value["client_id"]?.string, let subject = record.value["sub"]?.string,
            let scopes = record.value["scope"]?.string,
            let authenticated = record.value["auth_time"]?.time, let expires = record.value["exp"]?.time
        else { return nil }
        self.init(
            id: record.key,
            clientID: clientID,
            subject: subject,
            scopes: Scope.list(scopes),
            resources: record.value["resource"]?.array?.compactMap(\.string) ?? [],
            authenticated: authenticated,
            session: record.value["sid"]?.string,
            expires: expires,
            isOffline: record.value["offline"]?.bool
        )
        parent = record.value["parent"]?.string
        actor = record.value["act"]?.object
        audience = record.value["aud"]?.array?.compactMap(\.string)
        nonce = record.value["nonce"]?.string
        claims = RequestedClaims(json: record.value["claims"])
        methods = record.value["amr"]?.array?.compactMap(\.string) ?? LoginSession.passwordMethods
        context = record.value["acr"]?.string ?? Provider.passwordContext
        isAskedForAuthenticationTime = record.value["max_age"]?.bool ?? false
    }
}
