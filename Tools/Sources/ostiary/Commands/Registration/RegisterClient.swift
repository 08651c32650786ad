import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary register`: the first registration.
struct RegisterClient: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Register a client (RFC 7591)."
    )

    @Option(help: ArgumentHelp("The issuer's URL, exactly as the provider writes it.", valueName: "url"))
    var issuer: String?

    @OptionGroup var description: MetadataOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp("A file with the initial access token.", valueName: "file"),
        completion: .file()
    )
    var initialAccessTokenFile: String?

    @Option(
        help: ArgumentHelp("A file with a software statement (a signed JWT).", valueName: "file"),
        completion: .file()
    )
    var softwareStatementFile: String?

    @Option(
        help: ArgumentHelp(
            "A file for the client's secret, which only you can read, for other programs.",
            valueName: "file"
        ),
        completion: .file()
    )
    var secretOutputFile: String?

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        guard let named = issuer ?? CommandSettings.current.issuer else {
            throw UsageError("Which issuer? Pass --issuer URL.")
        }
        let issuer = try Issuer(named)
        let profile = Profile(name: place.profile, store: place.store.open())
        var metadata = try description.metadata(over: try MetadataOptions.standard)
        if let softwareStatementFile {
            let statement = try SecretFile.line(of: softwareStatementFile, "software statement", console: console)
            metadata.members["software_statement"] = .string(statement)
        }
        let token = try initialAccessTokenFile.map { Secret(try SecretFile.line(of: $0, "token", console: console)) }
        guard try await profile.registration() == nil else {
            throw UsageError(
                "A client is registered for the profile \(profile.name) already. Use another --profile, or run: "
                    + LoginLine.shell(["ostiary", "register", "delete"] + place.arguments)
            )
        }
        // Before anything is sent: a secret that cannot be written would be lost.
        let secretFile = try secretOutputFile.map { (path) throws(UsageError) in try OutputFile(path: path) }
        // Fails before anything is sent, when the registration could not be kept.
        try await profile.setRegistrationIssuer(issuer)
        let registrar = profile.registrar(at: issuer, telling: trace)
        let registration: ClientRegistration
        do throws(SignInError) {
            registration = try await registrar.register(metadata, initialAccessToken: token)
        } catch {
            try? await profile.setRegistrationIssuer(nil)
            throw error
        }
        if let secret = registration.clientSecret { try secretFile?.write(secret) }
        return Answer(registration, "Registered")
    }
}
