/// Turns pages into HTML.
public protocol PageRenderer: Sendable {
    /// Returns the whole document.
    ///
    /// Every string of the page must be escaped: some of them are under an attacker's control.
    func html(for page: Page) -> String
}
