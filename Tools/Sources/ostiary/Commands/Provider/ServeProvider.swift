import ArgumentParser
import Foundation
import Logging
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// `ostiary idp serve`: the development provider on a port of this machine, until it is stopped.
struct ServeProvider: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run a local OpenID provider until it is stopped.",
        discussion: """
            It listens on 127.0.0.1 alone, and its URL is the issuer. The public client
            ostiary-demo takes its redirect at http://127.0.0.1/callback on any port. A
            password is made at each start unless one is given. Pushed requests, DPoP,
            devices, token exchange, the resource \(exampleResource) and
            dynamic registration are enabled. The confidential client ostiary-web has a
            secret that is made at each start. GET /health answers ok when it is ready,
            and the issuer's URL shows clients, users and endpoints.

            The default rules oidc serve applications as their manuals set them up. The
            log names each request that --rules strict rejects, and the reason and the fix
            of each rejection. docs/provider.md has examples for other languages.

            EXAMPLES
              ostiary idp serve
              ostiary login --issuer http://127.0.0.1:\(defaultPort) --client-id ostiary-demo
              ostiary idp serve --port 0 --json --store file:provider.sqlite
              ostiary idp serve --redirect-uri http://localhost:3000/callback
              ostiary idp serve --sign-in-as alice --scenarios-by-request
              ostiary idp serve --rules mcp --resource http://127.0.0.1:8000/mcp
              ostiary idp serve --issuer /tenants/a --issuer /tenants/b
              ostiary idp serve --tls
              ostiary idp serve --like keycloak
              ostiary idp serve --dialect logto
              ostiary idp serve --dialect all
            """
    )

    /// The conditions of `--seed`: a store or a snapshot has the numbers of an earlier start already.
    private static let seedRule =
        "--seed is for this machine and one start: leave out --host, --store, --snapshot and an issuer of another host."

    /// The default port.
    static let defaultPort = 4455
    /// The resource server that tokens can be requested for.
    static let exampleResource = "https://api.example.com"

    @Option(help: ArgumentHelp("The port; 0 for any that is free. (default: \(defaultPort))", valueName: "port"))
    var port: Int?

    @Option(
        help: ArgumentHelp(
            """
            The issuer: an https URL that a proxy serves, or an http URL of this machine. Or a path below it; \
            repeatable, for several issuers with states of their own. (default: the address)
            """,
            valueName: "url|path"
        )
    )
    var issuer: [String] = []

    /// The URL among the issuers.
    private var issuerURL: String? { issuer.first { !$0.hasPrefix("/") } }
    /// The paths of the issuers below the URL or the address.
    private var issuerPaths: [String] { issuer.map { $0.hasPrefix("/") ? $0 : "" } }

    @Option(
        help: ArgumentHelp(
            "A file to write when the provider is ready, with the object that --json prints.",
            valueName: "file"
        ),
        completion: .file()
    )
    var readyFile: String?

    @Option(
        help: ArgumentHelp(
            "The store of sign-ins: memory, or file:PATH for an SQLite file. (default: memory)",
            valueName: "store"
        ),
        completion: .list(["memory", "file:"])
    )
    var store: StoreLocation?

    @Option(
        help: ArgumentHelp("A JSON file with clients and users, instead of the ready-made ones.", valueName: "file"),
        completion: .file()
    )
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The name of the user who can sign in. (default: \(DevelopmentProvider.userName))",
            valueName: "name"
        )
    )
    var user: String?

    @Option(
        help: ArgumentHelp("A file with the user's password. (default: one is made)", valueName: "file"),
        completion: .file()
    )
    var passwordFile: String?

    @Option(
        help: ArgumentHelp(
            "Imitate a vendor's system: \(DialectChoice.names). With all, each has its own port, from --port on.",
            valueName: "name"
        ),
        completion: .list(VendorSystem.allCases.map(\.rawValue) + ["all"])
    )
    var dialect: DialectChoice?

    @Option(
        help: ArgumentHelp(
            "Imitate a real provider: its issuer, tokens, refreshes and errors.",
            valueName: "name"
        )
    )
    var like: MannersChoice?

    @OptionGroup var options: ProviderOptions
    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        if dialect != nil, like != nil {
            throw ValidationError("A dialect has manners of its own: leave out --like.")
        }
        if dialect != nil, config != nil || user != nil {
            throw ValidationError("A dialect has its own users and clients: leave out --config and --user.")
        }
        if dialect != nil, store != nil, store != .memory {
            throw ValidationError("A dialect remembers until it stops: leave out --store.")
        }
        if dialect != nil, !issuer.isEmpty || readyFile != nil {
            throw ValidationError("A dialect has an issuer of its own: leave out --issuer and --ready-file.")
        }
        if dialect != nil, options.changesProvider {
            throw ValidationError("A dialect has rules, clients and users of its own: leave out the other options.")
        }
        if issuer.count(where: { !$0.hasPrefix("/") }) > 1 {
            throw ValidationError("Give one URL as --issuer, and the paths of the other issuers below it, such as /b.")
        }
        if like != nil, issuer.count > 1 || issuer.first?.hasPrefix("/") == true {
            throw ValidationError("--like has an issuer with a path of its own: leave out the paths of --issuer.")
        }
        if config != nil, !options.redirectURI.isEmpty {
            throw ValidationError("--redirect-uri is for the ready-made clients; with --config the file names them.")
        }
        if options.host != nil, options.host != "127.0.0.1", issuerURL == nil {
            throw ValidationError("--host needs --issuer, an https URL by which other machines reach the provider.")
        }
        if options.seed != nil {
            let isLoopback = options.host == nil || options.host == "127.0.0.1"
            guard isLoopback, store == nil || store == .memory, options.snapshot == nil else {
                throw ValidationError(Self.seedRule)
            }
        }
        if options.snapshot != nil, issuer.count > 1 {
            throw ValidationError("--snapshot is the state of one issuer: leave out the other --issuer.")
        }
        if let option = options.certificateOption, let issuerURL, !issuerURL.lowercased().hasPrefix("https:") {
            throw ValidationError("\(option) needs an https URL as --issuer, or none.")
        }
        if let port, !(0...65_535).contains(port) { throw ValidationError("--port must be between 0 and 65535.") }
        if config != nil, user != nil || passwordFile != nil {
            throw ValidationError("--user and --password-file describe a user; with --config the file does.")
        }
        if let user, user.isEmpty { throw ValidationError("--user needs a name.") }
    }

    func run() async throws {
        let console = Console.standard
        if let dialect { return try await serve(dialect, on: console) }
        let plan = try plan(console: console)
        let storage = try plan.storage(nil)
        let administrationToken = try options.administrationToken(console: console)
        let log = ProviderLog(console: console, form: options.log)
        let issuer = try issuerURL.map { (text) throws(SignInError) in try Issuer(text) } ?? plan.issuer
        if options.seed != nil {
            guard issuer?.isOfThisMachine != false, plan.store == .memory else { throw UsageError(Self.seedRule) }
            console.note("warning: with --seed anyone can foresee every code, token, secret and key.")
        }
        try checkScheme(of: plan.issuer)
        let authority = try options.authority(issuer: issuer)
        var count: UInt64 = 0
        let server = try await ProviderServer.start(
            at: options.address(port: port ?? plan.port ?? Self.defaultPort),
            issuer: issuer,
            paths: issuerPaths,
            tls: authority?.tls ?? options.certificate,
            ending: .onSignals,
            logger: Logger(label: "ostiary.provider", factory: { _ in log })
        ) { issuer in
            var configuration = try plan.configuration(issuer, like: like?.manners ?? .strict)
            // Another provider's manners are played to clients that the strict rules let in.
            configuration.rules = plan.rules(like == nil ? .oidc : .strict)
            try options.apply(to: &configuration)
            if configuration.passkeys == .accepted, !configuration.canHavePasskeys {
                let advice = hostNameAdvice(issuer, given: plan.issuer)
                throw UsageError(
                    "Passkeys need an issuer with a host name, and it is \(configuration.issuer). \(advice)"
                )
            }
            configuration.administrationToken = administrationToken
            let network = CommandNetwork.current
            configuration.outbound = OutboundConnections { network.trust(in: &$0) }
            let offset = plan.clockOffset
            let path = count == 0 ? nil : issuer.url.path()
            // The first stream is the plan's. Each issuer has one for its keys, and one for the rest.
            count += 2
            options.addKeys(to: &configuration, stream: count - 1)
            let provider = Provider(
                configuration: configuration,
                storage: path == nil ? storage : try plan.storage(path),
                clock: DeviceClock(now: { Date.now.addingTimeInterval(offset) }),
                random: options.random(count),
                scenario: options.scenario?.scenario ?? .none,
                events: { log.report($0) }
            )
            try await options.restoreSnapshot(at: provider, console: console)
            try await provider.prepare()
            return provider
        }
        for warning in server.provider.configuration.warnings { console.note("warning: \(warning)".printable) }
        try announce(server, plan, trusting: authority, on: console)
        try await server.untilStopped()
    }

    private func plan(console: Console) throws -> ProviderPlan {
        var random = options.random(0)
        if let config { return try ProviderPlan(file: config, store: store, using: &random) }
        let password = try passwordFile.map { try SecretSource.file($0).secret(console: console) }
        let uris = try options.redirectURI.map { (text) throws(SignInError) in try RedirectURI(text) }
        return try ProviderPlan(user: user, password: password, redirectURIs: uris, store: store, using: &random)
    }

    private func announce(
        _ server: RunningProvider,
        _ plan: ProviderPlan,
        trusting authority: DevelopmentAuthority?,
        on console: Console
    ) throws {
        let configuration = server.provider.configuration
        let client = configuration.clients.first?.id ?? ""
        let user = configuration.users.first?.name ?? ""
        // A provider whose clients sign their secrets takes no other one.
        let webSecret = configuration.manners.clientSecrets == .signed ? nil : plan.webClientSecret
        if output.json || readyFile != nil {
            var members: JSONObject = [
                "issuer": .string(configuration.issuer.description),
                "clientID": .string(client),
                "user": .string(user),
                "password": plan.madePassword.map { .string($0.reveal()) } ?? .null,
            ]
            if server.providers.count > 1 {
                members["issuers"] = .array(
                    server.providers.map { .string($0.configuration.issuer.description) }
                )
            }
            members["like"] = like.map { .string($0.manners.name) }
            members["clientSecret"] = try clientSecret(plan, configuration).map { .string($0.reveal()) }
            if let webSecret {
                members["webClientID"] = .string(DevelopmentProvider.webClientID)
                members["webClientSecret"] = .string(webSecret.reveal())
            }
            members["caFile"] = authority.map { .string($0.certificateFile) }
            let line = Answer(members: members, text: "").json
            if let readyFile { try ReadyFile.write(line, to: readyFile) }
            guard !output.json else { return try console.print(line + "\n") }
        }
        var table = ClaimsTable()
        for provider in server.providers { table.add("issuer", provider.configuration.issuer.description) }
        for url in server.providers.compactMap(\.inspectorURL) { table.add("inspector", url) }
        table.add("rules", configuration.rules.name)
        if let scenario = options.scenario { table.add("scenario", scenario.scenario.name) }
        if let like { table.add("like", like.manners.title) }
        table.add("client id", client)
        if let secret = try clientSecret(plan, configuration) { table.add("client secret", secret.reveal()) }
        if let webSecret {
            table.add("web client id", DevelopmentProvider.webClientID)
            table.add("web client secret", webSecret.reveal())
        }
        table.add("user", user)
        if let password = plan.madePassword { table.add("password", password.reveal()) }
        if let authority { table.add("ca file", authority.certificateFile) }
        console.note("The development provider listens. Stop it with Ctrl-C.\n\n" + table.text)
        if let authority { console.note(Self.trust(authority, configuration.issuer)) }
    }

    /// The commands of clients that trust an authority, each for one run.
    private static func trust(_ authority: DevelopmentAuthority, _ issuer: Issuer) -> String {
        let file = authority.certificateFile
        let issuer = issuer.description
        let metadata = issuer + (issuer.hasSuffix("/") ? "" : "/") + ".well-known/openid-configuration"
        let variable = LoginLine.shell([file])
        return """
            A client trusts the certificate with the ca file:
              \(LoginLine.shell(["ostiary", "discover", "--issuer", issuer, "--ca-file", file]))
              \(LoginLine.shell(["curl", "--cacert", file, metadata]))
              NODE_EXTRA_CA_CERTS=\(variable) node app.js
              SSL_CERT_FILE=\(variable) REQUESTS_CA_BUNDLE=\(variable) python3 app.py

            """
    }
}

