import Logging
import OstiaryHummingbird
import OstiaryOAuth
import OstiaryServer

/// Counts session events, and logs those that an operator can act on.
struct SessionReports: Sendable {
    private let logger: Logger
    private let section: String
    private let scopes: [Scope]

    /// `section` is the section of the configuration that defines the sessions.
    init(_ logger: Logger, section: String, scopes: [Scope]) {
        self.logger = logger
        self.section = section
        self.scopes = scopes
    }

    func note(_ event: ServerSessions.Event) {
        SessionMetrics().count(event)
        if event == .lost { logger.warning("a session was lost: the result of its refresh is unknown") }
        if event == .revocationDelayed {
            logger.warning(
                "a session has ended, and the issuer has not revoked its refresh token: it is requested again later"
            )
        }
        if event == .notRevoked {
            logger.error("a session has ended, and its refresh token was not revoked: end the session at the issuer")
        }
        if event == .withoutUserInfo {
            logger.warning("a session began without the user's claims: the UserInfo endpoint did not return them")
        }
        guard event == .notRenewable else { return }
        logger.warning(
            "a session began without a refresh token and ends with its access token",
            metadata: [
                "scopes": "\(scopes.map(\.rawValue))",
                "fix":
                    "add offline_access to \(section).scopes; if that is not enough, set \(section).prompt to [\"consent\"]",
            ]
        )
    }

    func note(_ verdict: Verdict) {
        guard let failure = verdict.failure else { return }
        logger.warning(
            "a refresh response failed a check",
            metadata: [
                "check": "\(failure.name)", "expected": "\(failure.expected ?? "-")",
                "found": "\(failure.found ?? "-")",
            ]
        )
    }
}
