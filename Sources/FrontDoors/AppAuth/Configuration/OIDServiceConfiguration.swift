public import Foundation
import Ostiary
import OstiaryOAuth

/// The endpoints of an authorization server: read from its metadata, or given by the app.
public final class OIDServiceConfiguration: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The authorization endpoint (RFC 6749 section 3.1).
    public let authorizationEndpoint: URL
    /// The token endpoint (RFC 6749 section 3.2).
    public let tokenEndpoint: URL
    /// The issuer identifier; `nil` when the app gave none.
    public let issuer: URL?
    /// The registration endpoint (RFC 7591 section 3).
    public let registrationEndpoint: URL?
    /// The end-session endpoint (OpenID Connect RP-Initiated Logout section 2.1).
    public let endSessionEndpoint: URL?
    /// The metadata; `nil` for endpoints that the app gave.
    public let discoveryDocument: OIDServiceDiscovery?
    /// The metadata as the library read and checked it.
    private let discovered: AuthorizationServer?

    /// Takes the two endpoints that a sign-in needs.
    ///
    /// The issuer of an ID token is then looked up, and its metadata has to name this token endpoint.
    public convenience init(authorizationEndpoint: URL, tokenEndpoint: URL) {
        self.init(authorizationEndpoint: authorizationEndpoint, tokenEndpoint: tokenEndpoint, issuer: nil)
    }

    /// Takes endpoints.
    public convenience init(authorizationEndpoint: URL, tokenEndpoint: URL, registrationEndpoint: URL?) {
        self.init(
            authorizationEndpoint: authorizationEndpoint,
            tokenEndpoint: tokenEndpoint,
            issuer: nil,
            registrationEndpoint: registrationEndpoint
        )
    }

    /// Takes endpoints and the issuer.
    public convenience init(authorizationEndpoint: URL, tokenEndpoint: URL, issuer: URL?) {
        self.init(
            authorizationEndpoint: authorizationEndpoint,
            tokenEndpoint: tokenEndpoint,
            issuer: issuer,
            registrationEndpoint: nil
        )
    }

    /// Takes endpoints and the issuer.
    public convenience init(
        authorizationEndpoint: URL,
        tokenEndpoint: URL,
        issuer: URL?,
        registrationEndpoint: URL?
    ) {
        self.init(
            authorizationEndpoint: authorizationEndpoint,
            tokenEndpoint: tokenEndpoint,
            issuer: issuer,
            registrationEndpoint: registrationEndpoint,
            endSessionEndpoint: nil
        )
    }

    /// Takes endpoints and the issuer.
    public convenience init(
        authorizationEndpoint: URL,
        tokenEndpoint: URL,
        issuer: URL?,
        registrationEndpoint: URL?,
        endSessionEndpoint: URL?
    ) {
        self.init(
            authorizationEndpoint: authorizationEndpoint,
            tokenEndpoint: tokenEndpoint,
            issuer: issuer,
            registrationEndpoint: registrationEndpoint,
            endSessionEndpoint: endSessionEndpoint,
            discoveryDocument: nil
        )
    }

    /// Takes the endpoints of metadata.
    public convenience init(discoveryDocument: OIDServiceDiscovery) {
        self.init(discoveryDocument, discovered: nil)
    }

    convenience init(_ document: OIDServiceDiscovery, discovered: AuthorizationServer?) {
        self.init(
            authorizationEndpoint: document.authorizationEndpoint,
            tokenEndpoint: document.tokenEndpoint,
            issuer: document.issuer,
            registrationEndpoint: document.registrationEndpoint,
            endSessionEndpoint: document.endSessionEndpoint,
            discoveryDocument: document,
            discovered: discovered
        )
    }

    private init(
        authorizationEndpoint: URL,
        tokenEndpoint: URL,
        issuer: URL?,
        registrationEndpoint: URL?,
        endSessionEndpoint: URL?,
        discoveryDocument: OIDServiceDiscovery?,
        discovered: AuthorizationServer? = nil
    ) {
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        self.issuer = issuer
        self.registrationEndpoint = registrationEndpoint
        self.endSessionEndpoint = endSessionEndpoint
        self.discoveryDocument = discoveryDocument
        self.discovered = discovered
    }

    /// Whether an archive is read with secure coding: always.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive of this type, or of AppAuth's.
    public convenience init?(coder: NSCoder) {
        if let document: OIDServiceDiscovery = coder.object("discoveryDocument") {
            self.init(document, discovered: nil)
            return
        }
        guard let authorizationEndpoint = coder.url("authorizationEndpoint"),
            let tokenEndpoint = coder.url("tokenEndpoint")
        else { return nil }
        self.init(
            authorizationEndpoint: authorizationEndpoint,
            tokenEndpoint: tokenEndpoint,
            issuer: coder.url("issuer"),
            registrationEndpoint: coder.url("registrationEndpoint"),
            endSessionEndpoint: coder.url("endSessionEndpoint")
        )
    }

    /// Writes the keys of AppAuth's archives.
    public func encode(with coder: NSCoder) {
        coder.set(authorizationEndpoint, "authorizationEndpoint")
        coder.set(tokenEndpoint, "tokenEndpoint")
        coder.set(issuer, "issuer")
        coder.set(registrationEndpoint, "registrationEndpoint")
        coder.encode(discoveryDocument, forKey: "discoveryDocument")
        coder.set(endSessionEndpoint, "endSessionEndpoint")
    }

    /// This object, which does not change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The endpoints; there is no secret among them.
    override public var description: String {
        "OIDServiceConfiguration(issuer: \(issuer?.absoluteString ?? "unknown"), authorization endpoint: "
            + "\(authorizationEndpoint.absoluteString), token endpoint: \(tokenEndpoint.absoluteString))"
    }
}

