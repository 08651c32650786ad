/// A specification that an issuer is held to, besides what every client needs.
package enum IssuerProfile: String, Sendable, CaseIterable {
    /// OAuth 2.1 (draft-ietf-oauth-v2-1).
    case oauth21 = "oauth2.1"
    /// Best current practice for OAuth 2.0 security (RFC 9700).
    case rfc9700
    /// FAPI 2.0 Security Profile.
    case fapi2
    /// OAuth 2.0 for native apps (RFC 8252).
    case native
}
