import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogi
import OstiaryOAuth
import ProviderServer

/// `ostiary logi disconnect`: ends the app's connection with the account.
struct LogiDisconnect: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect",
        abstract: "End the app's connection with the account, and the session with it.",
        discussion:
            "It needs a device key with profile:write; one is got first. What the server refuses ends nothing here."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await LogiDoor.withSession(of: place, telling: trace) { door, session in
            let key = try await door.logi.deviceExchange().key(for: session, on: .macOS)
            _ = try await door.logi.signOut(session, .disconnecting(key))
            return Answer(members: ["disconnected": true], text: "Disconnected and signed out.\n")
        }
    }
}
