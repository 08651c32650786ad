#if canImport(AuthenticationServices)
    import Foundation
    import OstiaryOAuth
    import SimulatedPlatform

    @testable import Ostiary

    /// The device that the snippets of an app's views run on.
    let device = SimulatedDevice.shared

    extension SimulatedBrowser {
        /// A person goes through the pages of a provider in this process; the sheet sees where they come out.
        ///
        /// A page that leads nowhere is closed.
        func visit(as person: HTTPUserAgent, awaiting redirectURIs: [String]) {
            transport = { request in
                for text in redirectURIs {
                    guard let redirectURI = try? RedirectURI(text),
                        let redirect = try? await person.attempt(awaiting: redirectURI).open(request.url)
                    else { continue }
                    return BrowserResponse(status: 302, fields: [("location", redirect.absoluteString)], body: [])
                }
                return BrowserResponse(status: 200, fields: [("content-type", "text/html")], body: [])
            }
            script = { _ in .cancel }
        }
    }
#endif
