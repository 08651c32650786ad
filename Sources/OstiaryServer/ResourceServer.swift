public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The configuration that a server's routes share: the issuers' keys, the cache, the checks of proofs, and the
/// metadata.
///
///     let server = ResourceServer(
///         keys: [try KeySource(issuer: issuer, transport: transport)],
///         dpop: try ProofChecking(origins: [ExternalOrigin("https://api.example.com")], replays: LocalReplayStore()))
///     let orders = try server.resource(
///         AccessTokenPolicy(issuer: issuer, audience: "https://api.example.com", requiredScopes: ["orders"], binding: .dpop))
public struct ResourceServer: Sendable {
    /// The realm of challenges; `nil` for none.
    public let realm: String?
    /// The place of the server's metadata, for challenges and for the document (RFC 9728); `nil` for a server that
    /// publishes none.
    public let metadata: ResourceMetadataDocument.Place?
    /// The keys of the trusted issuers.
    public let keys: [KeySource]
    let introspectors: [TokenIntrospector]
    let proofs: ProofChecking?
    let certificates: CertificateSource
    let cache: VerifiedTokenCache?
    let revoked: RevokedTokens?
    let now: @Sendable () -> Date

    /// The source of the client's certificate.
    public enum CertificateSource: Sendable, Hashable {
        /// The connection, as the server framework reports it.
        case connection
        /// A proxy that terminates TLS.
        case proxy(CertificateField)
    }

    /// Makes the shared configuration.
    ///
    /// - Parameters:
    ///   - keys: The keys of each issuer whose tokens are checked here.
    ///   - introspectors: The issuers to ask about opaque tokens, and about all tokens of an issuer without configured
    ///     keys. At most one of each issuer, and one issuer of a policy, since nothing in an opaque token names its
    ///     issuer.
    ///   - dpop: The checks of proofs of possession. Default: no route accepts DPoP-bound tokens.
    ///   - certificates: The source of client certificates. Default: the connection.
    ///   - cache: The cache of verified signatures. Default: one of 16 MiB; `nil` verifies every signature every time.
    ///   - revoked: The revoked tokens. Default: every token is accepted until it expires.
    ///   - metadata: The place of the server's metadata. Default: none.
    ///   - realm: The realm of challenges. Default: none.
    ///   - clock: The time. Default: the system's.
    public init(
        keys: [KeySource] = [],
        introspectors: [TokenIntrospector] = [],
        dpop: ProofChecking? = nil,
        certificates: CertificateSource = .connection,
        cache: VerifiedTokenCache? = VerifiedTokenCache(),
        revoked: RevokedTokens? = nil,
        metadata: ResourceMetadataDocument.Place? = nil,
        realm: String? = nil,
        clock: DeviceClock = .server
    ) {
        self.keys = keys
        self.introspectors = introspectors
        proofs = dpop
        self.certificates = certificates
        self.cache = cache
        self.revoked = revoked
        self.metadata = metadata
        self.realm = realm
        now = clock.now
    }

    /// Protects a route, or several with the same requirements.
    ///
    /// - Throws: `configuration` when no token could satisfy the policy here, with a sentence that names the fix: at
    ///   stage `keys` for an issuer without keys, at stage `introspection` for two issuers with introspection, at stage
    ///   `token` for bound tokens without checks of proofs.
    public func resource(_ policy: AccessTokenPolicy) throws(SignInError) -> ProtectedResource {
        try ProtectedResource(policy: policy, server: self)
    }

    /// The certificate of a request's sender.
    func certificate(of request: ServerRequest) -> ClientCertificate? {
        switch certificates {
        case .connection: request.certificate
        case .proxy(let field): field.certificate(in: request.fields)
        }
    }
}
