import Ostiary
import OstiaryAutomation
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// The parts of a demo of a vendor's system: a provider that speaks its dialect, a user, and a narration.
struct DemoStage: Sendable {
    /// The origin of the provider; its issuer may have a path.
    let origin: Issuer
    let provider: Provider
    let development: DevelopmentSystem
    let narration: Narration
    /// Whether a real user signs in, in a browser.
    let isInBrowser: Bool

    /// The issuer that the dialect has.
    var issuer: Issuer { provider.configuration.issuer }

    /// Returns the user agent that presents the pages, and signs the user in.
    ///
    /// `name` is the user's name. Default: the user of the demos.
    func userAgent(signingInAs name: String? = nil) -> any UserAgent {
        let name = name ?? development.userName
        guard isInBrowser else {
            return UserAgentOptions.http(
                credentials: HTTPUserAgent.Credentials(name: name, password: development.password)
            )
        }
        narration.note("Sign in as \(name) with the password \(development.password.reveal())")
        return UserAgentOptions.browser(console: narration.console)
    }
}
