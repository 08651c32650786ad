/// The form with which a page uses or makes a passkey, besides its other form.
///
/// The form has the id `passkey-form`, the hidden fields of the page's form, and an empty hidden input
/// ``PageInput/passkey``. It is hidden until ``PasskeyScript/source`` shows it; an element with the id `passkey-status`
/// has the texts for failures in the browser.
public struct PasskeyPrompt: Sendable, Hashable {
    /// The ceremony: the attribute `data-ceremony` of the form.
    public enum Ceremony: String, Sendable, Hashable {
        /// A passkey is made.
        case creation = "create"
        /// A passkey signs in.
        case assertion = "get"
    }

    /// The ceremony.
    public var ceremony: Ceremony
    /// The options as JSON: the attribute `data-options` of the form.
    public var options: String
}

/// The page on which a user adds and removes passkeys.
public struct AccountPage: Sendable, Hashable {
    /// A passkey of the user.
    public struct PasskeyLine: Sendable, Hashable {
        /// The value of the button that removes it; its name is ``PageInput/removal``.
        public var key: String
        /// The number, and the date of its registration, such as `1 (2026-11-28)`.
        public var name: String
        /// Whether the user's other devices may have it.
        public var isBackedUp: Bool
    }

    /// The content of every page.
    public var frame: PageFrame
    /// The form; its inputs are ``PageInput/passkey`` and ``PageInput/removal``.
    public var form: PageForm
    /// The name of the user.
    public var userName: String
    /// The passkeys, the oldest first.
    public var passkeys: [PasskeyLine]
    /// The form that adds a passkey.
    public var prompt: PasskeyPrompt
    /// The error of the last attempt to add one, in one sentence; `nil` for none.
    public var failure: String?
}
