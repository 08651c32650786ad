import ArgumentParser
import Ostiary
import OstiaryCurity
import OstiaryJOSE
import OstiaryOAuth
import ProviderServer

/// `ostiary curity register`: this installation gets a client of its own.
struct CurityRegister: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Register this installation as a client.",
        discussion: """
            EXAMPLES
              ostiary idp serve --dialect curity
              ostiary curity register \\
                --issuer http://127.0.0.1:\(ServeProvider.defaultPort)/oauth/v2/oauth-anonymous
              ostiary curity register \\
                --issuer https://idsvr.example.com/oauth/v2/oauth-anonymous \\
                --requires-consent --metadata client.json
              ostiary curity login
            """
    )

    @Option(help: ArgumentHelp("The issuer's URL, exactly as the server writes it.", valueName: "url"))
    var issuer: String

    @Option(help: ArgumentHelp("The redirect URI.", valueName: "uri"))
    var redirectURI = "http://127.0.0.1/callback"

    @Option(help: ArgumentHelp("The scopes of the client, separated by spaces.", valueName: "scopes"))
    var scope = "openid profile"

    @Option(help: ArgumentHelp("The template client of the new one.", valueName: "id"))
    var template: String?

    @Flag(help: "The user has to consent; the consent page keeps the browser open to save a password.")
    var requiresConsent = false

    @Option(
        help: ArgumentHelp(
            "A JSON file with further members of the request, such as client_name and the server's own.",
            valueName: "file"
        ),
        completion: .file()
    )
    var metadata: String?

    @Option(
        help: ArgumentHelp("A file with an initial access token, which is valid once.", valueName: "file"),
        completion: .file()
    )
    var initialAccessTokenFile: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A client with a secret that gets the initial access token (scope dcr).", valueName: "id")
    )
    var initialAccessClient: String?

    @Option(
        help: ArgumentHelp("A file with the secret of --initial-access-client.", valueName: "file"),
        completion: .file()
    )
    var initialAccessSecretFile: String?

    @Option(
        help: ArgumentHelp(
            "A client with which you sign in to get the initial access token; the registration is tied to you.",
            valueName: "id"
        )
    )
    var signInClient: String?

    @OptionGroup(title: "Pages") var pages: UserAgentOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        guard template == nil || metadata == nil && !requiresConsent else {
            throw ValidationError("--metadata and --requires-consent cannot be used with --template, which has both.")
        }
        guard (initialAccessClient == nil) == (initialAccessSecretFile == nil) else {
            throw ValidationError("--initial-access-client and --initial-access-secret-file go together.")
        }
        guard [initialAccessTokenFile, initialAccessClient, signInClient].compactMap(\.self).count <= 1 else {
            throw ValidationError(
                "Use one of --initial-access-token-file, --initial-access-client and --sign-in-client."
            )
        }
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        var configuration: JSONObject = [
            "issuer": .string(issuer), "redirect_uri": .string(redirectURI), "scope": .string(scope),
        ]
        configuration["template"] = template.map { .string($0) }
        // Kept with the profile: a login that has to replace the client registers it with the same members.
        configuration["metadata"] = try metadata.map { .object(try JSONFile.object($0, "metadata")) }
        if requiresConsent { configuration["requires_consent"] = true }
        let wanted = configuration
        let access = try initialAccess(console)
        let agent: any UserAgent = signInClient == nil ? NoUserAgent() : try pages.userAgent(console: console)
        let doorPlace = FrontDoorPlace(place, of: .curity)
        let door = try CurityDoor(
            doorPlace,
            wanted,
            initialAccess: access,
            showing: agent,
            telling: trace
        )
        let registration = try await door.curity.register()
        try await doorPlace.keep(wanted)
        await UserAgentOptions.settle(agent)
        return Answer(registered: registration)
    }

    /// The authorization to register; nothing of it is kept.
    private func initialAccess(_ console: Console) throws(UsageError) -> CurityInitialAccess {
        if let signInClient { return .signIn(clientID: signInClient) }
        if let initialAccessClient, let initialAccessSecretFile {
            let secret = try SecretSource.file(initialAccessSecretFile).secret(console: console)
            return .clientCredentials(clientID: initialAccessClient, secret: secret)
        }
        guard let initialAccessTokenFile else { return .open }
        let token = try SecretSource.file(initialAccessTokenFile).secret(console: console)
        return .token(from: { token })
    }
}

extension Answer {
    /// A client that registered itself; none of its credentials.
    init(registered registration: ClientRegistration) {
        members = [
            "clientID": .string(registration.clientID),
            "authenticationMethod": .string(registration.metadata.authenticationMethod),
            "secretExpiresAt": registration.clientSecretExpiry.json,
        ]
        var table = ClaimsTable()
        table.add("client id", registration.clientID)
        table.add("authenticates with", registration.metadata.authenticationMethod)
        table.add("secret", registration.clientSecretExpiry.map { "until \($0.internetTime)" } ?? "never expires")
        text = "Registered at \(registration.issuer.description.printable)\n\n" + table.text
    }
}
