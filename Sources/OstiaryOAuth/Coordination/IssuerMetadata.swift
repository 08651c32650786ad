#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// One issuer's metadata, read once at a time, kept for an hour, and used for a day more when it cannot be read again.
package actor IssuerMetadata {
    /// How long it is used without looking again, in seconds.
    private static let lifetime: Double = 3600
    /// How long it is used beyond that when it cannot be read, in seconds.
    private static let grace: Double = 86_400
    /// How long an issuer that did not answer is left alone while older metadata is at hand, in seconds.
    private static let retryPause: Double = 5

    private let issuer: Issuer
    private let transport: any HTTPTransport
    private let context: ExchangeContext
    private let now: @Sendable () -> Date
    private let isFixed: Bool

    private var known: (server: AuthorizationServer, read: Date)?
    private var isDoubted = false
    private var failed: Date?
    private var discovery: Task<Result<AuthorizationServer, SignInError>, Never>?
    private var completion: Task<Void, Never>?

    /// Begins with nothing, or with metadata that is given by hand and never read.
    package init(
        issuer: Issuer,
        server: AuthorizationServer?,
        transport: any HTTPTransport,
        context: ExchangeContext,
        now: @escaping @Sendable () -> Date
    ) {
        self.issuer = issuer
        self.transport = transport
        self.context = context
        self.now = now
        isFixed = server != nil
        known = server.map { ($0, now()) }
    }

    /// The server's metadata: read from the OpenID Connect document, or from the OAuth one where there is no other.
    package func server() async throws(SignInError) -> AuthorizationServer {
        if let known, isFixed || !isReadingDue(known.read) { return known.server }
        let task = discovery ?? startDiscovery()
        return try await task.value.get()
    }

    /// Has the metadata read again when it is next asked for, because something is no longer where it says.
    package func doubt() { isDoubted = true }

    /// Starts to read the issuer's second document, when the first one lacks some endpoints.
    package func startCompletion() async throws(SignInError) {
        let server = try await server()
        guard completion == nil, !isFixed, server.mayHaveMoreEndpoints else { return }
        completion = Task { await complete(server) }
    }

    /// The metadata with the endpoints of the issuer's second document, when the first one lacks some.
    package func completeServer() async throws(SignInError) -> AuthorizationServer {
        try await startCompletion()
        await completion?.value
        return try await server()
    }

    private func isReadingDue(_ read: Date) -> Bool {
        if let failed, abs(now().timeIntervalSince(failed)) < Self.retryPause { return false }
        return isDoubted || abs(now().timeIntervalSince(read)) >= Self.lifetime
    }

    private func startDiscovery() -> Task<Result<AuthorizationServer, SignInError>, Never> {
        // A task of its own: a caller that goes away does not take it from the others.
        let task = Task { await discover() }
        discovery = task
        return task
    }

    private func discover() async -> Result<AuthorizationServer, SignInError> {
        defer { discovery = nil }
        do throws(SignInError) {
            let server = try await read()
            known = (server, now())
            isDoubted = false
            failed = nil
            completion = nil
            return .success(server)
        } catch {
            guard let known, abs(now().timeIntervalSince(known.read)) <= Self.lifetime + Self.grace else {
                return .failure(error)
            }
            failed = now()
            return .success(known.server)
        }
    }

    private func read() async throws(SignInError) -> AuthorizationServer {
        do throws(SignInError) {
            return try await transport.perform(Discovery(issuer), in: context)
        } catch  where error.reason == .server(status: 404) {
            return try await transport.perform(Discovery(issuer, form: .oauth), in: context)
        }
    }

    private func complete(_ server: AuthorizationServer) async {
        guard let other = try? await transport.perform(Discovery(issuer, form: .oauth), in: context),
            let known, known.server.issuer == server.issuer
        else { return }
        self.known = (known.server.completed(by: other), known.read)
    }
}
