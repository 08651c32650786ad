import Foundation
import OstiaryJOSE
import OstiaryOAuth

/// An address on this machine that leads the browser to a page, once.
///
/// The arguments that a browser is started with are in the process list, which every user of the machine can read. A
/// page's URL may hold data that other users must not see, such as the user's name or an ID token.
struct LoopbackEntry {
    /// A path that cannot be guessed.
    let path: String
    /// The page.
    private let destination: URL
    private let form: LoopbackForm?

    /// Makes an address.
    ///
    /// `form` leads the browser to the page; `nil` for a redirect.
    init(to destination: URL, as form: LoopbackForm? = nil, using random: inout some RandomNumberGenerator) {
        var octets: [UInt8] = []
        for _ in 0..<16 { octets.append(UInt8.random(in: .min ... .max, using: &random)) }
        path = "/open/" + Base64URL.encode(octets)
        self.destination = destination
        self.form = form
    }

    /// The response that leads the browser to the page.
    var response: [UInt8] {
        form?.response ?? LoopbackPage.status("303 See Other", fields: ["Location: \(destination.absoluteString)"])
    }

    /// Returns the address, on the host and port of a redirect URI.
    func url(at redirectURI: RedirectURI) -> URL? {
        guard let host = redirectURI.parts.authority?.host else { return nil }
        return URL(string: "http://\(host):\(redirectURI.port ?? 80)\(path)")
    }
}
