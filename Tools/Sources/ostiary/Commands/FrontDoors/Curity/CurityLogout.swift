import ArgumentParser
import Ostiary
import OstiaryCurity
import OstiaryJOSE
import OstiaryOAuth
import ProviderServer

/// `ostiary curity logout`: ends the session here and at the server; the registration stays.
struct CurityLogout: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Sign out and keep the registration."
    )

    @OptionGroup(title: "Pages") var pages: UserAgentOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let agent = try pages.userAgent(console: console)
        return try await CurityDoor.signOut(of: place, showing: agent, telling: trace) { _, session in
            let report = try await session.signOut()
            await UserAgentOptions.settle(agent)
            return Answer(signedOut: report)
        }
    }
}
