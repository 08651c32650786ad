import OstiaryJOSE
import OstiaryOAuth

/// When a server grants `offline_access` (OpenID Connect Core section 11).
public enum OfflineAccessBehavior: Sendable, Hashable {
    /// To every client that may have refresh tokens.
    case granted
    /// Only to a request with `prompt=consent`; it is left out of the others.
    case withConsentPrompt
    /// Never; it is left out.
    case ignored
    /// Never; it is not in `scopes_supported`, and a request with it is refused with `invalid_scope`.
    case unknown
}

/// Manners of servers with `offline_access` and with scopes that a client adds by itself.
extension Scenario {
    /// `offline_access` is left out of a request without `prompt=consent`, as node-oidc-provider does.
    public static let offlineAccessNeedsConsent = Scenario(name: "offline-access-needs-consent") {
        $0.manners = { $0.offlineAccess = .withConsentPrompt }
    }
    /// `offline_access` is left out of every request.
    public static let offlineAccessIgnored = Scenario(name: "offline-access-ignored") {
        $0.manners = { $0.offlineAccess = .ignored }
    }
    /// `offline_access` is granted, and no refresh token comes.
    public static let offlineAccessWithoutRefreshToken = Scenario(name: "offline-access-without-refresh-token") {
        $0.tokenResponse = { response, _ in response["refresh_token"] = nil }
    }
    /// `offline_access` is not in `scopes_supported`, and a request with it is refused with `invalid_scope`.
    public static let offlineAccessUnknown = Scenario(name: "offline-access-unknown") {
        $0.manners = { $0.offlineAccess = .unknown }
    }
}
