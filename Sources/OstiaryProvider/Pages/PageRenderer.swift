/// Turns pages into HTML.
public protocol PageRenderer: Sendable {
    /// The whole document.
    ///
    /// Every string of the page has to be escaped: some come from whoever made the link.
    func html(for page: Page) -> String
}
