public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What the routes of a server share: the issuers' keys, the cache, how proofs are checked, and what the server is called.
///
///     let server = ResourceServer(
///         keys: [try KeySource(issuer: issuer, transport: transport)],
///         proofs: try ProofChecking(origins: [ExternalOrigin("https://api.example.com")], replays: LocalReplayStore()))
///     let orders = try server.resource(
///         AccessTokenPolicy(issuer: issuer, audience: "https://api.example.com", requiredScopes: ["orders"], binding: .dpop))
public struct ResourceServer: Sendable {
    /// The name of what is protected, as challenges give it; `nil` gives none.
    public let realm: String?
    /// Where this server describes itself, for challenges and for the document (RFC 9728); `nil` for a server that does not.
    public let metadata: ResourceMetadataDocument.Place?
    /// The issuers whose keys are at hand.
    public let keys: [KeySource]
    let introspectors: [TokenIntrospector]
    let proofs: ProofChecking?
    let certificates: CertificateSource
    let cache: VerifiedTokenCache?
    let revoked: RevokedTokens?
    let now: @Sendable () -> Date

    /// Where a client's certificate comes from.
    public enum CertificateSource: Sendable, Hashable {
        /// From the connection, as the server framework has it.
        case connection
        /// From a proxy that ends the TLS connections.
        case proxy(CertificateField)
    }

    /// Puts together what routes share.
    ///
    /// - Parameters:
    ///   - keys: The keys of each issuer whose tokens are checked here.
    ///   - introspectors: Whom to ask about tokens that are no signed JSON Web Tokens, and about all of an issuer whose keys
    ///     are not given; at most one of each issuer, and one issuer of a policy, since nothing in an opaque token says whose
    ///     it is.
    ///   - proofs: How proofs of possession are checked. Default: no route takes tokens that are bound by DPoP.
    ///   - certificates: Where clients' certificates come from. Default: the connection.
    ///   - cache: Remembers tokens whose signature is good. Default: one of 16 MiB; `nil` checks each signature each time.
    ///   - revoked: Tokens that are taken no more. Default: every token is taken until it expires.
    ///   - metadata: Where this server describes itself. Default: nowhere.
    ///   - realm: The name of what is protected. Default: none.
    ///   - now: The time. Default: the system's clock.
    public init(
        keys: [KeySource] = [],
        introspectors: [TokenIntrospector] = [],
        proofs: ProofChecking? = nil,
        certificates: CertificateSource = .connection,
        cache: VerifiedTokenCache? = VerifiedTokenCache(),
        revoked: RevokedTokens? = nil,
        metadata: ResourceMetadataDocument.Place? = nil,
        realm: String? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.keys = keys
        self.introspectors = introspectors
        self.proofs = proofs
        self.certificates = certificates
        self.cache = cache
        self.revoked = revoked
        self.metadata = metadata
        self.realm = realm
        self.now = now
    }

    /// Protects a route, or several that ask for the same.
    ///
    /// - Throws: `configuration` when tokens could never satisfy the policy here, with a sentence that names the fix: at stage
    ///   `keys` for an issuer without keys, at stage `introspection` for two issuers that are both asked, at stage `token` for
    ///   bound tokens when nothing says how proofs are checked.
    public func resource(_ policy: AccessTokenPolicy) throws(SignInError) -> ProtectedResource {
        try ProtectedResource(policy: policy, server: self)
    }

    /// The certificate that a request's sender has.
    func certificate(of request: ServerRequest) -> ClientCertificate? {
        switch certificates {
        case .connection: request.certificate
        case .proxy(let field): field.certificate(in: request.fields)
        }
    }
}
