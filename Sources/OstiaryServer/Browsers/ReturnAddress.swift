import OstiaryJOSE
import OstiaryOAuth

/// Where a browser goes when it has signed in: never to a place that an attacker chose (RFC 9700 section 4.11).
///
/// A path at this host, or a URL at one of the origins whose pages are served.
struct ReturnAddress: Sendable, Hashable {
    let text: String

    /// Takes what a request asks for.
    ///
    /// - Returns: `nil` for anything that a browser might take for another place.
    init?(_ text: String, pages: BrowserPages) {
        // Controls, spaces and characters beyond ASCII are read differently by different programs; a browser takes a
        // backslash for a slash, and drops a tab.
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
