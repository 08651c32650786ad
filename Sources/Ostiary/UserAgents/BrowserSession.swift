/// Whose cookies a sign-in page has.
public enum BrowserSession: Sendable, Hashable {
    /// Those of the person's browser: who is signed in there need not do it again. A system may ask first.
    case shared
    /// None, and none are kept: nobody is asked, and there is nothing to sign out of.
    case ephemeral
}
