/// An authorization grant, redeemed for tokens at the token endpoint (RFC 6749 section 1.3).
public protocol Grant: ~Copyable, Sendable {
    /// The `grant_type`.
    static var type: String { get }
    /// The stage that its errors carry.
    static var stage: SignInError.Stage { get }
    /// The grant's own parameters; the client's are added by its authentication.
    var parameters: Parameters { get }
    /// The values that the token response is checked against.
    var expectation: TokenResponse.Expectation { get }
    /// The key that the tokens are, or will be, bound to; `nil` for bearer tokens.
    var dpopKey: DPoPKey? { get }
}
