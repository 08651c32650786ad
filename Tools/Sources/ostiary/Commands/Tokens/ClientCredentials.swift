import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary client-credentials`: a token for the client itself.
struct ClientCredentials: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        commandName: "client-credentials",
        abstract: "Get a token for the client itself.",
        discussion: """
            The client credentials grant (RFC 6749 section 4.4): no user signs in, and the
            token is not stored. Standard output has the token and nothing else.

            EXAMPLES
              ostiary client-credentials --issuer https://id.example.com \\
                --client-id batch --client-secret-file secret.txt --scope orders.read
              ostiary client-credentials --issuer https://id.example.com \\
                --client-id batch --client-key key.pem --format curl \\
                | curl --config - https://api.example.com
            """
    )

    @OptionGroup(title: "Client") var client: ClientOptions
    @OptionGroup(title: "Server without metadata") var endpoints: EndpointOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    @Option(help: ArgumentHelp("The requested scopes, separated by spaces.", valueName: "scopes"))
    var scope: String?

    @Option(help: ArgumentHelp("A resource server of the token (RFC 8707); may be repeated.", valueName: "uri"))
    var resource: [String] = []

    @Option(help: "The form in which the token is printed.")
    var format: TokenFormat = .raw

    mutating func validate() throws {
        if format == .json { output.json = true }
        if output.json, ![.raw, .json].contains(format) {
            throw ValidationError("--json cannot be combined with --format \(format.rawValue).")
        }
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let profile = Profile(name: place.profile, store: place.store.open())
        let resources = try ResourceIndicator.list(resource)
        let record = try await client.record(in: profile, endpoints: endpoints, console: console)
        guard record.authentication != .none else {
            throw UsageError(
                "A token for the client itself needs its secret or key: pass --client-secret-file, --client-secret-env "
                    + "or --client-key, with --issuer and --client-id."
            )
        }
        let signIn = try await SignInClient(record, of: profile, telling: trace)
        let tokens = try await signIn.clientCredentials(scopes: scope.map(Scope.list) ?? [], resources: resources)
        return try Answer(clientCredentials: tokens, as: format)
    }
}

extension Answer {
    fileprivate init(clientCredentials tokens: TokenSet, as format: TokenFormat) throws(UsageError) {
        members = [
            "accessToken": .string(tokens.accessToken.reveal()), "tokenType": .string(tokens.tokenType),
            "scope": .string(tokens.scopes.text), "expiresAt": tokens.expiry.json,
        ]
        text = try format.text(of: tokens.accessToken, type: tokens.tokenType, expiry: tokens.expiry)
    }
}
