import OstiaryJOSE
import OstiaryOAuth

/// The requests for which a server grants `offline_access` (OpenID Connect Core section 11).
public enum OfflineAccessBehavior: Sendable, Hashable {
    /// Grants the scope to every client that may have refresh tokens.
    case granted
    /// Grants the scope only to a request with `prompt=consent`, and leaves it out of the others.
    case withConsentPrompt
    /// Never grants the scope, and leaves it out.
    case ignored
    /// Never; it is not in `scopes_supported`, and a request with it is refused with `invalid_scope`.
    case unknown
}

/// Scenarios for `offline_access`, and for scopes that a client adds without being asked.
extension Scenario {
    /// Leaves `offline_access` out of a request without `prompt=consent`, as node-oidc-provider does.
    public static let offlineAccessNeedsConsent = Scenario(name: "offline-access-needs-consent") {
        $0.manners = { $0.offlineAccess = .withConsentPrompt }
    }
    /// Leaves `offline_access` out of every request.
    public static let offlineAccessIgnored = Scenario(name: "offline-access-ignored") {
        $0.manners = { $0.offlineAccess = .ignored }
    }
    /// Grants `offline_access`, but issues no refresh token.
    public static let offlineAccessWithoutRefreshToken = Scenario(name: "offline-access-without-refresh-token") {
        $0.tokenResponse = { response, _ in response["refresh_token"] = nil }
    }
    /// Does not list `offline_access` in `scopes_supported`, and refuses a request with it as `invalid_scope`.
    public static let offlineAccessUnknown = Scenario(name: "offline-access-unknown") {
        $0.manners = { $0.offlineAccess = .unknown }
    }
}
