import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The metadata and the keys of one issuer, each fetched once at a time, and kept for the next process.
struct IssuerDirectory: Sendable {
    private let metadata: IssuerMetadata
    private let keys: IssuerKeys
    /// Checks token responses with what is known of the issuer, and reads it anew before it condemns one.
    let verifier: TokenResponseVerifier
    /// The facts of earlier processes; `nil` for a directory that keeps none.
    let learned: LearnedFactsCache?

    /// The time for which a client uses keys before it fetches them again: its ID tokens come from the issuer.
    private static let keyLifetime = Duration.seconds(86_400)

    /// Begins with the stored facts, which are read before the first request.
    ///
    /// `place` is the place of the facts in a store; `nil` keeps none.
    init(
        issuer: Issuer,
        server: AuthorizationServer?,
        transport: any HTTPTransport,
        context: ExchangeContext,
        resourceContext: ExchangeContext? = nil,
        place: LearnedFactsCache.Place? = nil
    ) {
        let now: @Sendable () -> Date = { context.clock.now }
        metadata = IssuerMetadata(issuer: issuer, server: server, transport: transport, context: context, now: now)
        keys = IssuerKeys(
            metadata: metadata,
            transport: transport,
            context: context,
            now: now,
            minimumLifetime: Self.keyLifetime
        )
        verifier = TokenResponseVerifier(
            keys: keys,
            metadata: metadata,
            transport: transport,
            context: context,
            now: now
        )
        learned = place.map { [metadata, keys] in
            LearnedFactsCache(
                $0,
                issuer: issuer,
                metadata: metadata,
                keys: keys,
                context: context,
                resourceContext: resourceContext
            )
        }
    }

    /// The server's metadata, from the document of a form first; by default from the one that was read before.
    func server(_ form: ServerMetadataRequest.Form? = nil) async throws(SignInError) -> AuthorizationServer {
        await learned?.restore()
        return try await metadata.server(form)
    }

    /// The server's metadata with an endpoint that is needed now, from the second document where the first one lacks
    /// it.
    func server(
        with endpoint: AuthorizationServer.Endpoint,
        _ form: ServerMetadataRequest.Form? = nil
    ) async throws(SignInError) -> AuthorizationServer {
        await learned?.restore()
        let server = try await metadata.server(with: endpoint, form)
        // Also for a call that fails now: the next process need not look for a document that is not there.
        await learned?.save()
        return server
    }

    /// The server's metadata for a refresh, however old, and whether it is due to be read again.
    func serverAtAnyAge(
        _ form: ServerMetadataRequest.Form
    ) async throws(SignInError) -> (server: AuthorizationServer, isDue: Bool) {
        await learned?.restore()
        return try await metadata.serverAtAnyAge(form)
    }

    /// Reads the metadata again now.
    func reread(_ form: ServerMetadataRequest.Form) async throws(SignInError) -> AuthorizationServer {
        try await metadata.reread(form)
    }

    /// The number of fetches of the issuer's keys that have begun.
    var keyFetches: Int { keys.fetches }

    /// Whether the metadata is due to be read again.
    func isReadingDue() async -> Bool { await metadata.isReadingDue }

    /// Fetches the keys, while the page is open: the ID token after it needs them.
    ///
    /// A failure costs nothing: the keys are fetched again when they are needed.
    func warm() async { try? await keys.warm() }

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

extension ServerMetadataRequest.Form {
    /// The document that describes what a request for these scopes needs.
    init(for scopes: [Scope]) { self = scopes.contains(.openID) ? .openIDConnect : .oauth }
}
