import HTTPTypes
import OstiaryCompatibility
import OstiarySSAFY
import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Redeems a code, checks the verification token, and stores the member's record.
struct SSAFYRedeemer {
    private let configuration: SSAFYServerConfiguration
    private let keys: KeySource
    private let verifier: IDTokenVerifier
    private let store: any VerificationRecordStore
    private let transport: any HTTPTransport
    private let context: ExchangeContext
    private let clock: DeviceClock
    private let details: Set<SSAFYMember.Detail>
    private let admits: @Sendable (VerifiedIDToken) async -> VerificationErrorCode?

    init(
        _ configuration: SSAFYServerConfiguration,
        keys: KeySource?,
        store: any VerificationRecordStore,
        transport: any HTTPTransport,
        clock: DeviceClock,
        disclosing details: Set<SSAFYMember.Detail>,
        admitting admits: @escaping @Sendable (VerifiedIDToken) async -> VerificationErrorCode?
    ) throws(SignInError) {
        self.configuration = configuration
        self.store = store
        self.transport = transport
        self.details = details
        self.admits = admits
        self.clock = clock
        if let keys {
            self.keys = keys
        } else {
            self.keys = try KeySource(
                issuer: configuration.issuer,
                server: configuration.server,
                transport: transport,
                clock: clock
            )
        }
        verifier = try IDTokenVerifier(policy: configuration.policy, keys: self.keys, clock: clock)
        context = ExchangeContext(clock: ServerClock(clock), random: { SystemRandomNumberGenerator() })
    }

    /// Returns the response to the app, and whether it uses up the code.
    ///
    /// - Throws: The store's error when it does not store the verified member; the app gets no response then.
    func redemption(
        of asked: VerificationExchangeRequest
    ) async throws(StorageFailure) -> CodeRedemptions.Redemption {
        // A code is valid once: the keys for its token are there before it is presented.
        guard await hasKeys() else {
            return .postponed(SSAFYAnswer(.tokenFailed, status: .serviceUnavailable, retryAfter: 1).encoded)
        }
        let token: Secret
        do throws(SignInError) {
            let exchange = SSAFYTokenRequest(request: asked, configuration: configuration)
            switch try await transport.perform(exchange, in: context) {
            case .token(let found): token = found
            case .refused(let refusal):
                let answer = Self.answer(to: refusal)
                return refusal.isOfAnUntouchedCode ? .postponed(answer.encoded) : .settled(answer.encoded)
            }
        } catch {
            switch error.reason {
            case .transport(.unreachable), .transport(.unknownHost):
                return .postponed(SSAFYAnswer(.tokenFailed, retryAfter: 1).encoded)
            default: return .settled(SSAFYAnswer(.tokenFailed).encoded)
            }
        }
        return .settled(try await answer(to: token).encoded)
    }

    /// The time for which storing a verified member is retried, in seconds.
    private static let savingTime: Double = 20

    private func hasKeys() async -> Bool {
        try? await keys.warm()
        return if case .missing = keys.state { false } else { true }
    }

    private func answer(to token: Secret) async throws(StorageFailure) -> SSAFYAnswer {
        let identity: VerifiedIDToken
        do throws(IDTokenFailure) {
            identity = try await verifier.verify(token)
        } catch {
            return switch error {
            case .refused: SSAFYAnswer(.tokenInvalid)
            case .keysUnavailable: SSAFYAnswer(.tokenFailed)
            }
        }
        if let code = await admits(identity) { return SSAFYAnswer(code) }
        let member = SSAFYMember(claims: identity.claims, issuer: configuration.issuer.description)
        let result = VerificationResult(
            subject: identity.subject,
            cohort: member.cohort,
            campus: member.campus,
            authenticated: identity.authenticatedAt ?? .distantPast,
            additionalMembers: member.members(details)
        )
        let record = ServerVerificationRecord(
            verified: true,
            subject: result.subject,
            cohort: result.cohort,
            campus: result.campus,
            verifiedAt: result.authenticated
        )
        try await clock.repeating(until: clock.now().addingTimeInterval(Self.savingTime)) {
            () async throws(StorageFailure) in try await store.save(record)
        }
        return SSAFYAnswer(result)
    }

    /// Returns the service's own code and status; a refusal that cannot be read becomes `VERIFY_TOKEN_FAILED`.
    ///
    /// A caller that may retry gets a Retry-After even where the service sent none.
    private static func answer(to refusal: SSAFYServiceRefusal) -> SSAFYAnswer {
        let wait = refusal.retryAfter.map { Int($0.inSeconds.rounded(.up)) } ?? (refusal.isOfAnUntouchedCode ? 1 : nil)
        guard let code = refusal.code, (400...599).contains(refusal.status) else {
            guard refusal.isOfAnUntouchedCode else { return SSAFYAnswer(.tokenFailed) }
            return SSAFYAnswer(
                refusal.status == 429 ? .rateLimited : .tokenFailed,
                status: HTTPResponse.Status(code: refusal.status),
                retryAfter: wait
            )
        }
        return SSAFYAnswer(
            code,
            status: HTTPResponse.Status(code: refusal.status),
            retryAfter: wait,
            requestID: refusal.requestID
        )
    }
}
