import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE

/// The attestation state per server: the last challenge of each issuer, and the last attestation that was rejected.
final class Attestations: Sendable {
    private struct State {
        var challenges: [String: String] = [:]
        var refused: Secret?
    }

    private let state = Lock(State())

    func challenge(of issuer: Issuer) -> String? { state.withLock { $0.challenges[issuer.description] } }

    /// The attestation that a server rejected because it requires a newer one.
    var refused: Secret? { state.withLock { $0.refused } }

    /// Stores a valid challenge for the next proof: at most 512 visible ASCII characters.
    @discardableResult
    func remember(_ challenge: String, of issuer: Issuer) -> Bool {
        let isUsable =
            (1...512).contains(challenge.utf8.count) && challenge.utf8.allSatisfy { 0x21...0x7E ~= $0 }
        guard NamedCheck.holds("client_attestation.challenge", isUsable) else { return false }
        state.withLock { $0.challenges[issuer.description] = challenge }
        return true
    }

    /// Stores the challenge of any response to a request with an attestation.
    ///
    /// - Returns: Whether the response carried a valid challenge.
    func remember(_ response: EndpointResponse, of issuer: Issuer) -> Bool {
        let values = response.fields[values: .clientAttestationChallenge]
        return values.count == 1 && remember(values[0], of: issuer)
    }

    func refuse(_ compact: String) { state.withLock { $0.refused = Secret(compact) } }
}
