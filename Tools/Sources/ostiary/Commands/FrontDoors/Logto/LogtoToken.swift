import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import ProviderServer

/// `ostiary logto token`: an access token for an API, an organization, or the tenant itself.
struct LogtoToken: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a valid access token."
    )

    @Option(help: ArgumentHelp("The API that the token is for, one of the sign-in's.", valueName: "uri"))
    var resource: String?

    @Option(help: ArgumentHelp("The organization that the token acts for.", valueName: "id"))
    var organization: String?

    @Option(help: "The form in which the token is printed.")
    var format: TokenFormat = .raw

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        if format == .json { output.json = true }
        if output.json, ![.raw, .json].contains(format) {
            throw ValidationError("--json cannot be combined with --format \(format.rawValue).")
        }
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await LogtoDoor.withSession(of: place, telling: trace) { _, session in
            let token = try await session.accessTokenDetails(for: resource, organizationID: organization)
            return try Answer(token.value, until: token.expiry, as: format)
        }
    }
}