extension ServeProvider {
    /// Checks that the issuer of the configuration file, where it decides, has the scheme that a certificate serves.
    ///
    /// - Throws: ``UsageError`` that names the file, the member and its value.
    private func checkScheme(of given: Issuer?) throws(UsageError) {
        guard let option = options.certificateOption, let config, issuerURL == nil, let given,
            given.url.scheme?.lowercased() != "https"
        else { return }
        let https = "https" + given.description.drop { $0 != ":" }
        throw UsageError(
            "\(config.shortened): issuer is \(given), and \(option) serves https. Write: \"issuer\": \"\(https)\""
        )
    }

    /// The next step that gives the provider an issuer with a host name.
    ///
    /// - Parameters:
    ///   - address: The issuer without a host name.
    ///   - given: The issuer of the configuration file; `nil` for none.
    /// - Returns: The options to add or replace, or the member to write.
    private func hostNameAdvice(_ address: Issuer, given: Issuer?) -> String {
        if let issuerURL {
            return "Replace --issuer by: " + LoginLine.shell(["--issuer", Self.atLocalhost(issuerURL)])
        }
        if let config, let given {
            return "In \(config.shortened) write: \"issuer\": \"\(Self.atLocalhost(given.description))\""
        }
        let port = address.url.port ?? Self.defaultPort
        return "Add: --port \(port) --issuer \(address.url.scheme ?? "http")://localhost:\(port)"
    }

