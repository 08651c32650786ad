/// A device code, whether or not the user has decided yet (RFC 8628 section 3.4).
public struct DeviceCodeGrant: Grant {
    private let pending: PendingDeviceAuthorization

    init(_ pending: PendingDeviceAuthorization) { self.pending = pending }

    /// `urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 section 3.4).
    public static var type: String { "urn:ietf:params:oauth:grant-type:device_code" }
    /// Stage `device`.
    public static var stage: SignInError.Stage { .device }
    /// The device code, and the verifier of the proof key (RFC 7636 section 4.5); without `openid` also the one
    /// resource of the request (RFC 8707 section 2.2).
    public var parameters: Parameters {
        var parameters = Parameters([.deviceCode: pending.deviceCode.reveal()])
        parameters[.codeVerifier] = pending.request.proofKey?.verifier.reveal()
        parameters[.resource] = resource?.description
        return parameters
    }
    private var resource: ResourceIndicator? {
        ResourceIndicator.ofSignIn(scopes: pending.request.scopes, resources: pending.request.resources)
    }
    /// A sign-in; no `nonce` was sent, so none may come back.
    public var expectation: TokenResponse.Expectation {
        var expected = TokenResponse.Expectation.SignIn(scopes: pending.request.scopes, nonce: nil)
        expected.resource = resource
        return .signIn(expected)
    }
    /// The key that the tokens will be bound to.
    public var dpopKey: DPoPKey? { pending.dpopKey }
}
