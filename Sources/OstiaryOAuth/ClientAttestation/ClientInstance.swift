import OstiaryCompatibility
public import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One installation of an app: its key, and its attestation.
///
/// An instance is for one authorization server and one client: with a key for each server, two servers cannot find out
/// that they see the same phone. (draft-ietf-oauth-attestation-based-client-auth-10)
public final class ClientInstance: Sendable {
    /// The key that attestations are bound to, and that signs each proof.
    public let key: SigningKey
    private let attester: ClientAttester
    private let state = Lock(State())

    private struct State {
        var attestation: HeldAttestation?
        /// The time until which an attestation is used after its renewal failed, by the server's clock.
        var patience = 0.0
        var renewal: Task<Result<HeldAttestation, SignInError>, Never>?
    }

    /// Makes an instance without contacting the attester.
    ///
    /// - Parameters:
    ///   - key: Kept for as long as refresh tokens must stay valid, since servers bind them to it.
    ///   - attester: Called when there is no attestation, or when it has expired or is about to.
    public init(key: SigningKey, attester: ClientAttester) {
        self.key = key
        self.attester = attester
    }

    /// The cached attestation; `nil` when a new one must be requested.
    func attestation(at now: Date) -> HeldAttestation? {
        state.withLock { state in
            guard let held = state.attestation else { return nil }
            let isPatient = held.isGood(at: now) && now.timeIntervalSince1970 < state.patience
            return held.lasts(at: now) || isPatient ? held : nil
        }
    }

    /// Requests a new attestation, once for all concurrent callers.
    ///
    /// `refused` is the attestation that a server rejected; it is not used again.
    func renew(for clientID: String, now: Date, replacing refused: Secret?) async throws(SignInError) {
        let request = ClientAttester.Request(clientID: clientID, publicKey: key.publicKey)
        let attester = attester
        let task = state.withLock { state in
            if let held = state.attestation, held.compact == refused { state.attestation = nil }
            if let renewal = state.renewal { return renewal }
            let renewal = Task<Result<HeldAttestation, SignInError>, Never> {
                do throws(SignInError) {
                    return .success(try HeldAttestation(try await attester.attest(request), for: request, now: now))
                } catch {
                    return .failure(error)
                }
            }
            state.renewal = renewal
            return renewal
        }
        let result = await task.value
        try state.withLock { (state) throws(SignInError) in
            if state.renewal == task { state.renewal = nil }
            switch result {
            case .success(let new): state.attestation = new
            case .failure(let error):
                // An attestation that has not expired is used a little longer: an unreachable attester signs no user
                // out.
                guard error.recovery == .retry, state.attestation?.isGood(at: now) ?? false else { throw error }
                state.patience = now.timeIntervalSince1970 + Self.pause
            }
        }
    }

    /// The pause after a failed renewal, in seconds.
    private static let pause: Double = 10
}
