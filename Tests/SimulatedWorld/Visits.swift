import Foundation
import Ostiary
public import OstiaryAutomation
import OstiaryOAuth
public import SimulatedPlatform

extension SimulatedBrowser {
    /// A user goes through the pages of a provider in this process; the sheet sees where they come out.
    ///
    /// A page that leads nowhere is closed.
    public func visit(as person: HTTPUserAgent, awaiting redirectURIs: [String]) {
        transport = { request in
            // A page that names where it leads to is taken at its word.
            let page = request.url.absoluteString
            let named = redirectURIs.filter { page.contains(FormURLEncoding.escape($0)) }
            for text in named.isEmpty ? redirectURIs : named {
                guard let redirectURI = try? RedirectURI(text),
                    let redirect = try? await person.attempt(awaiting: redirectURI).open(request.url, accepting: .any)
                else { continue }
                return BrowserResponse(status: 302, fields: [("location", redirect.absoluteString)], body: [])
            }
            return BrowserResponse(status: 200, fields: [("content-type", "text/html")], body: [])
        }
        script = { _ in .cancel }
    }
}
