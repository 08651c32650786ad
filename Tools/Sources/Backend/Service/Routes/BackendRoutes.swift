import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import OstiaryAsyncHTTPClient
import OstiaryHummingbird
import OstiaryOAuth
import OstiarySSAFYServer
import OstiaryServer
import Tracing

/// All routes of the service, made from its configuration.
struct BackendRoutes: Sendable {
    private let store: BackendStore
    private let logger: Logger
    private let tracer: (any Tracer)?
    private let keys: [KeySource]
    private let cache = VerifiedTokenCache()
    private let resources: ResourceServers
    private let handoff: (path: String, endpoint: SSAFYHandoff)?
    private let signIns: [SignInRoutes]
    private let browser: BrowserRoutes?
    /// The revoked access tokens, as all instances know them.
    let revocations: SharedRevocations
    private let configuration: BackendConfiguration
    /// Half the connection's limit, so that a client that is too slow gets a response.
    private let bodyDeadline: Duration

    /// - Throws: An error that names the setting and the fix.
    init(
        _ configuration: BackendConfiguration,
        store: BackendStore,
        tracer: (any Tracer)? = nil,
        logger: Logger
    ) throws {
        self.store = store
        self.tracer = tracer
        self.logger = logger
        self.configuration = configuration
        bodyDeadline = configuration.requestTime / 2
        // A slow API must not take connections of the issuers.
        let transport = MeasuredTransport(
            TracedTransport(
                AsyncHTTPClientTransport(connectionsPerHost: configuration.issuerConnections),
                tracer: tracer
            )
        )
        let forwarding = TracedTransport(
            AsyncHTTPClientTransport(connectionsPerHost: configuration.forwardConnections),
            to: .apis,
            tracer: tracer
        )
        var keys: [Issuer: KeySource] = [:]
        for settings in configuration.resources {
            guard let issuer = settings.policy.issuers.first, let url = settings.keysURL else { continue }
            keys[issuer] = try KeySource(
                issuer: issuer,
                server: AuthorizationServer(issuer: issuer, jwksURI: URL(string: url)),
                transport: transport
            )
        }
        if let settings = configuration.handoff?.configuration, keys[settings.issuer] == nil {
            // logi publishes no metadata; its keys are fetched before the first code is redeemed.
            keys[settings.issuer] = try KeySource(
                issuer: settings.issuer,
                server: settings.server,
                transport: transport
            )
        }
        let issuers =
            configuration.resources.flatMap(\.policy.issuers) + configuration.signIns.map(\.issuer)
            + [configuration.browser?.issuer].compactMap(\.self)
        for issuer in issuers where keys[issuer] == nil {
            keys[issuer] = try KeySource(issuer: issuer, transport: transport)
        }
        self.keys = keys.values.sorted { $0.issuer.description < $1.issuer.description }
        let proofs = try ProofChecking(
            origins: configuration.origins,
            replays: store.store,
            nonces: configuration.nonces
        )
        let revoked = RevokedTokens(
            longestLifetime: configuration.longestTokenLifetime,
            maximumCount: configuration.maximumRevocations
        )
        let revocations = SharedRevocations(
            of: revoked,
            in: store.store,
            events: { report in
                logger.warning("revoked tokens", metadata: ["report": .string("\(report)")])
            }
        )
        self.revocations = revocations
        resources = try ResourceServers(
            configuration,
            keys: self.keys,
            introspectors: Self.introspectors(configuration, keys: keys, transport: transport),
            proofs: proofs,
            cache: cache,
            revoked: revoked
        )
        signIns = try configuration.signIns.compactMap { settings in
            guard let source = keys[settings.issuer] else { return nil }
            return try SignInRoutes(
                settings,
                keys: source,
                store: store.store,
                sealing: configuration.sealing,
                proofs: proofs,
                revocations: revocations,
                transport: transport,
                forwarding: forwarding,
                logger: logger
            )
        }
        let others = signIns.map(\.sessions)
        browser = try configuration.browser.flatMap { settings in
            guard let source = keys[settings.issuer] else { return nil }
            return try BrowserRoutes(
                settings,
                keys: source,
                store: store.store,
                sealing: configuration.sealing,
                proofs: proofs,
                revocations: revocations,
                others: others,
                transport: transport,
                forwarding: forwarding,
                logger: logger
            )
        }
        handoff = try configuration.handoff.map { settings in
            let endpoint = try SSAFYHandoff(
                settings.configuration,
                store: store.store,
                sealing: configuration.sealing,
                keys: keys[settings.configuration.issuer],
                limits: settings.limits,
                transport: transport
            )
            return (settings.path, endpoint)
        }
    }

