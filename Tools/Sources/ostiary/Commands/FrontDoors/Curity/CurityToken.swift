import ArgumentParser
import Ostiary
import OstiaryCurity
import OstiaryJOSE
import OstiaryOAuth
import ProviderServer

/// `ostiary curity token`: an access token, renewed first when it would not last a minute.
struct CurityToken: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print an access token that is good for a while."
    )

    @Flag(help: "Renew the token, whether or not it would last.")
    var renew = false

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await FrontDoorPlace.holding(place, of: .curity) { place in
            let session = try await CurityDoor(at: place, telling: trace).session()
            if renew { try await session.refresh() }
            return Answer(try await session.accessToken(), until: session.accessTokenExpiry)
        }
    }
}
