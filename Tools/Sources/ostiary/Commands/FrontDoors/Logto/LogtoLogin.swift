import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import ProviderServer

/// `ostiary logto login`: a user signs in at a tenant, and the session is stored.
struct LogtoLogin: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in at a tenant and store the session.",
        discussion: """
            Without --endpoint and --app-id, the profile's last settings are used.

            EXAMPLES
              ostiary idp serve --dialect logto
              ostiary logto login --endpoint http://127.0.0.1:\(ServeProvider.defaultPort) \\
                --app-id logto-app --scope "email urn:logto:scope:organizations" \\
                --resource https://shopping.your-app.com/api
              ostiary logto token --resource https://shopping.your-app.com/api
              ostiary logto token --organization acme
            """
    )

    @Option(help: ArgumentHelp("The tenant's endpoint, without /oidc.", valueName: "url"))
    var endpoint: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The application's identifier.", valueName: "id"))
    var appID: String?

    @Option(help: ArgumentHelp("The redirect URI. (default: \(ClientOptions.freePort))", valueName: "uri"))
    var redirectURI: String?

    @Option(help: ArgumentHelp("The requested scopes besides openid, offline_access and profile.", valueName: "scopes"))
    var scope: String?

    @Option(help: ArgumentHelp("An API for ostiary logto token --resource; may be repeated.", valueName: "uri"))
    var resource: [String] = []

    @Option(help: ArgumentHelp("The first page, such as register or identifier:sign_in.", valueName: "name"))
    var firstScreen: String?

    @Option(help: ArgumentHelp("A social connector whose page opens first, such as google.", valueName: "target"))
    var social: String?

    @Option(help: ArgumentHelp("The user's name or address, for the sign-in page.", valueName: "name"))
    var loginHint: String?

    @OptionGroup(title: "Pages") var pages: UserAgentOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let doorPlace = FrontDoorPlace(place, of: .logto)
        var given: JSONObject = [:]
        given["endpoint"] = endpoint.map { .string($0) }
        given["app_id"] = appID.map { .string($0) }
        given["redirect_uri"] = redirectURI.map { .string($0) }
        given["scopes"] = scope.map { .texts($0.split(separator: " ").map(String.init)) }
        if !resource.isEmpty { given["resources"] = .texts(resource) }
        let configuration = try await doorPlace.settings(
            given,
            or: ["redirect_uri": .string(ClientOptions.freePort)],
            naming: [("endpoint", "--endpoint"), ("app_id", "--app-id")]
        )
        var options = LogtoSignInOptions()
        options.loginHint = loginHint
        options.firstScreen = firstScreen.map(FirstScreen.init(rawValue:))
        options.directSignIn = social.map { LogtoCore.DirectSignInOptions(method: .social, target: $0) }
        let wanted = options
        let agent = try pages.userAgent(console: console)
        let door = try LogtoDoor(doorPlace, configuration, showing: agent, telling: trace)
        let session = try await door.logto.signIn(wanted)
        try await doorPlace.keep(configuration)
        await UserAgentOptions.settle(agent)
        return Answer(signedIn: session.session, at: try Issuer(door.logto.config.issuer))
    }
}