    /// The introspection clients, one for each issuer with introspection settings.
    private static func introspectors(
        _ configuration: BackendConfiguration,
        keys: [Issuer: KeySource],
        transport: any HTTPTransport
    ) throws(SignInError) -> [TokenIntrospector] {
        var introspectors: [TokenIntrospector] = []
        for resource in configuration.resources {
            guard let issuer = resource.policy.issuers.first, let settings = resource.introspection,
                let source = keys[issuer], !introspectors.contains(where: { $0.issuer == issuer })
            else { continue }
            introspectors.append(
                try TokenIntrospector(
                    keys: source,
                    clientID: settings.clientID,
                    authentication: settings.credentials.authentication,
                    transport: transport
                )
            )
        }
        return introspectors
    }

    /// The public routes; `metrics` counts them.
    func router(metrics: PrometheusMetrics) -> Router<BackendContext> {
        let router = Router(context: BackendContext.self)
        if let proxies = TrustedProxies(configuration) { router.add(middleware: proxies) }
        let hasProxy = configuration.clientAddress == .forwarded || configuration.trustedProxies != nil
        router.add(middleware: RequestIDMiddleware(hasProxy ? .proxy : .server))
        router.add(middleware: RequestSpanMiddleware(tracer: tracer))
        router.add(middleware: MetricsMiddleware())
        router.add(LivenessEndpoint(), at: "/health")
        if configuration.admin == nil { addAdmin(to: router, metrics) }
        let sender = { @Sendable [configuration] (request: Request, context: BackendContext) in
            configuration.sender(of: request, context)
        }
        if let handoff {
            router.add(handoff.endpoint, at: RouterPath(handoff.path), bodyDeadline: bodyDeadline, sender: sender)
        }
        // A logout of the issuer ends the sessions of all its clients, and each of them revokes its own tokens.
        let clients = sessions
        for signIn in signIns {
            signIn.mount(on: router, clients: clients, bodyDeadline: bodyDeadline, sender: sender)
        }
        browser?.mount(
            on: router,
            clients: clients,
            proxies: configuration.trustedProxies,
            bodyDeadline: bodyDeadline,
            sender: sender
        )
        for document in resources.documents { router.add(document) }
        for route in resources.routes {
            let guarded = AccessTokenMiddleware<BackendContext>(
                route.resource,
                events: { refusal, context in
                    context.logger.log(
                        level: refusal.level,
                        "request refused",
                        metadata: Self.metadata(of: refusal, at: route.path)
                    )
                }
            )
            router.group(RouterPath(route.path)).add(middleware: guarded)
                .get { _, context in try Response(about: context.requireAccessToken()) }
        }
        return router
    }

    /// The routes of the admin port.
    func adminRouter(metrics: PrometheusMetrics) -> Router<BackendContext> {
        let router = Router(context: BackendContext.self)
        router.add(LivenessEndpoint(), at: "/health")
        addAdmin(to: router, metrics)
        return router
    }

    private func addAdmin(to router: Router<BackendContext>, _ metrics: PrometheusMetrics) {
        router.add(ReadinessEndpoint([storeCheck] + keyChecks, validFor: .seconds(1)), at: "/ready")
        let standing = StandingMetrics(keys: keys, cache: cache, connections: store.connections, factory: metrics)
        router.add(PrometheusEndpoint(metrics: metrics, standing: standing), at: "/metrics")
    }

