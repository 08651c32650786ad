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

/// Everything that the service answers, made of its configuration.
struct BackendRoutes: Sendable {
    private let store: BackendStore
    private let logger: Logger
    private let keys: [KeySource]
    private let cache = VerifiedTokenCache()
    private let resources: ResourceServers
    private let handOff: (path: String, endpoint: SSAFYHandOff)?
    private let signIns: [SignInRoutes]
    /// Which access tokens are taken no more, as all instances know it.
    let revocations: SharedRevocations
    private let clientAddress: BackendConfiguration.ClientAddress
    /// Half the time that the connection has, so that who is too slow hears of it.
    private let bodyDeadline: Duration

    /// - Throws: What cannot be put together, with a sentence that names the fix.
    init(_ configuration: BackendConfiguration, store: BackendStore, logger: Logger) throws {
        self.store = store
        self.logger = logger
        clientAddress = configuration.clientAddress
        bodyDeadline = .seconds(configuration.requestTime / 2)
        let transport = AsyncHTTPClientTransport()
        var keys: [Issuer: KeySource] = [:]
        for settings in configuration.resources {
            guard let issuer = settings.policy.issuers.first, let url = settings.keysURL else { continue }
            keys[issuer] = try KeySource(
                issuer: issuer,
                server: AuthorizationServer(issuer: issuer, jwksURI: URL(string: url)),
                transport: transport
            )
        }
        let issuers = configuration.resources.flatMap(\.policy.issuers) + configuration.signIns.map(\.issuer)
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
            reporting: { report in
                logger.warning("revoked tokens", metadata: ["report": .string("\(report)")])
            }
        )
        self.revocations = revocations
        resources = try ResourceServers(
            configuration,
            keys: self.keys,
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
                logger: logger
            )
        }
        handOff = try configuration.handOff.map { settings in
            let endpoint = try SSAFYHandOff(
                settings.configuration,
                store: store.store,
                sealing: configuration.sealing,
                limits: settings.limits,
                transport: transport,
                reporting: { code in
                    logger.info("hand-off refused", metadata: ["code": .string(code.rawValue)])
                }
            )
            return (settings.path, endpoint)
        }
    }

    /// The routes; `metrics` is where they count.
    func router(metrics: PrometheusRegistry) -> Router<BackendContext> {
        let router = Router(context: BackendContext.self)
        router.add(middleware: RequestIDMiddleware(clientAddress == .forwarded ? .proxy : .server))
        router.add(LivenessEndpoint(), at: "/health")
        router.add(ReadinessEndpoint([storeCheck] + keys.map(Self.keyCheck)), at: "/ready")
        router.add(PrometheusEndpoint(metrics, keys: keys, cache: cache), at: "/metrics")
        let sender = { @Sendable [clientAddress] (request: Request, context: BackendContext) in
            clientAddress.name(request, context)
        }
        if let handOff {
            router.add(handOff.endpoint, at: RouterPath(handOff.path), bodyDeadline: bodyDeadline, sender: sender)
        }
        for signIn in signIns { signIn.mount(on: router, bodyDeadline: bodyDeadline, sender: sender) }
        for document in resources.documents { router.add(document) }
        for route in resources.routes {
            let guarded = AccessTokenMiddleware<BackendContext>(
                route.resource,
                reporting: { [logger] refusal, context in
                    logger.info("request refused", metadata: Self.metadata(of: refusal, at: route.path, context))
                }
            )
            router.group(RouterPath(route.path)).add(middleware: guarded)
                .get { _, context in try Response(about: context.requireAccessToken()) }
        }
        return router
    }

    /// What the log says of a refusal; for a token of another form, which setting would take it.
    private static func metadata(
        of refusal: Authorization.Refusal,
        at path: String,
        _ context: BackendContext
    ) -> Logger.Metadata {
        var metadata = refusal.metadata
        metadata["path"] = .string(path)
        metadata["request_id"] = context.logger[metadataKey: "request_id"]
        if case .token(let token) = refusal.reason, let fitting = token.form?.fitting {
            metadata["setting"] = .string("\"tokens\": \"\(fitting)\"")
        }
        return metadata
    }

    /// Fetches the keys, so that the first request does not wait for them; what cannot be had is fetched when it is needed.
    func warm() async {
        await withTaskGroup(of: Void.self) { group in
            for source in keys { group.addTask { try? await source.warm() } }
        }
    }

    /// How an issuer's keys are.
    ///
    /// While there are none they are fetched here: an instance that gets no requests until it is ready would
    /// otherwise never have them.
    private static func keyCheck(_ source: KeySource) -> ReadinessEndpoint.Check {
        ReadinessEndpoint.Check("keys of \(source.issuer)") {
            if case .missing = source.state { try? await source.warm() }
            return switch source.state {
            case .fresh: .ready
            case .stale: .degraded
            case .missing: .unavailable
            }
        }
    }

    /// Whether the store answers; without it no instance should get requests.
    private var storeCheck: ReadinessEndpoint.Check {
        ReadinessEndpoint.Check("store") { [store] in
            do {
                try await store.check()
                return .ready
            } catch {
                return .unavailable
            }
        }
    }
}

extension Response {
    /// Who a token is of, and what it may do.
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
