import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogi
import OstiaryOAuth
import ProviderServer

/// `ostiary logi logout`: ends the session here, and its tokens at the server.
struct LogiLogout: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End the session and revoke its tokens."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await LogiDoor.signOut(of: place, telling: trace) { door, session in
            return Answer(signedOut: try await door.logi.signOut(session))
        }
    }
}
