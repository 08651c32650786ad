import ArgumentParser
import Ostiary
import OstiaryCurity
import OstiaryJOSE
import OstiaryOAuth
import ProviderServer

/// `ostiary curity forget`: this installation's client is deleted, with its session.
struct CurityForget: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Delete this installation's client and its session."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await CurityDoor.open(place, telling: trace) { door in
            _ = try await door.curity.forgetDevice()
            return Answer(members: ["forgotten": true], text: "This installation is forgotten.\n")
        }
    }
}
