import ArgumentParser
import Ostiary
import OstiaryCurity
import OstiaryJOSE
import OstiaryOAuth
import ProviderServer

/// `ostiary curity claims`: the claims of the ID token.
struct CurityClaims: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "claims",
        abstract: "Show the verified claims of the ID token."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await CurityDoor.withSession(of: place, telling: trace) { _, session in
            let claims = session.identity?.claims ?? [:]
            return Answer(members: ["claims": .object(claims)], text: ClaimsTable(claims).text)
        }
    }
}
