import Foundation
import OstiaryJOSE
import OstiaryOAuth

/// An address on this machine that leads the browser to a page, once.
///
/// What a browser is started with stands in the list of processes, which everybody on the machine may read; a page's URL may
/// hold what not everybody should know, such as who signs in or an ID token.
struct LoopbackEntry {
    /// A path that nobody can guess.
    let path: String
    /// The page.
    private let destination: URL
    private let form: LoopbackForm?

    /// Makes an address.
    ///
    /// - Parameter form: The form that brings the browser to the page; `nil` redirects it there.
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

    /// The address, at the place of a redirect URI.
    func url(at redirectURI: RedirectURI) -> URL? {
        guard let host = redirectURI.parts.authority?.host else { return nil }
        return URL(string: "http://\(host):\(redirectURI.port ?? 80)\(path)")
    }
}
