import HTTPTypes
public import OstiarySSAFY
public import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The place at which a partner's backend takes codes from the app, and answers with the minimal result.
///
///     let handoff = try SSAFYHandoff(configuration, store: store, sealing: keys, transport: transport)
///     router.add(handoff, at: "/api/ssafy/verify")
///
/// The body is exactly `{code, codeVerifier, redirectUri, iss}`, and the answer `{ok, verified, sub, cohort, campus, authTime}`, or
/// `{ok: false, errorCode, requestId}`. A code is redeemed at most once; the same request hears the same answer for two minutes. Where the
/// service was not reached, or is too busy, the code is not used: the same request tries again.
///
/// A `ServerVerificationRecord` of the person is stored before the app gets its answer.
public struct SSAFYHandoff: ServerEndpoint {
    /// How often somebody may ask.
    public struct Limits: Sendable, Hashable {
        /// One sender, such as an address.
        public var sender: RateLimit
        /// All of them: what the service takes of one client.
        public var total: RateLimit
        /// 20 a minute of one sender and 600 of all unless told otherwise.
        public init(sender: RateLimit = RateLimit(20, per: 60), total: RateLimit = RateLimit(600, per: 60)) {
            self.sender = sender
            self.total = total
        }
    }

    /// Where verifications, codes and limits are kept.
    public typealias Store = RedemptionStore & VerificationRecordStore & RateLimitStore

    private let configuration: SSAFYServerConfiguration
    private let store: any Store
    private let redemptions: CodeRedemptions
    private let redeemer: SSAFYRedeemer
    private let appGuard: NativeAppGuard
    private let limits: Limits
    private let clock: DeviceClock
    private let report: @Sendable (VerificationErrorCode) -> Void

    /// Makes the place.
    ///
    /// - Parameters:
    ///   - configuration: What the portal has on the partner.
    ///   - store: One that all instances share.
    ///   - sealing: Seals the answers that are kept for repeated requests.
    ///   - keys: The service's keys. Default: a source of its own.
    ///   - appGuard: Which requests are an app's. Default: all that no page in a browser sends.
    ///   - limits: How often somebody may ask.
    ///   - transport: What carries requests to the service.
    ///   - clock: The time, and the waiting. Default: the system's.
    ///   - report: Called for each request that is refused, with the code that it is told. Default: nobody is told.
    ///   - details: The details about a member that the app is told besides cohort and campus, where their scopes were
    ///     granted. Nothing of them is kept. Default: none, as the contract has it.
    ///   - admits: Looks at who was verified, for example to match an account by `SSAFYMember(claims: identity.claims).mattermostID`.
    ///     The code that it returns is answered in the place of the result, and nothing is kept; `nil` admits the user. Default:
    ///     every member is admitted.
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
        reporting report: @escaping @Sendable (VerificationErrorCode) -> Void = { _ in },
        admitting admits: @escaping @Sendable (VerifiedIDToken) async -> VerificationErrorCode? = { _ in nil }
    ) throws(SignInError) {
        self.configuration = configuration
        self.store = store
        self.appGuard = appGuard
        self.limits = limits
        self.clock = clock
        self.report = report
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

    /// 8 KiB: the longest body that the contract allows, with room.
    public var maximumBodyBytes: Int { 8192 }

    /// Answers a request of the app.
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

    /// The refusal in the contract's words: `INVALID_REQUEST`.
    public func refusal(_ fault: RequestFault) -> ServerResponse {
        var answer = SSAFYAnswer(.invalidRequest).response
        answer.status = fault.status
        if fault == .method { answer.fields[.allow] = HTTPRequest.Method.post.rawValue }
        return answer
    }

    /// Counts a request and looks at who sends it, before anything in it is read.
    ///
    /// The sender is counted first, so that checking proofs is limited too; all of them after the guard, so that pages that make
    /// browsers ask use up nothing of the apps'.
    ///
    /// - Returns: Fields for the answer.
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
        let code = asked.code.reveal()
        let client = configuration.clientID
        let outcome: CodeRedemptions.Outcome
        do throws(StorageFailure) {
            outcome = try await redemptions.outcome(
                code: StoreDigest("verification code", [client, code]),
                request: StoreDigest(
                    "verification request",
                    [
                        client, code, asked.codeVerifier.reveal(), asked.redirectURI.description,
                        asked.issuer.description,
                    ]
                )
            ) { () async throws(StorageFailure) in try await redeemer.redemption(of: asked) }
        } catch {
            throw SSAFYAnswer(.tokenFailed, status: .serviceUnavailable, retryAfter: 1)
        }
        switch outcome {
        case .answered(let bytes):
            guard let answer = SSAFYAnswer(encoded: bytes) else { throw SSAFYAnswer(.tokenFailed) }
            return answer
        case .used: throw SSAFYAnswer(.tokenInvalid)
        case .underWay: throw SSAFYAnswer(.tokenFailed, status: .serviceUnavailable, retryAfter: 1)
        }
    }

    private func count(_ limit: RateLimit, _ name: StoreDigest) async throws(SSAFYAnswer) {
        let answer: RateLimitAnswer
        do throws(StorageFailure) {
            answer = try await store.take(limit, for: name, now: clock.now())
        } catch {
            throw SSAFYAnswer(.tokenFailed, status: .serviceUnavailable, retryAfter: 1)
        }
        if case .limited(let seconds) = answer {
            throw SSAFYAnswer(.rateLimited, retryAfter: Int(seconds.rounded(.up)))
        }
    }

    private static func isJSON(_ value: String) -> Bool {
        value.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased() == "application/json"
    }
}
