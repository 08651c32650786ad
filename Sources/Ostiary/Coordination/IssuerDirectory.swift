import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is known of one issuer: its metadata and its keys, each fetched once at a time and kept.
actor IssuerDirectory {
    private let issuer: Issuer
    private let transport: any HTTPTransport
    private let context: ExchangeContext
    private let metadataLifetime: Double

    private var known: (server: AuthorizationServer, read: Date)?
    private var discovery: Task<Result<AuthorizationServer, SignInError>, Never>?
    private var completion: Task<Void, Never>?
    private var keys = KeySetCache()
    private var fetch: Task<Result<JSONWebKeySet, SignInError>, Never>?
    private let isFixed: Bool
    private var now: Date { context.clock.now }

    init(
        issuer: Issuer,
        server: AuthorizationServer?,
        transport: any HTTPTransport,
        metadataLifetime: Double = 3600,
        context: ExchangeContext
    ) {
        self.issuer = issuer
        self.transport = transport
        self.metadataLifetime = metadataLifetime
        self.context = context
        isFixed = server != nil
        known = server.map { ($0, context.clock.now) }
    }

    /// The server's metadata: read from the OpenID Connect document, or from the OAuth one where there is no other.
    func server() async throws(SignInError) -> AuthorizationServer {
        if let known, isFixed || now.timeIntervalSince(known.read) < metadataLifetime { return known.server }
        let task = discovery ?? startDiscovery()
        return try await task.value.get()
    }

    /// Fetches what the time after the redirect would otherwise be spent on: keys, and the second metadata document.
    ///
    /// It is called while the person is in the browser; what fails here is tried again when it is needed.
    func warm() async {
        guard let server = try? await server() else { return }
        startCompletion(of: server)
        if keys.isStale(at: now) { _ = await fetchKeys(of: server) }
        await completion?.value
    }

    /// The metadata with the endpoints of the issuer's second document, when the first one lacks some.
    func completeServer() async throws(SignInError) -> AuthorizationServer {
        startCompletion(of: try await server())
        await completion?.value
        return try await server()
    }

    /// Keys to check a signature with.
    ///
    /// An unknown key identifier causes one fetch.
    func keys(
        for signature: (keyID: String?, algorithm: SignatureAlgorithm?)?
    ) async throws(SignInError) -> JSONWebKeySet {
        guard let signature else { return JSONWebKeySet([]) }
        switch keys.answer(keyID: signature.keyID, algorithm: signature.algorithm, at: now) {
        case .hit(let found), .refuse(let found): return found
        case .fetch: return try await fetchedKeys(for: signature)
        }
    }

    private func fetchedKeys(
        for signature: (keyID: String?, algorithm: SignatureAlgorithm?)
    ) async throws(SignInError) -> JSONWebKeySet {
        let server = try await server()
        // A fetch that is under way may have been answered before the key was published.
        let isOld = fetch != nil
        let found = try await fetchKeys(of: server).get()
        guard isOld, let algorithm = signature.algorithm,
            found.candidates(keyID: signature.keyID, algorithm: algorithm).isEmpty
        else { return found }
        return try await fetchKeys(of: server).get()
    }

    private func startDiscovery() -> Task<Result<AuthorizationServer, SignInError>, Never> {
        let task = Task { await discover() }
        discovery = task
        return task
    }

    private func discover() async -> Result<AuthorizationServer, SignInError> {
        defer { discovery = nil }
        do throws(SignInError) {
            let server: AuthorizationServer
            do throws(SignInError) {
                server = try await transport.perform(Discovery(issuer), in: context)
            } catch  where error.reason == .server(status: 404) {
                server = try await transport.perform(Discovery(issuer, form: .oauth), in: context)
            }
            known = (server, now)
            completion = nil
            return .success(server)
        } catch {
            return .failure(error)
        }
    }

    private func startCompletion(of server: AuthorizationServer) {
        guard completion == nil, !isFixed, server.mayHaveMoreEndpoints else { return }
        completion = Task { await complete(server) }
    }

    private func complete(_ server: AuthorizationServer) async {
        guard let other = try? await transport.perform(Discovery(issuer, form: .oauth), in: context),
            let known, known.server.issuer == server.issuer
        else { return }
        self.known = (known.server.completed(by: other), known.read)
    }

    private func fetchKeys(of server: AuthorizationServer) async -> Result<JSONWebKeySet, SignInError> {
        if let fetch { return await fetch.value }
        let task = Task { await finishFetch(of: server) }
        fetch = task
        return await task.value
    }

    private func finishFetch(of server: AuthorizationServer) async -> Result<JSONWebKeySet, SignInError> {
        defer { fetch = nil }
        do throws(SignInError) {
            let fetched = try await transport.perform(KeySetFetch(server), in: context)
            keys.store(fetched, at: now)
            return .success(keys.keys ?? fetched)
        } catch {
            return .failure(error)
        }
    }
}
