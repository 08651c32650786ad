import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogi
import OstiaryOAuth
import ProviderServer

/// `ostiary logi login`: a user signs in with logi, and the session is stored.
struct LogiLogin: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in and store the session.",
        discussion: """
            Without --client-id, the profile's last settings are used.

            EXAMPLES
              ostiary idp serve --dialect logi
              ostiary logi login --issuer http://127.0.0.1:\(ServeProvider.defaultPort) \\
                --client-id \(LogiDoor.exampleClientID)
              ostiary logi token --format curl | curl --config - https://api.example.com
            """
    )

    @Option(help: ArgumentHelp("The client identifier: logi_ and 32 hexadecimal digits.", valueName: "id"))
    var clientID: String?

    @Option(help: ArgumentHelp("The issuer's URL. (default: \(LogiPreset.issuer))", valueName: "url"))
    var issuer: String?

    @Option(help: ArgumentHelp("The redirect URI. (default: \(ClientOptions.freePort))", valueName: "uri"))
    var redirectURI: String?

    @Option(
        help: ArgumentHelp(
            "The requested scopes, separated by spaces. (default: \(LogiPreset.scopes.text))",
            valueName: "scopes"
        )
    )
    var scope: String?

    @OptionGroup(title: "Pages") var pages: UserAgentOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let doorPlace = FrontDoorPlace(place, of: .logi)
        var given: JSONObject = [:]
        given["client_id"] = clientID.map { .string($0) }
        given["issuer"] = issuer.map { .string($0) }
        given["redirect_uri"] = redirectURI.map { .string($0) }
        given["scope"] = scope.map { .string($0) }
        let configuration = try await doorPlace.settings(
            given,
            or: [
                "issuer": .string(LogiPreset.issuer), "redirect_uri": .string(ClientOptions.freePort),
                "scope": .string(LogiPreset.scopes.text),
            ],
            naming: [("client_id", "--client-id")]
        )
        let agent = try pages.userAgent(console: console)
        let door = try LogiDoor(doorPlace, configuration, showing: agent, telling: trace)
        let session = try await door.logi.signIn()
        try await doorPlace.keep(configuration)
        await UserAgentOptions.settle(agent)
        return Answer(signedIn: session, at: door.logi.configuration.issuer)
    }
}

extension LogiDoor {
    /// The app of the development provider's dialect.
    static let exampleClientID = "logi_" + String(repeating: "a", count: 32)
}
