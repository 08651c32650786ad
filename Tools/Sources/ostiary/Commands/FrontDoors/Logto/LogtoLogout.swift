import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import ProviderServer

/// `ostiary logto logout`: ends the session here, its refresh token, and on demand the tenant's own session.
struct LogtoLogout: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End the session here and at the tenant."
    )

    @Option(
        help: ArgumentHelp(
            "A post sign-out redirect URI; the tenant's own session is then ended in the browser.",
            valueName: "uri"
        )
    )
    var redirectURI: String?

    @OptionGroup(title: "Pages") var pages: UserAgentOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let agent: any UserAgent = redirectURI == nil ? NoUserAgent() : try pages.userAgent(console: console)
        return try await LogtoDoor.signOut(of: place, showing: agent, telling: trace) { _, session in
            guard let redirectURI else { return Answer(signedOut: try await session.clear()) }
            let report = try await session.signOut(returningTo: redirectURI)
            await UserAgentOptions.settle(agent)
            return Answer(signedOut: report)
        }
    }
}
