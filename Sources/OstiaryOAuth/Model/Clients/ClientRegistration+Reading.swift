public import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ClientRegistration {
    /// Takes the members of a registration response that the app has kept (RFC 7591 section 3.2.1).
    ///
    /// They are read as those of a response that has just come; whether the server still knows the client shows at its
    /// first use.
    ///
    /// - Throws: At stage `registration`: `malformed` for a missing or invalid member, `mismatch(.origin)` for a
    ///   management URL that the issuer cannot have named.
    public init(response: JSONObject, issuer: Issuer) throws(SignInError) { try self.init(response, at: issuer) }

    /// Reads a server's response (RFC 7591 section 3.2.1, RFC 7592 section 3).
    ///
    /// `requested` is the requested method of authentication, which stays in force where the response leaves it out.
    /// `previous` is the registration that was read or changed; a member that the response leaves out keeps its value.
    init(
        _ object: JSONObject,
        at issuer: Issuer,
        requested: String? = nil,
        previous: ClientRegistration? = nil
    ) throws(SignInError) {
        func malformed(_ member: String) -> SignInError {
            SignInError(.registration, .malformed("the response's \(member)"))
        }
        func text(_ name: String) throws(SignInError) -> String? {
            guard let value = object[name], !value.isNull else { return nil }
            guard let text = value.string, !text.isEmpty else { throw malformed(name) }
            return text
        }
        guard let clientID = try text("client_id") else { throw malformed("client_id") }
        if let previous {
            guard NamedCheck.holds("registration.client", JSONValue.string(previous.clientID) == .string(clientID))
            else {
                throw SignInError(.registration, .mismatch(.client))
            }
        }
        let secret = try text("client_secret")
        var expiry = secret == nil ? previous?.clientSecretExpiry : nil
        // Required whenever a secret is issued, and left out by servers whose secrets do not expire.
        if secret != nil, let value = object["client_secret_expires_at"], !value.isNull {
            // 0 stands for never.
            guard let seconds = value.number, seconds >= 0 else { throw malformed("client_secret_expires_at") }
            expiry = seconds == 0 ? nil : Date(timeIntervalSince1970: seconds)
        }
        var metadata = object
        for name in ClientMetadata.issued { metadata[name] = nil }
        let clientSecret = secret.map(Secret.init) ?? previous?.clientSecret
        if metadata["token_endpoint_auth_method"]?.isNull ?? true,
            let method = requested ?? previous?.metadata.authenticationMethod,
            method.hasPrefix("client_secret_") == (clientSecret != nil)
        {
            // Section 3.2.1 requires the member. A server that leaves it out has most likely kept to what was asked,
            // unless the secret that it issued, or did not issue, says otherwise: then the default of section 2
            // applies.
            metadata["token_endpoint_auth_method"] = .string(method)
        }
        self.init(
            issuer: issuer,
            clientID: clientID,
            clientSecret: clientSecret,
            clientSecretExpiry: expiry,
            issued: object.date("client_id_issued_at") ?? previous?.issued,
            management: try Self.management(
                token: try text("registration_access_token"),
                url: try text("registration_client_uri"),
                at: issuer,
                previous: previous?.management
            ),
            metadata: ClientMetadata(metadata)
        )
    }

    /// Both values or none; the URL in a response to a change must not lead to another server.
    private static func management(
        token: String?,
        url text: String?,
        at issuer: Issuer,
        previous: Management?
    ) throws(SignInError) -> Management? {
        func malformed(_ member: String) -> SignInError {
            SignInError(.registration, .malformed("the response's \(member)"))
        }
        var url = previous?.url
        if let text {
            guard let parts = URIParts(text), parts.isSecureOrLoopback, parts.fragment == nil,
                let given = URL(string: text)
            else { throw malformed("registration_client_uri") }
            guard NamedCheck.holds("registration.loopback", issuer.isLoopback || !parts.isLoopback) else {
                throw SignInError(.registration, .mismatch(.origin))
            }
            if let previous = previous.flatMap({ URIParts($0.url) }) {
                guard NamedCheck.holds("registration.origin", previous.isSameOrigin(as: parts)) else {
                    throw SignInError(.registration, .mismatch(.origin))
                }
            }
            url = given
        }
        let token = token.map(Secret.init) ?? previous?.token
        switch (token, url) {
        case (nil, nil): return nil
        case (let token?, let url?): return Management(token: token, url: url)
        case (nil, _): throw malformed("registration_access_token")
        case (_, nil): throw malformed("registration_client_uri")
        }
    }

    /// The registration as an object for a sealed store.
    package func stored() -> JSONObject {
        var object: JSONObject = [
            "issuer": .string(issuer.description),
            "client_id": .string(clientID),
            "metadata": .object(metadata.members),
        ]
        object["client_id_issued_at"] = issued.map { .number($0.timeIntervalSince1970) }
        object["received"] = received.map { .number($0.timeIntervalSince1970) }
        object["client_secret"] = clientSecret.map { .string($0.reveal()) }
        object["client_secret_expires_at"] = clientSecretExpiry.map { .number($0.timeIntervalSince1970) }
        object["registration_access_token"] = management.map { .string($0.token.reveal()) }
        object["registration_client_uri"] = management.map { .string($0.url.absoluteString) }
        return object
    }

    /// Reads the output of ``stored()``.
    package init(stored object: JSONObject) throws(SignInError) {
        guard let issuer = object["issuer"]?.string, let clientID = object["client_id"]?.string,
            let metadata = object["metadata"]?.object
        else { throw SignInError(.storage, .storage(.corrupted)) }
        var management: Management?
        if let token = object["registration_access_token"]?.string,
            let url = object["registration_client_uri"]?.string.flatMap(URL.init(string:))
        {
            management = Management(token: Secret(token), url: url)
        }
        self.init(
            issuer: try Issuer(issuer),
            clientID: clientID,
            clientSecret: object["client_secret"]?.string.map(Secret.init),
            clientSecretExpiry: object.date("client_secret_expires_at"),
            issued: object.date("client_id_issued_at"),
            management: management,
            metadata: ClientMetadata(metadata)
        )
        received = object.date("received")
    }
}