// MARK: - The authorization server

extension OIDServiceConfiguration {
    /// The issuer identifier as it was written; `nil` when it is unknown.
    var issuerName: String? { discoveryDocument?.members["issuer"]?.string ?? issuer?.absoluteString }

    /// The server as far as this configuration describes it.
    ///
    /// Without a known issuer it is named after the origin of its token endpoint, which no ID token is compared with.
    func server() throws(SignInError) -> AuthorizationServer {
        if let discovered { return discovered }
        let issuer = try Issuer(issuerName ?? Self.origin(of: tokenEndpoint))
        var server = AuthorizationServer(
            issuer: issuer,
            authorizationEndpoint: authorizationEndpoint,
            tokenEndpoint: tokenEndpoint,
            jwksURI: discoveryDocument?.optionalURL("jwks_uri"),
            userInfoEndpoint: discoveryDocument?.userinfoEndpoint,
            revocationEndpoint: discoveryDocument?.optionalURL("revocation_endpoint"),
            endSessionEndpoint: endSessionEndpoint,
            sendsIssuerInResponses: discoveryDocument?.flag("authorization_response_iss_parameter_supported") ?? false
        )
        server.registrationEndpoint = registrationEndpoint
        guard let document = discoveryDocument else { return server }
        server.metadata = document.members
        server.idTokenSigningAlgorithms = document.algorithms("id_token_signing_alg_values_supported")
        server.tokenEndpointAuthenticationMethods = document.tokenEndpointAuthMethodsSupported
        server.codeChallengeMethods = document.optionalTexts("code_challenge_methods_supported")
        return server
    }

    /// The server with the keys that an ID token is checked with.
    ///
    /// Endpoints that the app gave name no keys. The issuer's metadata does, and it has to name the same token
    /// endpoint: otherwise any issuer could sign for this one.
    ///
    /// `claimed` is the `iss` of the ID token, unverified.
    ///
    /// - Throws: `mismatch(.issuer)` at stage `identity`, or the error of the metadata.
    func server(
        signingFor claimed: String?,
        over transport: any HTTPTransport,
        in context: ExchangeContext
    ) async throws(SignInError) -> AuthorizationServer {
        let known = try server()
        if issuerName != nil, known.jwksURI != nil { return known }
        guard let name = issuerName ?? claimed, let issuer = try? Issuer(name) else {
            throw SignInError(.identity, .mismatch(.issuer))
        }
        let found = try await transport.perform(ServerMetadataRequest(issuer), in: context)
        guard found.tokenEndpoint?.absoluteString == tokenEndpoint.absoluteString else {
            throw SignInError(.identity, .mismatch(.issuer))
        }
        return found
    }

    private static func origin(of url: URL) -> String {
        "\(url.scheme ?? "https")://\(url.host() ?? "")" + (url.port.map { ":\($0)" } ?? "")
    }
}
