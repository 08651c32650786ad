extension SignInError {
    /// The reason a sign-in page was not presented, or closed without the user or the app.
    ///
    /// The sign-in was not refused: the user has not seen the page, or was interrupted. When the user closes the page,
    /// the reason is ``SignInError/Reason/cancelled``.
    @nonexhaustive
    public enum PresentationFailure: Sendable, Hashable {
        /// There is no window in front to present the page in, and none came in time.
        case windowMissing
        /// The system does not take the window: it has left the screen, or belongs to no scene in front.
        case windowRejected
        /// The system did not start, and says no more.
        case startRefused
        /// The page closed, and neither the user nor the app closed it; the text is the system's domain and code.
        case interrupted(String)
        /// The app and the host of an https redirect are not associated: the associated domain `webcredentials:host` is
        /// missing in the app's entitlements, or the app in the host's `apple-app-site-association`.
        case associatedDomainMissing(host: String)
        /// The device allows no browser: Guided Access, or the single app mode of a managed device.
        ///
        /// A sign-in on another device works (RFC 8628).
        case browserBlocked
        /// The address on this machine that leads the browser to the page was visited twice. Another program may have
        /// read the page's URL, so the attempt has ended; no code was redeemed.
        case openedTwice
    }
}
