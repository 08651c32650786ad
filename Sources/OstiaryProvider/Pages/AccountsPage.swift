/// The account chooser: the accounts of a browser, each with a button to use and one to forget it, another account,
/// cancel.
public struct AccountsPage: Sendable, Hashable {
    /// An account that a user has signed in with in this browser.
    public struct Account: Sendable, Hashable {
        /// The value of its buttons, ``PageInput/account`` and ``PageInput/forgottenAccount``.
        public var id: String
        /// The name of the user.
        public var name: String
        /// Whether the user is signed in; otherwise the sign-in page follows.
        public var isSignedIn: Bool
    }

    /// The content of every page.
    public var frame: PageFrame
    /// The form; ``PageInput/decision`` is to accept for another account, and to refuse for none.
    public var form: PageForm
    /// The client that the user signs in to.
    public var clientName: String
    /// The accounts, the last used one first.
    public var accounts: [Account]
}
