import ArgumentParser
import Ostiary
import OstiaryCurity
import OstiaryJOSE
import OstiaryOAuth
import ProviderServer

/// `ostiary curity renew`: new credentials for this installation's client.
struct CurityRenew: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "Renew the client's secret and management token.",
        discussion: "Both are kept before they are used; a session goes on with them."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await CurityDoor.open(place, telling: trace) { door in
            Answer(registered: try await door.curity.renewRegistration())
        }
    }
}
