import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogi
import OstiaryOAuth
import ProviderServer

/// `ostiary logi claims`: the signed-in user, and the account that local data belongs to.
struct LogiClaimsCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "claims",
        abstract: "Show the verified claims and the account."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await LogiDoor.withSession(of: place, telling: trace) { _, session in
            let claims = session.identity?.claims ?? [:]
            let account = LogiAccount(try session.logiClaims())
            let members: JSONObject = [
                "claims": .object(claims), "account": .string(account.id), "kind": .string(account.kind.rawValue),
            ]
            return Answer(members: members, text: ClaimsTable(claims).text + "\naccount  \(account.id.printable)\n")
        }
    }
}
