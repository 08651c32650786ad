import ArgumentParser
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary pkce`: a proof key for a request that is made by hand.
struct ProofKeyCommand: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "pkce",
        abstract: "Make a PKCE code verifier and its challenge.",
        discussion: """
            RFC 7636, with the method S256. With --verifier-file the challenge of a
            verifier that you have.

            EXAMPLES
              ostiary pkce
            """
    )

    @Option(
        help: ArgumentHelp("A file with a code verifier, or - for standard input.", valueName: "file"),
        completion: .file()
    )
    var verifierFile: String?

    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        var verifier = OneTimeText.make()
        if let verifierFile {
            verifier = try await Secret(fileOrInput: verifierFile, "code verifier", console: console).reveal()
        }
        guard verifier.wholeMatch(of: /[A-Za-z0-9._~-]{43,128}/) != nil else {
            throw UsageError("A code verifier has 43 to 128 letters, digits, dots, hyphens, underscores and tildes.")
        }
        let challenge = Base64URL.encode(HashAlgorithm.sha256.hash(Array(verifier.utf8)))
        var table = ClaimsTable()
        table.add("code_verifier", verifier)
        table.add("code_challenge", challenge)
        table.add("code_challenge_method", "S256")
        return Answer(
            members: [
                "code_verifier": .string(verifier), "code_challenge": .string(challenge),
                "code_challenge_method": "S256",
            ],
            text: table.text
        )
    }
}
