import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is known of one issuer: its metadata and its keys, each fetched once at a time and kept.
struct IssuerDirectory: Sendable {
    private let metadata: IssuerMetadata
    private let keys: IssuerKeys

    /// Knows nothing yet.
    init(issuer: Issuer, server: AuthorizationServer?, transport: any HTTPTransport, context: ExchangeContext) {
        let now: @Sendable () -> Date = { context.clock.now }
        metadata = IssuerMetadata(issuer: issuer, server: server, transport: transport, context: context, now: now)
        keys = IssuerKeys(metadata: metadata, transport: transport, context: context, now: now)
    }

    /// The server's metadata: read from the OpenID Connect document, or from the OAuth one where there is no other.
    func server() async throws(SignInError) -> AuthorizationServer { try await metadata.server() }

    /// The metadata with the endpoints of the issuer's second document, when the first one lacks some.
    func completeServer() async throws(SignInError) -> AuthorizationServer { try await metadata.completeServer() }

    /// Fetches what the time after the redirect would otherwise be spent on: keys, and the second metadata document.
    ///
    /// It is called while the person is in the browser; what fails here is tried again when it is needed.
    func warm() async {
        try? await metadata.startCompletion()
        try? await keys.warm()
        _ = try? await metadata.completeServer()
    }

    /// Keys to check a signature with, when nothing has to be fetched for it; `nil` otherwise.
    func keysAtHand(for signature: (keyID: String?, algorithm: SignatureAlgorithm?)?) -> JSONWebKeySet? {
        guard let signature else { return JSONWebKeySet([]) }
        return signature.algorithm.flatMap { keys.keysAtHand(keyID: signature.keyID, algorithm: $0) }
    }

    /// Keys to check a signature with.
    ///
    /// An unknown key identifier causes one fetch.
    func keys(
        for signature: (keyID: String?, algorithm: SignatureAlgorithm?)?
    ) async throws(SignInError) -> JSONWebKeySet {
        guard let signature else { return JSONWebKeySet([]) }
        return try await keys.keys(keyID: signature.keyID, algorithm: signature.algorithm)
    }
}
