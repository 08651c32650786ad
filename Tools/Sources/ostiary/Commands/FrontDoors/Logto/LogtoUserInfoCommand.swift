import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import ProviderServer

/// `ostiary logto userinfo`: the tenant's claims about the user, including those that are not in the ID token.
struct LogtoUserInfoCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "userinfo",
        abstract: "Request the user's claims from the tenant."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await LogtoDoor.withSession(of: place, telling: trace) { _, session in
            let claims = try await session.userInfo().claims
            return Answer(members: ["claims": .object(claims)], text: ClaimsTable(claims).text)
        }
    }
}
