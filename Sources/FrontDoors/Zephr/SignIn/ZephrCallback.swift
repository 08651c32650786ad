import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A site's redirect to an app: exactly one of three outcomes.
///
/// The redirect carries no value that the app made, so its sender is unknown. Its content is used only after the site
/// has confirmed it.
enum ZephrCallback: Sendable {
    /// The user signed in.
    case session(Secret)
    /// The site requires attributes of a new user.
    case registration(stateKey: Secret, identifier: String?)
    /// The sign-in failed.
    case failure(ZephrFailureCode?)

    private static let members: [Parameters.Name] = [
        .action, .status, .trackingID, .sessionID, .stateKey, .identifier, .message,
    ]

    /// Takes a redirect apart: its place, no member twice, `action` and `status` together, and the members that belong
    /// to that outcome and to no other.
    init(_ url: URL, to redirectURI: RedirectURI) throws(ZephrError) {
        let redirect: AuthorizationRedirect
        do throws(SignInError) {
            redirect = try AuthorizationRedirect(url, to: redirectURI)
        } catch {
            throw ZephrError(error)
        }
        guard !redirect.repeats(Self.members) else { throw ZephrError(.mismatch(.repeatedParameter)) }
        func exclude(_ names: [Parameters.Name]) throws(ZephrError) {
            if let name = names.first(where: { redirect.contains([$0]) }) {
                throw ZephrError(.illegalOutcome(name.rawValue))
            }
        }
        switch (redirect.single(.action), redirect.single(.status)) {
        case ("login", "success"):
            try exclude([.stateKey, .identifier, .message])
            guard let id = redirect.single(.sessionID), SessionCookie.isValue(id) else {
                throw ZephrError(.illegalOutcome("session_id"))
            }
            self = .session(Secret(id))
        case ("register", "partial"):
            try exclude([.sessionID, .message])
            guard let key = redirect.single(.stateKey), (1...4096).contains(key.utf8.count) else {
                throw ZephrError(.illegalOutcome("state_key"))
            }
            self = .registration(stateKey: Secret(key), identifier: redirect.single(.identifier))
        case ("login", "failure"):
            try exclude([.sessionID, .stateKey, .identifier])
            self = .failure(redirect.single(.message).flatMap(ZephrFailureCode.init))
        default:
            throw ZephrError(.illegalOutcome("action and status"))
        }
    }
}

extension Parameters.Name {
    fileprivate static let action: Self = "action"
    fileprivate static let status: Self = "status"
    fileprivate static let trackingID: Self = "tracking_id"
    fileprivate static let sessionID: Self = "session_id"
    fileprivate static let stateKey: Self = "state_key"
    fileprivate static let identifier: Self = "identifier"
    fileprivate static let message: Self = "message"
}
