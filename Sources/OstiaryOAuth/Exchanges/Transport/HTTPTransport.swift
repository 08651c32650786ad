import HTTPTypes
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HTTPTransport {
    /// Performs an exchange: the only function that reaches the network.
    ///
    /// A URL that is neither https nor on a loopback host is rejected before anything is sent. A redirect is rejected
    /// when it arrives. A response over its limit is rejected even if the transport delivered it. A request is built
    /// and sent once more when the server requires a nonce in its proof (RFC 9449 section 8). The same happens once
    /// when the server rejects a proof or an assertion whose time proves to be wrong.
    ///
    /// - Parameters:
    ///   - exchange: The request to build and the response to read.
    ///   - context: The state shared with the other exchanges of this client.
    /// - Returns: The output of the exchange, read from the response.
    /// - Throws: The exchange's own error with every value of the request masked; `transport` at the exchange's stage
    ///   when no response came.
    public func perform<E: Exchange & ~Copyable>(
        _ exchange: borrowing E,
        in context: ExchangeContext
    ) async throws(SignInError) -> E.Output {
        var reasons: Set<RepetitionReason> = []
        while true {
            let attempt = try await attempt(exchange, in: context)
            guard let reason = attempt.reasonToRepeat(in: context),
                NamedCheck.holds("exchange.repeated_once", reasons.insert(reason).inserted)
            else {
                do throws(SignInError) {
                    return try exchange.output(from: attempt.response)
                } catch {
                    throw SentValues(attempt.request).masking(error)
                }
            }
        }
    }

    private func attempt<E: Exchange & ~Copyable>(
        _ exchange: borrowing E,
        in context: ExchangeContext
    ) async throws(SignInError) -> ExchangeAttempt {
        let stage = exchange.stage
        let (request, made): (EndpointRequest, Date)
        do throws(SignInError) {
            (request, made) = try await preparedRequest(of: exchange, in: context)
        } catch {
            var error = error
            error.isUnsent = true
            throw error
        }
        guard NamedCheck.holds("exchange.secure", URIParts(request.url)?.isSecureOrLoopback == true) else {
            throw SignInError(stage, .transport(.insecureURL))
        }
        let sent = context.clock.uptime()
        let response: EndpointResponse
        do throws(TransportFailure) {
            response = try await send(request)
            let isWithinLimit = response.body.count <= request.limits.maximumBodyBytes
            guard NamedCheck.holds("exchange.size", isWithinLimit) else { throw .tooLarge }
            let isAnswer =
                response.status.kind != .redirection || response.status == .notModified || exchange.readsRedirects
            guard NamedCheck.holds("exchange.redirect", isAnswer) else {
                throw .redirectRefused
            }
        } catch {
            context.report(RequestEvent(stage: stage, request: request, outcome: .failed(error)))
            throw SignInError(stage, error == .cancelled ? .cancelled : .transport(error))
        }
        context.clock.observe(response, to: request.method, sent: sent)
        context.report(
            RequestEvent(stage: stage, request: request, outcome: .answered(status: response.status.code))
        )
        let hasChallenge = request.attestedFor.map { context.attestations.remember(response, of: $0) } ?? false
        let hasNonce = request.serverRole.map { context.nonces.remember(response, to: request.url, as: $0) } ?? false
        return ExchangeAttempt(
            request: request,
            made: made,
            response: response,
            broughtNonce: hasNonce,
            broughtChallenge: hasChallenge
        )
    }

    /// Returns the request after its preparation: an attestation, and the challenge for its proof.
    private func preparedRequest<E: Exchange & ~Copyable>(
        of exchange: borrowing E,
        in context: ExchangeContext
    ) async throws(SignInError) -> (EndpointRequest, made: Date) {
        for _ in 0...Self.preparations {
            let draft = try request(of: exchange, in: context)
            guard let preparation = draft.preparation else { return (draft.request, draft.made) }
            do throws(SignInError) {
                try await preparation(self, context)
            } catch {
                var reason = error.reason
                // Another endpoint's refusal says nothing about the grant of this exchange.
                if case .refused(var refusal) = reason {
                    refusal.consequence = .none
                    reason = .refused(refusal)
                }
                throw SignInError(
                    exchange.stage,
                    reason,
                    retryAfter: error.retryAfter,
                    requestID: error.requestID
                )
            }
        }
        throw SignInError(exchange.stage, .configuration("The client's attester gives nothing that the server takes."))
    }

    private static var preparations: Int { 3 }

    /// Not asynchronous: the fresh values do not outlive the building of one request.
    private func request<E: Exchange & ~Copyable>(
        of exchange: borrowing E,
        in context: ExchangeContext
    ) throws(SignInError) -> (request: EndpointRequest, made: Date, preparation: Freshness.Preparation?) {
        var fresh = context.freshness()
        do throws(SignInError) {
            return (try exchange.request(&fresh), fresh.now, fresh.preparation)
        } catch {
            switch error.reason {
            // The key that signs the request does not know the exchange's stage.
            case .keyLost, .storage: throw SignInError(exchange.stage, error.reason)
            default: throw error
            }
        }
    }
}

/// The reason a request is built and sent once more.
private enum RepetitionReason {
    case nonce, clock, challenge, attestation
}

/// One request and its response.
private struct ExchangeAttempt {
    let request: EndpointRequest
    /// The time of the request, by the clock at that moment.
    let made: Date
    let response: EndpointResponse
    let broughtNonce: Bool
    let broughtChallenge: Bool

    func reasonToRepeat(in context: ExchangeContext) -> RepetitionReason? {
        guard response.status.kind == .clientError, request.isTimeBound else { return nil }
        // A resource server challenges in WWW-Authenticate (RFC 9449 section 9), whatever the body says.
        let codes = response.errorCodes
        if codes.contains(.useDPoPNonce) { return request.fields[.dpop] != nil && broughtNonce ? .nonce : nil }
        if codes.contains(.useAttestationChallenge) { return broughtChallenge ? .challenge : nil }
        if codes.contains(.useFreshAttestation) {
            guard let refused = request.fields[.clientAttestation] else { return nil }
            context.attestations.refuse(refused)
            return .attestation
        }
        guard !codes.isDisjoint(with: [.invalidDPoPProof, .invalidClient]) else { return nil }
        let difference = abs(context.clock.now.timeIntervalSince(made))
        return difference > ServerClock.Offset.insignificant ? .clock : nil
    }
}

extension EndpointRequest {
    /// Whether it says when it was made: in a proof or in an assertion.
    fileprivate var isTimeBound: Bool {
        fields[.dpop] != nil || fields[.clientAttestation] != nil || form[.clientAssertion] != nil
    }
}

/// Sends one HTTP request and returns its response.
///
/// `HTTPTransportCheck` of the testing kit checks every promise of a transport. Redirects are returned, not followed;
/// cookies and caches are off. The request's body limit and whole-exchange deadline hold. Cancelling the task ends the
/// exchange.
public protocol HTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// - Throws: The failure; a partial response is discarded.
    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse
}
