/// A code for the app's own backend, which redeems it; the app cannot redeem it.
///
/// ``PendingAuthorization/grant(from:)`` has checked the redirect that brought it. The backend authenticates as a
/// confidential client and checks the tokens (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
public struct CodeHandoff: Sendable, Hashable {
    /// The authorization code, which is short-lived and can be redeemed once.
    public let code: Secret
    /// The proof that the code was issued to this client's request (RFC 7636 section 4.1).
    public let codeVerifier: Secret
    /// The nonce that the ID token must carry; `nil` when none was sent (OpenID Connect Core section 3.1.2.1).
    public let nonce: Secret?
    /// The redirect URI that received the code; the token request repeats it.
    public let redirectURI: RedirectURI
    /// The issuer of the code (RFC 9207).
    public let issuer: Issuer
}

extension AuthorizationCodeGrant {
    /// Returns the code for another party to redeem, and gives up the right to redeem it here.
    public consuming func handedOff() -> CodeHandoff {
        CodeHandoff(
            code: code,
            codeVerifier: pending.proofKey.verifier,
            nonce: pending.request.scopes.contains(.openID) ? pending.nonce : nil,
            redirectURI: pending.client.redirectURI,
            issuer: pending.server.issuer
        )
    }
}

extension CodeHandoff: CustomStringConvertible, CustomReflectable {
    /// The issuer; nothing of the code.
    public var description: String { "CodeHandoff(\(issuer))" }
    /// The issuer.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer.description]) }
}
