import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary exchange`: another token for one that is there.
struct Exchange: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Exchange a token for another (RFC 8693).",
        discussion: """
            The new token is written to the file of --output-file, which only its owner
            can read. When that is -, standard output has the token and nothing else.
            Types of tokens are access_token, refresh_token, id_token, jwt, or URIs.

            EXAMPLES
              ostiary token | ostiary exchange --issuer https://id.example.com \\
                --client-id gateway --client-secret-file secret.txt \\
                --subject-token-file - --audience orders --output-file orders.txt
            """
    )

    @OptionGroup(title: "Client") var client: ClientOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "File with the subject token (the user's token), or - for standard input.",
            valueName: "file"
        ),
        completion: .file()
    )
    var subjectTokenFile: String

    @Option(
        help: ArgumentHelp("The type of that token. (default: access_token)", valueName: "type"),
        completion: .list(TokenType.shortNames),
        transform: TokenType.named
    )
    var subjectTokenType: TokenType?

    @Option(
        help: ArgumentHelp("File with the actor token (the token of the acting party).", valueName: "file"),
        completion: .file()
    )
    var actorTokenFile: String?

    @Option(
        help: ArgumentHelp("The type of that token. (default: access_token)", valueName: "type"),
        completion: .list(TokenType.shortNames),
        transform: TokenType.named
    )
    var actorTokenType: TokenType?

    @Option(help: ArgumentHelp("The name of a service that the new token is for; may be repeated.", valueName: "name"))
    var audience: [String] = []

    @Option(help: ArgumentHelp("The URL of a service that the new token is for; may be repeated.", valueName: "uri"))
    var resource: [String] = []

    @Option(help: ArgumentHelp("The requested scopes, separated by spaces.", valueName: "scopes"))
    var scope: String?

    @Option(
        help: ArgumentHelp("The requested type; a response with another type is rejected.", valueName: "type"),
        completion: .list(TokenType.shortNames),
        transform: TokenType.named
    )
    var requestedTokenType: TokenType?

    @Option(
        help: ArgumentHelp("File for the new token, or - for standard output. (required)", valueName: "file"),
        completion: .file()
    )
    var outputFile: String?

    mutating func validate() throws {
        if outputFile == nil {
            throw ValidationError("Pass --output-file FILE, or --output-file - to print the new token.")
        }
        if actorTokenType != nil, actorTokenFile == nil {
            throw ValidationError("--actor-token-type needs --actor-token-file.")
        }
        if subjectTokenFile == "-", actorTokenFile == "-" {
            throw ValidationError("One of the two tokens can come from standard input.")
        }
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let profile = Profile(name: place.profile, store: place.store.open())
        let resources = try ResourceIndicator.list(resource)
        let record = try await client.knownRecord(of: profile, console: console)
        let signIn = try await SignInClient(record, of: profile, telling: trace)
        let subject = TokenExchangeGrant.Token(
            try await Secret(fileOrInput: subjectTokenFile, "token", console: console),
            subjectTokenType ?? .accessToken
        )
        var actor: TokenExchangeGrant.Token?
        if let actorTokenFile {
            actor = TokenExchangeGrant.Token(
                try await Secret(fileOrInput: actorTokenFile, "token", console: console),
                actorTokenType ?? .accessToken
            )
        }
        // Before the request is sent: a token that cannot be stored would be lost.
        let file = try outputFile.flatMap { $0 == "-" ? nil : $0 }.map { (path) throws(UsageError) in
            try OutputFile(path: path)
        }
        let tokens = try await signIn.exchange(
            subject,
            actor: actor,
            audiences: audience,
            resources: resources,
            scopes: scope.map(Scope.list) ?? [],
            requestedType: requestedTokenType
        )
        try file?.write(tokens.accessToken)
        return Answer(exchanged: tokens, prints: outputFile == "-" ? .token : .description)
    }
}

/// Whether the answer contains the token.
private enum Printing {
    case token, description
}

extension Answer {
    fileprivate init(exchanged tokens: TokenSet, prints printing: Printing) {
        members = [
            "issuedTokenType": tokens.issuedTokenType.map { .string($0.rawValue) } ?? .null,
            "tokenType": .string(tokens.tokenType),
            "scope": .string(tokens.scopes.text),
            "expiresAt": tokens.expiry.json,
        ]
        guard printing == .description else {
            members["accessToken"] = .string(tokens.accessToken.reveal())
            text = tokens.accessToken.reveal().printable + "\n"
            return
        }
        var table = ClaimsTable()
        table.add("kind", tokens.issuedTokenType?.rawValue ?? "not said")
        table.add("token type", tokens.tokenType)
        table.add("scope", tokens.scopes.text)
        if let expiry = tokens.expiry { table.add("expires", expiry.internetTime) }
        text = "Exchanged\n\n" + table.text
    }
}
