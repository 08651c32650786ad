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
        abstract: "Sign in at a tenant and keep the session.",
        discussion: """
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
    var endpoint: String

    @Option(help: ArgumentHelp("The application's identifier.", valueName: "id"))
    var appID: String

    @Option(help: ArgumentHelp("Where the browser comes back to.", valueName: "uri"))
    var redirectURI = "http://127.0.0.1/callback"

    @Option(help: ArgumentHelp("What is asked for besides openid, offline_access and profile.", valueName: "scopes"))
    var scope = ""

    @Option(help: ArgumentHelp("An API that tokens will be asked for; may be repeated.", valueName: "uri"))
    var resource: [String] = []

    @Option(help: ArgumentHelp("The page to begin with, such as register or identifier:sign_in.", valueName: "name"))
    var firstScreen: String?

    @Option(help: ArgumentHelp("Begin at a social connector's own page, such as google.", valueName: "target"))
    var social: String?

    @Option(help: ArgumentHelp("Who will sign in, as far as is known.", valueName: "name"))
    var loginHint: String?

    @OptionGroup(title: "Pages") var pages: UserAgentOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let configuration: JSONObject = [
            "endpoint": .string(endpoint), "app_id": .string(appID), "redirect_uri": .string(redirectURI),
            "scopes": .texts(scope.split(separator: " ").map(String.init)), "resources": .texts(resource),
        ]
        var options = LogtoSignInOptions()
        options.loginHint = loginHint
        options.firstScreen = firstScreen.map(FirstScreen.init(rawValue:))
        options.directSignIn = social.map { LogtoCore.DirectSignInOptions(method: .social, target: $0) }
        let wanted = options
        let agent = try pages.userAgent(console: console)
        let doorPlace = FrontDoorPlace(place, of: .logto)
        let door = try LogtoDoor(doorPlace, configuration, showing: agent, telling: trace)
        let session = try await door.logto.signIn(wanted)
        try await doorPlace.keep(configuration)
        await UserAgentOptions.settle(agent)
        return Answer(signedIn: session.session, at: try Issuer(door.logto.config.issuer))
    }
}
