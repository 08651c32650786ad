import OstiaryJOSE
import OstiaryOAuth

/// The address of a browser after its sign-in, which an attacker cannot choose (RFC 9700 section 4.11).
///
/// A path at this host, or a URL at one of the origins whose pages are served.
struct ReturnAddress: Sendable, Hashable {
    let text: String

    /// Parses a request's return address.
    ///
    /// - Returns: `nil` for any text that a browser might resolve to another address.
    init?(_ text: String, pages: BrowserPages) {
        // Programs disagree about controls, spaces and characters beyond ASCII; a browser treats a backslash as a
        // slash, and drops a tab.
        guard (1...2048).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.utf8.contains(where: { "\\\"<>^`{|}".utf8.contains($0) })
        else { return nil }
        let isHere: Bool
        if text.hasPrefix("/") {
            // Two slashes begin a host.
            isHere = !text.hasPrefix("//")
        } else {
            isHere = URIParts(text).map { pages.leads(to: $0) } ?? false
        }
        guard NamedCheck.holds("browser.return", isHere) else { return nil }
        self.text = text
    }
}
