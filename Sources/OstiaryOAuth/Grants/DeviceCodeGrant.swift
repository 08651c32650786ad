/// A device code, whether or not the person has answered yet (RFC 8628 section 3.4).
public struct DeviceCodeGrant: Grant {
    private let pending: PendingDeviceAuthorization

    init(_ pending: PendingDeviceAuthorization) { self.pending = pending }

    /// `urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 section 3.4).
    public static var type: String { "urn:ietf:params:oauth:grant-type:device_code" }
    /// Stage `device`.
    public static var stage: SignInError.Stage { .device }
    /// The device code.
    public var parameters: Parameters { Parameters([.deviceCode: pending.deviceCode.reveal()]) }
    /// A sign-in; no `nonce` was sent, so none may come back.
    public var expectation: TokenExpectation {
        .signIn(TokenExpectation.SignIn(scopes: pending.request.scopes, nonce: nil))
    }
    /// The key that the tokens will be bound to.
    public var dpopKey: DPoPKey? { pending.dpopKey }
}
