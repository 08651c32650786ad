/// The cookies of a sign-in page.
public enum BrowserSession: Sendable, Hashable {
    /// The cookies of the user's browser: a user who is signed in there need not sign in again.
    ///
    /// The system may ask the user first.
    case shared
    /// No cookies, and none are kept: the system does not ask, and leaves no browser session to sign out of.
    case ephemeral
}
