import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryZephr
import ProviderServer

/// `ostiary zephr account`: print the reader's account at the site.
struct ZephrAccountCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Show the reader's account at the site."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await ZephrDoor.withSession(of: place, telling: trace) { _, session in
            return Answer(try await session.account())
        }
    }
}
