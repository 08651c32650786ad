import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryZephr
import ProviderServer

/// `ostiary zephr profile`: print the reader's profile.
struct ZephrProfile: SessionCommand {
    static let configuration = CommandConfiguration(commandName: "profile", abstract: "Show the reader's profile.")

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await ZephrDoor.withSession(of: place, telling: trace) { _, session in
            let profile = try await session.profile()
            return Answer(members: ["profile": .object(profile)], text: ClaimsTable(profile).text)
        }
    }
}