    private static func atLocalhost(_ url: String) -> String {
        var components = URLComponents(string: url)
        components?.host = "localhost"
        return components?.string ?? url
    }

    /// A secret of the first client, where clients sign their secrets: valid for a day.
    private func clientSecret(_ plan: ProviderPlan, _ configuration: ProviderConfiguration) throws -> Secret? {
        guard configuration.manners.clientSecrets == .signed, let key = plan.clientKey else { return nil }
        let now = Int(Date.now.timeIntervalSince1970)
        let claims: JSONObject = [
            "iss": .string(ProviderPlan.developer), "iat": .integer(now), "exp": .integer(now + 86_400),
            "aud": .string(configuration.issuer.description), "sub": .string(configuration.clients.first?.id ?? ""),
        ]
        return Secret(try key.sign(claims: claims, type: nil))
    }
}

/// The file that says that the provider is ready.
private enum ReadyFile {
    /// Writes the line, so that a reader of the file finds all of it.
    ///
    /// - Throws: ``UsageError`` when it cannot be written.
    static func write(_ line: String, to path: String) throws(UsageError) {
        let new = path + ".new"
        try OutputFile(path: new).write(Secret(line))
        guard rename(new, path) == 0 else {
            throw UsageError("The file \(path.shortened) cannot be written: \(SystemError.current).")
        }
    }
}

/// The provider in the field whose manners are served.
struct MannersChoice: ExpressibleByArgument, Sendable {
    let manners: ProviderManners

    static var allValueStrings: [String] { ProviderManners.all.map(\.name) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    init?(argument: String) {
        guard let manners = ProviderManners.named(argument) else { return nil }
        self.manners = manners
    }
}

extension Issuer {
    /// Whether the host is this machine.
    fileprivate var isOfThisMachine: Bool {
        ["localhost", "127.0.0.1", "::1", "[::1]"].contains(url.host()?.lowercased())
    }
}
