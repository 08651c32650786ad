import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import ProviderServer

/// `ostiary logto claims`: the claims of the ID token.
struct LogtoClaimsCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "claims",
        abstract: "Show the verified claims of the ID token."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await LogtoDoor.withSession(of: place, telling: trace) { _, session in
            let claims = session.claims?.claims ?? [:]
            return Answer(members: ["claims": .object(claims)], text: ClaimsTable(claims).text)
        }
    }
}
