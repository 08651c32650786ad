import OstiaryOAuth
import Synchronization

/// The client of the sign-in under way, for the message when the issuer does not know it.
struct AttemptedSignIn: Sendable {
    private static let attempted = Mutex<AttemptedSignIn?>(nil)

    let issuer: String
    let clientID: String
    let redirectURI: String

    /// The last sign-in that this command began; `nil` for none.
    static var current: AttemptedSignIn? { attempted.withLock { $0 } }

    /// Notes that a sign-in begins.
    static func begin(_ record: ProfileRecord) {
        attempted.withLock {
            $0 = AttemptedSignIn(
                issuer: record.issuer.description,
                clientID: record.clientID,
                redirectURI: record.redirectURI.description
            )
        }
    }
}
