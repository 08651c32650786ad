/// Why a sign-in page was not shown, or went away by itself.
///
/// Nobody refused anything: the person has not been asked, or was interrupted. A page that the person closes is
/// ``SignInError/Reason/cancelled``.
@nonexhaustive
public enum PresentationFailure: Sendable, Hashable {
    /// There is no window in front to show it at, and none came in time.
    case windowMissing
    /// The system does not take the window: it has left the screen, or belongs to no scene in front.
    case windowRejected
    /// The system did not start, and says no more.
    case startRefused
    /// The page went away, and neither the person nor the app did it; the text is the system's domain and code.
    case interrupted(String)
    /// The app and the host of an https redirect are not associated: the associated domain `webcredentials:host` is missing
    /// in the app's entitlements, or the app in the host's `apple-app-site-association`.
    case associatedDomainMissing(host: String)
    /// The device shows no browser: Guided Access, or the single app mode of a managed device. A sign-in on another device
    /// works (RFC 8628).
    case browserBlocked
    /// The address on this machine that leads the browser to the page was visited twice. Another program may have read the
    /// page's URL, so the attempt has ended; no code was redeemed.
    case openedTwice
}
