extension SignInClient {
    /// The behavior of a second sign-in of the same client while the first is in progress, for example after a second
    /// tap on a button.
    public enum SecondSignIn: Sendable, Hashable {
        /// It fails with `alreadyInProgress`, and the first continues.
        case reject
        /// The first is cancelled, and the second begins when its page is gone.
        case replace
        /// It has the outcome of the first; its own request is ignored.
        case join
    }
}
