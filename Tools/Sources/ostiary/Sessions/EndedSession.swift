import Ostiary
import OstiaryOAuth

/// A refresh that the issuer refused, and why that ended the session.
struct EndedSession: Error {
    let cause: SignInError
    let end: Session.End
}
