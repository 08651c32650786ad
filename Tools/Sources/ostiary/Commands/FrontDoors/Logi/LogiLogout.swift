import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogi
import OstiaryOAuth
import ProviderServer

/// `ostiary logi logout`: ends the session here, and its tokens at the server.
struct LogiLogout: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End the session and revoke its tokens."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await FrontDoorPlace.holding(place, of: .logi) { place in
            let door = try await LogiDoor(at: place, telling: trace)
            return Answer(signedOut: try await door.logi.signOut(try await door.session()))
        }
    }
}
