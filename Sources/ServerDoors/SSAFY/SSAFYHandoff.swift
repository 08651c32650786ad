import HTTPTypes
import OstiaryCompatibility
public import OstiarySSAFY
public import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The endpoint at which a partner's backend receives codes from the app, and responds with the minimal result.
///
///     let handoff = try SSAFYHandoff(configuration, store: store, sealing: keys, transport: transport)
///     router.add(handoff, at: "/api/ssafy/verify")
///
/// The request's body is exactly `{code, codeVerifier, redirectUri, iss}`, and the response's
/// `{ok, verified, sub, cohort, campus, authTime}` or `{ok: false, errorCode, requestId}`. A code is redeemed at most
/// once; the same request gets the same response for two minutes. Where the service was not reached, or is too busy,
/// the code is not used up, and the same request tries again.
///
/// The member's `ServerVerificationRecord` is stored before the app gets its response.
public struct SSAFYHandoff: ServerEndpoint {
    /// The rate limits of the endpoint.
    public struct Limits: Sendable, Hashable {
        /// The limit of one sender, such as an address.
        public var sender: RateLimit
        /// The limit of all senders together: the rate that the service allows one client.
        public var total: RateLimit
        /// Makes the limits; by default 20 requests a minute of one sender and 600 of all.
        public init(
            sender: RateLimit = RateLimit(20, per: .seconds(60)),
            total: RateLimit = RateLimit(600, per: .seconds(60))
        ) {
            self.sender = sender
            self.total = total
        }
    }

    /// The store for verifications, codes and limits.
    public typealias Store = RedemptionStore & VerificationRecordStore & RateLimitStore

    private let configuration: SSAFYServerConfiguration
    private let store: any Store
    private let redemptions: CodeRedemptions
    private let redeemer: SSAFYRedeemer
    private let appGuard: NativeAppGuard
    private let limits: Limits
    private let limiter: RequestLimiter
    private let work = UncancelledWork()
    private let clock: DeviceClock
    private let report: @Sendable (VerificationErrorCode) -> Void

    /// Makes the endpoint.
    ///
    /// - Parameters:
    ///   - configuration: The partner's configuration in the developer portal.
    ///   - store: The store that all instances share.
    ///   - sealing: The keys that seal the responses stored for repeated requests.
    ///   - keys: The service's keys. Default: a source of their own.
    ///   - appGuard: The rule that admits an app's requests. Default: every request that no page in a browser sends.
    ///   - limits: The rate limits.
    ///   - transport: The HTTP transport for requests to the service.
    ///   - clock: The clock for time and waiting. Default: the system's.
    ///   - details: The details about a member that the response discloses besides cohort and campus, where their
    ///     scopes were granted. None of them is stored. Default: none, as the contract has it.
    ///   - events: Called for each refused request with its error code. Default: nothing is reported.
    ///   - admits: Examines the verified member, for example to match an account by `SSAFYMember(claims:
    ///     identity.claims).mattermostID`. A returned code is the response in place of the result, and nothing is
    ///     stored; `nil` admits the user. Default: every member is admitted.
    /// - Throws: `configuration`, with a sentence that names the fix.
    public init(
        _ configuration: SSAFYServerConfiguration,
        store: any Store,
        sealing: SealingKeys,
        keys: KeySource? = nil,
        appGuard: NativeAppGuard = NativeAppGuard(),
        limits: Limits = Limits(),
        transport: any HTTPTransport,
        clock: DeviceClock = .server,
        disclosing details: Set<SSAFYMember.Detail> = [],
        events: @escaping @Sendable (VerificationErrorCode) -> Void = { _ in },
        admitting admits: @escaping @Sendable (VerifiedIDToken) async -> VerificationErrorCode? = { _ in nil }
    ) throws(SignInError) {
        self.configuration = configuration
        self.store = store
        self.appGuard = appGuard
        self.limits = limits
        limiter = RequestLimiter(clock: clock)
        self.clock = clock
        report = events
        redemptions = CodeRedemptions(store: store, sealing: sealing, clock: clock)
        redeemer = try SSAFYRedeemer(
            configuration,
            keys: keys,
            store: store,
            transport: transport,
            clock: clock,
            disclosing: details,
            admitting: admits
        )
    }

    /// 8 KiB: the longest body that the contract allows, and some room.
    public var maximumBodyBytes: Int { 8192 }

    /// Waits until no code is being redeemed: before a process ends, and before its store is closed.
    ///
    /// A code is valid once, so a redemption continues when the app's connection breaks.
    public func settle() async { await work.settle() }

