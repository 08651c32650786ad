import ArgumentParser
import Foundation
import Ostiary
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// The rules, faults and conveniences of `ostiary idp serve`.
struct ProviderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The rules for clients. strict rejects all that RFC 9700 advises against. (default: oidc)",
            valueName: "name"
        )
    )
    var rules: RulesChoice?

    @Option(help: ArgumentHelp("A resource that tokens can be for (RFC 8707); repeatable.", valueName: "url"))
    var resource: [String] = []

    @Option(help: ArgumentHelp("A scope besides the standard ones, for every client; repeatable.", valueName: "scope"))
    var scope: [String] = []

    @Option(help: ArgumentHelp("A further redirect URI of the ready-made clients; repeatable.", valueName: "url"))
    var redirectURI: [String] = []

    @Option(
        help: ArgumentHelp("Play a fault in every flow (list them: ostiary idp scenarios).", valueName: "name"),
        completion: .list(Scenario.all.map(\.name))
    )
    var scenario: ScenarioName?

    @Option(
        help: ArgumentHelp(
            "Play a fault at the n-th request of an endpoint, such as token:2=status-503; repeatable.",
            valueName: "endpoint:n=name"
        ),
        transform: { try ScenarioTurn($0) }
    )
    var scenarioAt: [ScenarioTurn] = []

    @Flag(help: "Let a request choose its fault: client id CLIENT~NAME, or the header Ostiary-Scenario: NAME.")
    var scenariosByRequest = false

    @Flag(help: "Sign users in with a button, without a password. For tests.")
    var withoutPasswords = false

    @Flag(
        help: """
            Let users sign in with passkeys, and add them on the page /account. Needs an issuer with a host name.
            """
    )
    var passkeys = false

    @Option(
        help: ArgumentHelp("Sign this user, or the one of login_hint, in without a page. For tests.", valueName: "user")
    )
    var signInAs: String?

    @Flag(help: "Let clients that register themselves name URIs of this machine, such as for back-channel logout.")
    var loopbackClients = false

    @Option(
        help: ArgumentHelp(
            "A file with a token for requests below /admin, which change users, clients, sessions, keys and faults.",
            valueName: "file"
        ),
        completion: .file()
    )
    var adminTokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A file with the state to start with, as GET /admin/snapshot returns it; it replaces that of --store.",
            valueName: "file"
        ),
        completion: .file()
    )
    var snapshot: String?

    @Option(
        help: ArgumentHelp(
            "Draw codes, tokens, secrets and keys from this number, the same at each start. Anyone can foresee them.",
            valueName: "number"
        )
    )
    var seed: UInt64?

    @Flag(
        help: """
            Record what clients send, without secrets, for the page /inspector. Beyond this machine it needs \
            --admin-token-file.
            """
    )
    var inspector = false

    @Option(help: ArgumentHelp("The address to listen on; needs --issuer. (default: 127.0.0.1)", valueName: "address"))
    var host: String?

    @Flag(
        help: """
            Serve https with a certificate of an authority that is made on this machine, in ~/.local/share/ostiary/tls.
            """
    )
    var tls = false

    @Option(help: ArgumentHelp("A PEM file with the certificate to present.", valueName: "file"), completion: .file())
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("A PEM file with the certificate's key.", valueName: "file"), completion: .file())
    var tlsKey: String?

    @Option(help: ArgumentHelp("The form of log lines: json has one object a line.", valueName: "form"))
    var log: LogForm = .text

    func validate() throws {
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key go together.")
        }
        guard !tls || tlsCertificate == nil else { throw ValidationError("Choose --tls or --tls-certificate.") }
        guard !withoutPasswords || signInAs == nil else {
            throw ValidationError("Choose --without-passwords or --sign-in-as.")
        }
        guard !inspector || host == nil || host == "127.0.0.1" || adminTokenFile != nil else {
            throw ValidationError("--inspector with --host needs --admin-token-file, a token for the page.")
        }
        guard scenario == nil || !scenariosByRequest else {
            throw ValidationError("Choose --scenario or --scenarios-by-request.")
        }
    }

    /// Whether one of the options is given that a dialect does not take.
    var changesProvider: Bool {
        rules != nil || !resource.isEmpty || !scope.isEmpty || !redirectURI.isEmpty || scenario != nil
            || scenariosByRequest || !scenarioAt.isEmpty || withoutPasswords || loopbackClients || adminTokenFile != nil
            || signInAs != nil || snapshot != nil || seed != nil || host != nil || tls || inspector || passkeys
            || tlsCertificate != nil
    }

    /// Returns the source of random numbers for one purpose.
    ///
    /// - Parameter stream: The purpose; two have no number in common.
    /// - Returns: The numbers of the seed, or else the system's.
    func random(_ stream: UInt64) -> any RandomNumberGenerator & Sendable {
        guard let seed else { return SecureRandom() }
        return PredictableRandom(seed: seed, stream: stream)
    }

    /// Gives a configuration a key of the seed for each algorithm that has none and is not RSA.
    func addKeys(to configuration: inout ProviderConfiguration, stream: UInt64) {
        guard let seed else { return }
        var random = PredictableRandom(seed: seed, stream: stream)
        for algorithm in configuration.signingAlgorithms
        where !configuration.signingKeys.contains(where: { $0.algorithm == algorithm }) {
            if let key = random.signingKey(algorithm) { configuration.signingKeys.append(key) }
        }
    }

    /// The authority of this machine with `--tls`, whose certificate is for the issuer's host and the address, too.
    ///
    /// - Throws: ``ProviderServerError`` with the file that cannot be read or made.
    func authority(issuer: Issuer?) throws(ProviderServerError) -> DevelopmentAuthority? {
        guard tls else { return nil }
        let everywhere = ["0.0.0.0", "::"]
        let names = [issuer?.url.host(), host].compactMap(\.self).filter { !everywhere.contains($0) }
        let folder = Environment.folder("XDG_DATA_HOME", ".local/share").appending(path: "ostiary/tls")
        return try DevelopmentAuthority(folder: folder.path(percentEncoded: false), names: names)
    }

    /// The certificate of files; `nil` for plain HTTP.
    var certificate: ProviderTLS? {
        guard let tlsCertificate, let tlsKey else { return nil }
        return ProviderTLS(certificateFile: tlsCertificate, keyFile: tlsKey)
    }

    /// The option with which the provider serves https; `nil` for none.
    var certificateOption: String? { tls ? "--tls" : tlsCertificate.map { _ in "--tls-certificate" } }

    /// The address to listen on.
    func address(port: Int) -> ProviderAddress {
        guard let host, host != "127.0.0.1" else { return .loopback(port: port) }
        return .allowingOtherMachines(host: host, port: port)
    }

    /// The digest of the administration's token; `nil` for no administration.
    ///
    /// - Throws: ``UsageError`` for a file that cannot be read, or has a token that can be guessed or not be sent.
    func administrationToken(console: Console) throws(UsageError) -> SecretDigest? {
        guard let adminTokenFile else { return nil }
        let token = try SecretSource.file(adminTokenFile).secret(console: console)
        guard token.reveal().utf8.count >= 16, token.reveal().utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            let path = adminTokenFile.shortened
            let rule = "needs at least 16 characters of ASCII without a space"
            throw UsageError("The token in \(path) \(rule). Run: openssl rand -hex 32 > \(path)")
        }
        return SecretDigest(of: token)
    }

    /// Replaces the state of a provider by that of the file, if there is one.
    ///
    /// - Throws: ``UsageError`` that names the file.
    func restoreSnapshot(at provider: Provider, console: Console) async throws(UsageError) {
        guard let snapshot else { return }
        let bytes = try SecretFile.bytes(of: snapshot, "snapshot", Provider.maximumSnapshotBytes, console: console)
        do throws(ProviderSnapshotError) { try await provider.restore(bytes) } catch {
            throw UsageError("The snapshot file \(snapshot.shortened) cannot be used. \(error)".printable)
        }
    }

    /// Changes a configuration according to the options.
    ///
    /// - Throws: ``UsageError`` that names the option.
    func apply(to configuration: inout ProviderConfiguration) throws {
        if let rules { configuration.rules = rules.rules }
        for text in resource where !configuration.resources.contains(where: { $0.identifier == text }) {
            do { _ = try ResourceIndicator(text) } catch {
                throw UsageError("--resource \(text.shortened) has to be an absolute URI without a fragment.")
            }
            configuration.resources.append(ProviderResource(identifier: text, name: text))
        }
        for name in scope {
            let scope = Scope(rawValue: name)
            guard !name.isEmpty, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) else {
                throw UsageError("--scope \(name.shortened) is not one scope: a scope has no space or quote.")
            }
            if !configuration.additionalScopes.contains(where: { $0.scope == scope }) {
                configuration.additionalScopes.append(ProviderScope(scope, sentence: "Use \(name)"))
            }
            for index in configuration.clients.indices where !configuration.clients[index].allowedScopes.contains(scope)
            {
                configuration.clients[index].allowedScopes.append(scope)
            }
        }
        if loopbackClients { configuration.registration.reach = .publicHostsAndLoopback }
        configuration.scenarioTurns = scenarioAt
        if scenariosByRequest { configuration.scenarioChoice = .byRequest }
        if withoutPasswords { configuration.signIn = .choice }
        if let signInAs {
            guard configuration.users.contains(where: { $0.name == signInAs }) else {
                let names = configuration.users.map(\.name).joined(separator: ", ")
                throw UsageError("There is no user \(signInAs.shortened). Users: \(names)")
            }
            configuration.signIn = .automatic(userName: signInAs)
        }
        if passkeys { configuration.passkeys = .accepted }
        configuration.frontPage = .present
        if inspector { configuration.inspector = .present }
    }
}

/// The named rules to hold clients to.
struct RulesChoice: ExpressibleByArgument, Sendable {
    let rules: ProviderRules

    static var allValueStrings: [String] { ProviderRules.all.map(\.name) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    init?(argument: String) {
        guard let rules = ProviderRules.named(argument) else { return nil }
        self.rules = rules
    }
}

/// The fault to play.
struct ScenarioName: ExpressibleByArgument, Sendable {
    let scenario: Scenario

    init?(argument: String) {
        guard let scenario = Scenario.named(argument) else { return nil }
        self.scenario = scenario
    }
}

/// The form of log lines.
enum LogForm: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text, json
}
