/// The behavior of a server towards the proof key of a device request (RFC 7636 in the flow of RFC 8628).
public enum DeviceProofKeyBehavior: Sendable, Hashable {
    /// Checks the verifier if the request had a challenge.
    case optional
    /// Refuses a request without a challenge.
    case required
    /// Refuses a request with a challenge.
    case rejected
}

extension Scenario {
    /// Refuses a device request without a code challenge, as a server does for a client that must use PKCE.
    public static let deviceProofKeyRequired = Scenario(name: "device-proof-key-required") {
        $0.deviceProofKeys = .required
    }
    /// Refuses a device request with a code challenge, with `invalid_request`.
    public static let deviceProofKeyRejected = Scenario(name: "device-proof-key-rejected") {
        $0.deviceProofKeys = .rejected
    }
}
