import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryZephr
import ProviderServer

/// `ostiary zephr login`: a reader signs in with a social provider, or registers with the attributes that the site
/// requires.
struct ZephrLogin: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign a reader in with a social provider.",
        discussion: """
            Registers a new reader when --attribute has the site's required attributes.
            Without --site, the profile's last settings are used.

            EXAMPLES
              ostiary idp serve --dialect zephr
              ostiary zephr login --site http://127.0.0.1:\(ServeProvider.defaultPort) \\
                --redirect-uri http://127.0.0.1:8456/callback
              ostiary zephr login --site https://news.example.com --provider apple \\
                --redirect-uri http://127.0.0.1:8456/callback --attribute first_name=Grace
            """
    )

    @Option(help: ArgumentHelp("The site's base URL.", valueName: "url"))
    var site: String?

    @Option(help: ArgumentHelp("The redirect URI, as registered at the site.", valueName: "uri"))
    var redirectURI: String?

    @Option(help: ArgumentHelp("The social provider's name at the site. (default: google)", valueName: "name"))
    var provider: String?

    @Option(
        help: ArgumentHelp(
            "A host of the provider's pages besides the site's own and those of google, facebook, linkedin, apple, microsoft and twitter; may be repeated.",
            valueName: "host"
        )
    )
    var pageHost: [String] = []

    @Option(help: ArgumentHelp("An attribute for a new reader; may be repeated.", valueName: "name=value"))
    var attribute: [String] = []

    @OptionGroup(title: "Pages") var pages: UserAgentOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        if attribute.contains(where: { !$0.contains("=") }) { throw ValidationError("--attribute is NAME=VALUE.") }
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let doorPlace = FrontDoorPlace(place, of: .zephr)
        var given: JSONObject = [:]
        given["site"] = site.map { .string($0) }
        given["redirect_uri"] = redirectURI.map { .string($0) }
        given["provider"] = provider.map { .string($0) }
        if !pageHost.isEmpty { given["page_hosts"] = .texts(pageHost) }
        let configuration = try await doorPlace.settings(
            given,
            or: ["provider": "google"],
            naming: [("site", "--site"), ("redirect_uri", "--redirect-uri")]
        )
        let agent = try pages.userAgent(console: console)
        let provider = try ZephrProvider.named(
            configuration["provider"]?.string ?? "",
            addingHosts: configuration.texts("page_hosts")
        )
        let door = try ZephrDoor(doorPlace, configuration, showing: agent, telling: trace)
        let session: ZephrSession
        switch try await door.zephr.signIn(with: provider) {
        case .session(let known): session = known
        case .registrationRequired(let registration):
            session = try await registration.complete(attributes: attributes)
        }
        try await doorPlace.keep(configuration)
        await UserAgentOptions.settle(agent)
        return Answer(try await session.account())
    }

    private var attributes: JSONObject {
        attribute.reduce(into: JSONObject()) { object, text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            object[String(parts[0])] = .string(String(parts[1]))
        }
    }
}

extension Answer {
    /// The account at the site.
    init(_ account: ZephrAccount) {
        members = [
            "emailAddress": account.emailAddress.map { .string($0) } ?? .null,
            "trackingID": account.trackingID.map { .string($0) } ?? .null,
        ]
        text = ClaimsTable(members).text
    }
}
