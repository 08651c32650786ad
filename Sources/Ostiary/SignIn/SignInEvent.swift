public import OstiaryOAuth

/// An event of a sign-in or of a session.
///
/// It holds no secret, so it may be logged.
@nonexhaustive
public enum SignInEvent: Sendable, Hashable {
    /// A request was answered, or was not.
    case exchange(RequestEvent)
    /// A response was checked; a check that failed is in the list.
    case checked(Verdict)
    /// This device's clock differs from the server's, which is reported once; it was corrected if the policy allows it.
    case clockIsWrong(ServerClock.Offset)
    /// A page is presented to the user; the text is its URL up to the query.
    case openedPage(String)
    /// The redirect came back and was accepted.
    case redirectAccepted
    /// Every check of a sign-in has passed, and the session is stored.
    case signedIn
    /// The new session ends with its access token, though a refresh token was requested.
    case notRenewable(Session.Renewal.Reason)
    /// A stored session was read.
    case restored
    /// New tokens are stored.
    case refreshed
    /// The store failed during a refresh; new tokens are kept in memory, and storing them is tried again.
    case storageFailed(SignInError)
    /// The session has ended here.
    case ended(Session.End)
    /// The provider did not confirm a revocation; the session has ended here nevertheless.
    case revocationFailed(SignInError)
}
