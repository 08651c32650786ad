#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// One issuer's metadata: one document, kept for an hour, and used for a day more when it cannot be read again.
///
/// The second document is read when an endpoint is needed that the first one lacks, and not before. Only a document
/// that the issuer does not have is remembered as missing; a failure of the network is not. A document that is read
/// again is the one that was there.
package actor IssuerMetadata {
    /// The time for which a document is used without reading it again, in seconds.
    private static let lifetime: Double = 3600
    /// The time for which it is used beyond that when it cannot be read, in seconds.
    private static let grace: Double = 86_400
    /// The pause after a failed request for metadata while older metadata is available, in seconds.
    private static let retryPause: Double = 5

    /// Documents, and when they were read.
    package struct Snapshot: Sendable, Hashable {
        package let documents: MetadataDocuments
        package let read: Date

        package init(documents: MetadataDocuments, read: Date) {
            self.documents = documents
            self.read = read
        }
    }

    private let issuer: Issuer
    private let transport: any HTTPTransport
    private let context: ExchangeContext
    private let now: @Sendable () -> Date
    private let fixed: AuthorizationServer?

    private var known: Snapshot?
    /// The document that was missing when it was last requested.
    private var missing: ServerMetadataRequest.Form?
    private var isDoubted = false
    private var forced = ForcedFetches()
    private var failed: Date?
    private var discovery: Task<Result<AuthorizationServer, SignInError>, Never>?
    private var completion: Task<Result<AuthorizationServer?, SignInError>, Never>?

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
        fixed = server
    }

    /// The documents to keep for another process; `nil` before they are read, and for metadata that was given by hand.
    package var snapshot: Snapshot? { known }

    /// Takes the documents that an earlier process read, unless newer ones are known.
    package func restore(_ snapshot: Snapshot) {
        guard fixed == nil, known == nil, discovery == nil, snapshot.documents.server != nil else { return }
        known = snapshot
        missing = ServerMetadataRequest.Form.allCases.first { snapshot.documents[$0] == .absent }
    }

    /// The server's metadata.
    ///
    /// - Parameter form: The document to read first; the other one is read where that one is missing. Default: the one
    ///   that is known, or OpenID's.
    /// - Returns: The metadata, the cached one where that is fresh.
    /// - Throws: At stage `discovery`, when no document can be read and none is known; `configuration` when metadata
    ///   that was given by hand is another issuer's; `cancelled` when the caller's task is.
    package func server(
        _ form: ServerMetadataRequest.Form? = nil
    ) async throws(SignInError) -> AuthorizationServer {
        if let fixed { return try own(fixed) }
        if let known, !isReadingDue(known.read), let server = known.documents.server { return server }
        let task = discovery ?? startDiscovery(form)
        guard let result = await task.sharedValue() else { throw SignInError(.discovery, .cancelled) }
        return try result.get()
    }

    /// The server's metadata with an endpoint that is needed now: the second document is read for it where the first
    /// one lacks it.
    ///
    /// - Returns: Metadata without the endpoint, when no document names it.
    /// - Throws: At stage `discovery`, when a document that may name it cannot be read for a reason that may pass.
    package func server(
        with endpoint: AuthorizationServer.Endpoint,
        _ form: ServerMetadataRequest.Form? = nil
    ) async throws(SignInError) -> AuthorizationServer {
        let server = try await server(form)
        guard fixed == nil, !server.has(endpoint), let missing = missingForm else { return server }
        let task = completion ?? startCompletion(missing)
        guard let result = await task.sharedValue() else { throw SignInError(.discovery, .cancelled) }
        return try result.get() ?? server
    }

    /// The server's metadata for a refresh, however old it is: a refresh never waits for a document that is known.
    ///
    /// - Returns: The metadata, and whether it is due to be read again.
    package func serverAtAnyAge(
        _ form: ServerMetadataRequest.Form? = nil
    ) async throws(SignInError) -> (server: AuthorizationServer, isDue: Bool) {
        if let known, !isDoubted, let server = known.documents.server { return (server, isReadingDue(known.read)) }
        return (try await server(form), false)
    }

    /// Whether the metadata that is known is due to be read again.
    package var isReadingDue: Bool { known.map { fixed == nil && isReadingDue($0.read) } ?? false }

    /// Schedules the metadata to be read again at its next use, because an endpoint may have moved.
    package func doubt() { isDoubted = true }

    /// The metadata, read again for a response that does not agree with it, as often as responses may cause a request.
    package func serverReadAnew() async throws(SignInError) -> AuthorizationServer {
        if fixed == nil, forced.take(at: now()) { isDoubted = true }
        return try await server()
    }

    /// Reads the metadata again now.
    ///
    /// - Throws: An error at stage `discovery`; the known metadata stays.
    package func reread(_ form: ServerMetadataRequest.Form? = nil) async throws(SignInError) -> AuthorizationServer {
        if let fixed { return try own(fixed) }
        isDoubted = true
        failed = nil
        return try await server(form)
    }

    /// Metadata that was given by hand, if it is this issuer's: tokens of another one would not be checked as its own.
    private func own(_ server: AuthorizationServer) throws(SignInError) -> AuthorizationServer {
        guard server.issuer == issuer else {
            throw SignInError(
                .discovery,
                .configuration(
                    "The metadata given is of \(server.issuer), the client of \(issuer): give that of one issuer."
                )
            )
        }
        return server
    }

    private var missingForm: ServerMetadataRequest.Form? {
        ServerMetadataRequest.Form.allCases.first { known?.documents[$0] == .unread }
    }

    private func isReadingDue(_ read: Date) -> Bool {
        if let failed, abs(now().timeIntervalSince(failed)) < Self.retryPause { return false }
        return isDoubted || abs(now().timeIntervalSince(read)) >= Self.lifetime
    }

    /// The document to read first.
    private func firstForm(_ requested: ServerMetadataRequest.Form?) -> ServerMetadataRequest.Form {
        let form = requested ?? known?.documents.read ?? .openIDConnect
        return form == missing ? form.other : form
    }

    private func startDiscovery(_ form: ServerMetadataRequest.Form?) -> Task<
        Result<AuthorizationServer, SignInError>, Never
    > {
        // A task of its own: a caller that goes away does not take it from the others.
        let task = Task { await discover(firstForm(form)) }
        discovery = task
        return task
    }

    private func discover(_ form: ServerMetadataRequest.Form) async -> Result<AuthorizationServer, SignInError> {
        defer { discovery = nil }
        do throws(SignInError) {
            let (server, documents) = try await read(form)
            known = Snapshot(documents: documents, read: now())
            note(documents)
            isDoubted = false
            failed = nil
            return .success(server)
        } catch {
            guard let known, let server = known.documents.server,
                abs(now().timeIntervalSince(known.read)) <= Self.lifetime + Self.grace
            else { return .failure(error) }
            failed = now()
            return .success(server)
        }
    }

    private func read(_ form: ServerMetadataRequest.Form) async throws(SignInError) -> (
        AuthorizationServer, MetadataDocuments
    ) {
        do throws(SignInError) {
            let server = try await transport.perform(ServerMetadataRequest(issuer, form: form), in: context)
            return (server, MetadataDocuments(server, form))
        } catch {
            guard error.meansNoFirstDocument(of: form) else { throw error }
            let server: AuthorizationServer
            do throws(SignInError) {
                server = try await transport.perform(ServerMetadataRequest(issuer, form: form.other), in: context)
            } catch let second {
                throw second.saysMore(than: error) ? second : error
            }
            var documents = MetadataDocuments(server, form.other)
            documents[form] = .absent
            return (server, documents)
        }
    }

    /// Remembers the document that is missing, and forgets that one was that is there again.
    private func note(_ documents: MetadataDocuments) {
        for form in ServerMetadataRequest.Form.allCases {
            switch documents[form] {
            case .absent: missing = form
            case .read where missing == form: missing = nil
            default: break
            }
        }
    }

    private func startCompletion(
        _ form: ServerMetadataRequest.Form
    ) -> Task<Result<AuthorizationServer?, SignInError>, Never> {
        let task = Task { await complete(form) }
        completion = task
        return task
    }

    private func complete(_ form: ServerMetadataRequest.Form) async -> Result<AuthorizationServer?, SignInError> {
        defer { completion = nil }
        let document: MetadataDocuments.Document
        do throws(SignInError) {
            document = .read(try await transport.perform(ServerMetadataRequest(issuer, form: form), in: context))
        } catch {
            // An invalid second document counts as missing; a failure that may pass is retried at the next use.
            guard error.meansNoSecondDocument else { return .failure(error) }
            document = .absent
        }
        guard let known else { return .success(nil) }
        var documents = known.documents
        documents[form] = document
        self.known = Snapshot(documents: documents, read: known.read)
        note(documents)
        return .success(documents.server)
    }
}

extension SignInError {
    /// Whether the issuer has no first document of this form: it answers with a refusal, a page or a redirect.
    ///
    /// A document of OpenID Connect that names another issuer ends the discovery: the issuer was typed wrong.
    fileprivate func meansNoFirstDocument(of form: ServerMetadataRequest.Form) -> Bool {
        switch reason {
        case .mismatch: form == .oauth
        case .transport(.redirectRefused), .transport(.tooLarge): true
        default: meansNoSecondDocument
        }
    }

    /// Whether the issuer has no second document that can be used, whenever it is requested.
    fileprivate var meansNoSecondDocument: Bool {
        switch reason {
        case .server(let status): (400..<500).contains(status) && status != 408 && status != 429
        case .malformed, .mismatch: true
        default: false
        }
    }

    /// Whether this error, of the second document, says more than the one of the first: a document that is wrong says
    /// more than one that is not there, and a failure that may pass says more than both.
    fileprivate func saysMore(than first: SignInError) -> Bool {
        guard meansNoSecondDocument else { return true }
        return weight > first.weight
    }

    private var weight: Int {
        switch reason {
        case .server(status: 404): 0
        case .malformed: 2
        case .mismatch: 3
        default: 1
        }
    }
}