    /// Responds to a request of the app.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        let answer: SSAFYAnswer
        var added = HTTPFields()
        do throws(SSAFYAnswer) {
            added = try await admit(request)
            answer = try await checkedAnswer(to: request)
        } catch {
            answer = error
        }
        if let code = answer.code { report(code) }
        var response = answer.response
        response.reason = answer.code.map {
            RefusalReason($0.rawValue, concern: $0 == .tokenFailed ? .operator : .client)
        }
        for field in added { response.fields[field.name] = field.value }
        return response
    }

    /// Returns the refusal in the contract's form: `INVALID_REQUEST`.
    public func refusal(_ fault: RequestFault) -> ServerResponse {
        var answer = SSAFYAnswer(.invalidRequest).response
        answer.status = fault.status
        if fault == .method { answer.fields[.allow] = HTTPRequest.Method.post.rawValue }
        return answer
    }

    /// Counts a request and checks its sender before the body is read.
    ///
    /// The sender is counted first, so that checking proofs is limited as well. All senders are counted after the
    /// guard, so that browsers that a page directs here use up nothing of the apps' limit.
    ///
    /// - Returns: Fields for the response.
    private func admit(_ request: ServerRequest) async throws(SSAFYAnswer) -> HTTPFields {
        guard request.method == .post else { throw SSAFYAnswer(.invalidRequest) }
        let client = configuration.clientID
        if let sender = request.sender {
            try await count(limits.sender, StoreDigest("verification requests", [client, sender]))
        }
        let fields: HTTPFields
        switch await appGuard.verdict(on: request) {
        case .admitted(let added): fields = added
        case .forbidden: throw SSAFYAnswer(.requestForbidden)
        case .nonceRequired(let challenge):
            var answer = SSAFYAnswer(.requestForbidden, status: .unauthorized)
            answer.fields = challenge
            throw answer
        case .unavailable: throw SSAFYAnswer(.tokenFailed, status: .serviceUnavailable, retryAfter: 1)
        }
        try await count(limits.total, StoreDigest("verification requests", [client]))
        return fields
    }

    private func checkedAnswer(to request: ServerRequest) async throws(SSAFYAnswer) -> SSAFYAnswer {
        guard request.fields[.contentType].map(Self.isJSON) ?? false, request.body.count <= maximumBodyBytes,
            let asked = try? VerificationExchangeRequest(parsing: request.body)
        else { throw SSAFYAnswer(.invalidRequest) }
        guard asked.issuer == configuration.issuer else { throw SSAFYAnswer(.callbackIssuerMismatch) }
        guard configuration.isRegistered(asked.redirectURI) else { throw SSAFYAnswer(.redirectURIMismatch) }
        return try await redeemed(asked)
    }

    private func redeemed(_ asked: VerificationExchangeRequest) async throws(SSAFYAnswer) -> SSAFYAnswer {
        switch await work.finish({ await outcome(of: asked) }) {
        case .failure: throw SSAFYAnswer(.tokenFailed, status: .serviceUnavailable, retryAfter: 1)
        case .success(.answered(let bytes)):
            guard let answer = SSAFYAnswer(encoded: bytes) else { throw SSAFYAnswer(.tokenFailed) }
            return answer
        case .success(.used): throw SSAFYAnswer(.tokenInvalid)
        case .success(.underWay): throw SSAFYAnswer(.tokenFailed, status: .serviceUnavailable, retryAfter: 1)
        }
    }

    private func outcome(
        of asked: VerificationExchangeRequest
    ) async -> Result<CodeRedemptions.Outcome, StorageFailure> {
        let code = asked.code.reveal()
        let client = configuration.clientID
        do throws(StorageFailure) {
            let outcome = try await redemptions.outcome(
                code: StoreDigest("verification code", [client, code]),
                request: StoreDigest(
                    "verification request",
                    [
                        client, code, asked.codeVerifier.reveal(), asked.redirectURI.description,
                        asked.issuer.description,
                    ]
                )
            ) { () async throws(StorageFailure) in try await redeemer.redemption(of: asked) }
            return .success(outcome)
        } catch {
            return .failure(error)
        }
    }

    private func count(_ limit: RateLimit, _ name: StoreDigest) async throws(SSAFYAnswer) {
        let wait: Duration?
        do throws(StorageFailure) {
            wait = try await limiter.wait(limit, for: name, in: store)
        } catch {
            throw SSAFYAnswer(.tokenFailed, status: .serviceUnavailable, retryAfter: 1)
        }
        if let wait { throw SSAFYAnswer(.rateLimited, retryAfter: Int(wait.inSeconds.rounded(.up))) }
    }

    private static func isJSON(_ value: String) -> Bool {
        value.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased() == "application/json"
    }
}
