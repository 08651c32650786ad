import Ostiary
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// What a demo of a vendor's system plays on: a provider that speaks its dialect, a person, and somebody who tells it.
struct DemoStage: Sendable {
    /// Where the provider listens; its issuer may lie deeper.
    let origin: Issuer
    let provider: Provider
    let development: DevelopmentSystem
    let narration: Narration
    /// Whether a person signs in, in a browser.
    let isInBrowser: Bool

    /// The issuer that the dialect has.
    var issuer: Issuer { provider.configuration.issuer }

    /// What shows the pages, and signs the person in.
    ///
    /// - Parameter name: Who signs in. Default: the person of the demos.
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
