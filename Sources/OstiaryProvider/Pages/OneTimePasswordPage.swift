/// The page for the second factor: a one-time password, continue, cancel (RFC 6238).
public struct OneTimePasswordPage: Sendable, Hashable {
    /// The content of every page.
    public var frame: PageFrame
    /// The form; its inputs are ``PageInput/oneTimePassword`` and ``PageInput/decision``.
    public var form: PageForm
    /// The client that the user signs in to.
    public var clientName: String
    /// The name of the user.
    public var userName: String
    /// The error of the last attempt, in one sentence; `nil` before the first.
    public var failure: String?
}
