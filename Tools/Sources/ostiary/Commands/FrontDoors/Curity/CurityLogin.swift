import ArgumentParser
import Ostiary
import OstiaryCurity
import OstiaryJOSE
import OstiaryOAuth
import ProviderServer

/// `ostiary curity login`: a user signs in with this installation's own client.
struct CurityLogin: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in with this installation's client."
    )

    @Option(
        help: ArgumentHelp(
            "Accepted values of acr, the best first; another one is rejected.",
            valueName: "values"
        )
    )
    var acrValues: String?

    @Option(help: ArgumentHelp("The greatest age of the user's authentication, in seconds.", valueName: "seconds"))
    var maxAge: Int?

    @Option(help: ArgumentHelp("The user's name or address, for the sign-in page.", valueName: "name"))
    var loginHint: String?

    @OptionGroup(title: "Pages") var pages: UserAgentOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let agent = try pages.userAgent(console: console)
        return try await CurityDoor.open(place, showing: agent, telling: trace) { door in
            var request = door.curity.request
            request.maximumAge = maxAge.map { .seconds($0) }
            request.loginHint = loginHint
            if let acrValues {
                request.authenticationContext = .required(acrValues.split(separator: " ").map(String.init))
            }
            let session = try await door.curity.signIn(request)
            await UserAgentOptions.settle(agent)
            let claims = session.identity?.claims ?? [:]
            let members: JSONObject = [
                "issuer": .string(door.curity.configuration.issuer.description), "claims": .object(claims),
                "scope": .string(session.scopes.text), "expiresAt": session.accessTokenExpiry.json,
            ]
            return Answer(
                members: members,
                text: "Signed in at \(door.curity.configuration.issuer.description.printable)\n\n"
                    + ClaimsTable(claims).text
            )
        }
    }
}
