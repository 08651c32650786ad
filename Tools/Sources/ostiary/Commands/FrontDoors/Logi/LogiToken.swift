import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogi
import OstiaryOAuth
import ProviderServer

/// `ostiary logi token`: an access token, renewed first when it would not last a minute.
struct LogiToken: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print an access token that is good for a while."
    )

    @Flag(help: "Renew the token, whether or not it would last.")
    var renew = false

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await FrontDoorPlace.holding(place, of: .logi) { place in
            let session = try await LogiDoor(at: place, telling: trace).session()
            if renew { try await session.refresh() }
            return Answer(try await session.accessToken(), until: session.accessTokenExpiry)
        }
    }
}
