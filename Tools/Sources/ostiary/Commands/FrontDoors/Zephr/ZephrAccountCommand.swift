import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryZephr
import ProviderServer

/// `ostiary zephr account`: show who the site says the reader is.
struct ZephrAccountCommand: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Show who the site says the reader is."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await FrontDoorPlace.holding(place, of: .zephr) { place in
            let session = try await ZephrDoor(at: place, telling: trace).session()
            return Answer(try await session.account())
        }
    }
}
