/// The behaviour of a server at the proof key of a device request (RFC 7636 in the flow of RFC 8628).
public enum DeviceProofKeyBehavior: Sendable, Hashable {
    /// It checks the verifier of a request that had a challenge.
    case optional
    /// It refuses a request without a challenge.
    case required
    /// It refuses a request with a challenge.
    case rejected
}

extension Scenario {
    /// A device request without a code challenge is refused, as a server does for a client of which it requires PKCE.
    public static let deviceProofKeyRequired = Scenario(name: "device-proof-key-required") {
        $0.deviceProofKeys = .required
    }
    /// A device request with a code challenge is refused with `invalid_request`.
    public static let deviceProofKeyRejected = Scenario(name: "device-proof-key-rejected") {
        $0.deviceProofKeys = .rejected
    }
}
