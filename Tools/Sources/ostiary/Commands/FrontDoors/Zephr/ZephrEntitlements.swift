import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryZephr
import ProviderServer

/// `ostiary zephr entitlements`: request whether the reader has entitlements.
struct ZephrEntitlements: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "entitlements",
        abstract: "Check the reader's entitlements."
    )

    @Argument(help: ArgumentHelp("Identifiers of entitlements.", valueName: "id"))
    var id: [String]

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await ZephrDoor.withSession(of: place, telling: trace) { _, session in
            let answers = try await session.entitlements(id)
            let members = answers.sorted { $0.key < $1.key }.reduce(into: JSONObject()) { $0[$1.key] = .bool($1.value) }
            return Answer(members: ["entitlements": .object(members)], text: ClaimsTable(members).text)
        }
    }
}