    /// The sessions of all clients.
    var sessions: [ServerSessions] { signIns.map(\.sessions) + [browser?.sessions].compactMap(\.self) }

    /// The issuers of the configuration, by name.
    var issuers: [Issuer] { keys.map(\.issuer) }

    /// Ends every session of a user at an issuer, and revokes the user's tokens.
    ///
    /// - Returns: The number of sessions.
    func endSessions(of subject: String, at issuer: Issuer) async throws(StorageFailure) -> Int {
        try await ServerSessions.endAll(
            of: subject,
            at: issuer,
            in: store.store,
            revokingTokensOf: sessions,
            revocations: revocations
        )
    }

    /// Waits until no refresh, no sign-in and no redemption of a code is under way any more.
    func settle() async {
        await handoff?.endpoint.settle()
        for sessions in sessions { await sessions.settle() }
    }

    /// The log's sentence for a rejection; for a token of another format it names the setting that accepts it.
    private static func metadata(
        of refusal: Authorization.Refusal,
        at path: String
    ) -> Logger.Metadata {
        var metadata = refusal.metadata
        metadata["path"] = .string(path)
        metadata["status"] = .stringConvertible(refusal.status.code)
        if case .token(let token) = refusal.reason, let fitting = token.form?.fitting {
            metadata["setting"] = .string("\"tokens\": \"\(fitting)\"")
        }
        return metadata
    }

    /// Fetches the keys in advance, so that the first request does not wait for them; a failed fetch is repeated on
    /// demand.
    func warm() async {
        await withTaskGroup(of: Void.self) { group in
            for source in keys { group.addTask { await warm(source) } }
        }
    }

    /// Fetches an issuer's keys, and logs a failure while there are none.
    private func warm(_ source: KeySource) async {
        do throws(SignInError) {
            try await source.warm()
        } catch {
            guard case .missing = source.state else { return }
            logger.warning(
                "no keys",
                metadata: ["issuer": .string("\(source.issuer)"), "failure": .string("\(error)")]
            )
        }
    }

    /// The state of the issuers' key sets: a missing key set does not make an instance unready for the other issuers.
    ///
    /// A missing key set is fetched here: an instance that gets no requests until it is ready would otherwise never
    /// fetch it.
    private var keyChecks: [ReadinessEndpoint.Check] {
        keys.map { source in
            ReadinessEndpoint.Check("keys of \(source.issuer)") { [keys] in
                if case .missing = source.state { Task { await warm(source) } }
                switch source.state {
                case .fresh: return .ready
                case .stale: return .degraded
                case .missing:
                    let isAlone = keys.allSatisfy { if case .missing = $0.state { true } else { false } }
                    return isAlone ? .unavailable : .degraded
                }
            }
        }
    }

    /// Whether the store answers; without it no instance should get requests.
    private var storeCheck: ReadinessEndpoint.Check {
        ReadinessEndpoint.Check("store") { [store, logger] in
            do {
                let offset = try await store.check()
                guard abs(offset / .seconds(1)) >= BackendStore.noticeableOffset / .seconds(1) else { return .ready }
                logger.warning("clock", metadata: ["database_ahead_seconds": .string("\(offset / .seconds(1))")])
                return .degraded
            } catch {
                logger.warning("not ready", metadata: ["failure": .string("\(error)")])
                return .unavailable
            }
        }
    }
}

extension Response {
    /// Describes a token's subject and scopes.
    fileprivate init(about token: VerifiedAccessToken) {
        var members: JSONObject = [
            "sub": .string(token.subject), "iss": token.claims["iss"] ?? .null,
            "client_id": token.clientID.isEmpty ? .null : .string(token.clientID),
        ]
        members["scope"] = .string(token.scopes.text)
        self.init(
            status: .ok,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: members.encoded()))
        )
    }
}
