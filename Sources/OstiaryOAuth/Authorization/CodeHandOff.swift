/// A code for the app's own backend, which redeems it: what the app may know, and nothing that it could redeem with.
///
/// ``PendingAuthorization/grant(from:)`` has checked the redirect that brought it. The backend authenticates as a
/// confidential client and checks the tokens (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
public struct CodeHandOff: Sendable, Hashable {
    /// The authorization code; good once, and soon no more.
    public let code: Secret
    /// What proves that the code comes from the one who asked for it (RFC 7636 section 4.1).
    public let codeVerifier: Secret
    /// The nonce that the ID token has to carry; `nil` when none was asked for (OpenID Connect Core section 3.1.2.1).
    public let nonce: Secret?
    /// Where the code came to; the token request repeats it.
    public let redirectURI: RedirectURI
    /// Who gave the code (RFC 9207).
    public let issuer: Issuer
}

extension AuthorizationGrant {
    /// Gives the code to whoever redeems it elsewhere, and with it the right to redeem it here.
    public consuming func handedOff() -> CodeHandOff {
        CodeHandOff(
            code: code,
            codeVerifier: pending.proofKey.verifier,
            nonce: pending.request.scopes.contains(.openID) ? pending.nonce : nil,
            redirectURI: pending.client.redirectURI,
            issuer: pending.server.issuer
        )
    }
}

extension CodeHandOff: CustomStringConvertible, CustomReflectable {
    /// The issuer; nothing of the code.
    public var description: String { "CodeHandOff(\(issuer))" }
    /// The issuer.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer.description]) }
}
