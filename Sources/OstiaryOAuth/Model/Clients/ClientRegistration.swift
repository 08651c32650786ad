public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A client as a server registered it, with the credentials that it was given (RFC 7591 section 3.2.1).
public struct ClientRegistration: Sendable, Hashable {
    /// The issuer that registered the client.
    public let issuer: Issuer
    /// The client identifier, exactly as it was issued.
    public let clientID: String
    /// The client's secret; `nil` for a public client and for one with keys.
    public let clientSecret: Secret?
    /// The expiry of the secret; `nil` for never.
    public let clientSecretExpiry: Date?
    /// The time at which the server issued the client identifier, if it stated one.
    public let issued: Date?
    /// The URL and token for reading and changing the registration (RFC 7592).
    public let management: Management?
    /// The metadata that the server registered, which may differ from the requested metadata.
    public let metadata: ClientMetadata
    /// The time when this device received the credentials, in whole seconds; `nil` when it was not recorded.
    ///
    /// Some servers state the lifetime of credentials, not their expiry.
    public package(set) var received: Date? {
        didSet { received = received.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) } }
    }

    /// The way to a registration (RFC 7592 section 3).
    public struct Management: Sendable, Hashable {
        /// The registration access token.
        public let token: Secret
        /// The client configuration endpoint.
        public let url: URL
    }

    /// The client, to sign in with.
    ///
    /// Its secret is not used once it has expired: a request then throws `configuration` at stage `registration`.
    ///
    /// - Parameters:
    ///   - redirectURI: One of those that are registered; a server that names none is believed.
    ///   - key: The private key of a client that signs assertions.
    ///   - audience: The audience of its assertions. Default: the issuer.
    /// - Returns: The client.
    /// - Throws: At stage `registration`: `mismatch(.redirectURI)` when the server registered other redirect URIs,
    ///   `configuration` when the registered way to authenticate is not known here, or needs a key or a secret that is
    ///   not there.
    public func client(
        redirectURI: RedirectURI,
        key: SigningKey? = nil,
        assertionAudience audience: ClientAuthentication.AssertionAudience = .issuer
    ) throws(SignInError) -> Client {
        let registered = metadata.redirectURIs
        let isRegistered = registered.isEmpty || registered.contains(where: redirectURI.isCovered)
        guard NamedCheck.holds("registration.redirect_uri", isRegistered) else {
            throw SignInError(.registration, .mismatch(.redirectURI))
        }
        return try Client(id: clientID, redirectURI: redirectURI, authentication: try authentication(key, audience))
    }

    private func authentication(
        _ key: SigningKey?,
        _ audience: ClientAuthentication.AssertionAudience
    ) throws(SignInError) -> ClientAuthentication {
        func wrong(_ sentence: String) -> SignInError { SignInError(.registration, .configuration(sentence)) }
        switch metadata.authenticationMethod {
        case "none": return .none
        case "private_key_jwt":
            guard let key else { throw wrong("The client is registered for private_key_jwt: give its private key.") }
            return .privateKeyJWT(key, audience: audience)
        case "client_secret_basic", "client_secret_post":
            guard let clientSecret else { throw wrong("The client is registered with a secret, and none was issued.") }
            let isPosted = metadata.authenticationMethod == "client_secret_post"
            let authentication: ClientAuthentication =
                isPosted ? .clientSecretPost(clientSecret) : .clientSecretBasic(clientSecret)
            return authentication.expiring(at: clientSecretExpiry)
        default:
            throw wrong("The client is registered for \(metadata.authenticationMethod), which is not supported.")
        }
    }
}

extension ClientRegistration: CustomStringConvertible, CustomReflectable {
    /// The issuer and the client; no credential.
    public var description: String { "ClientRegistration(\(issuer), \(clientID))" }
    /// The issuer and the client.
    public var customMirror: Mirror {
        Mirror(self, children: ["issuer": issuer.description, "client": clientID])
    }
}
