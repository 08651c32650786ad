import ArgumentParser
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary jwt decode`: the content of a token, without any verification.
struct DecodeJWT: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Show a token's claims without verifying them.",
        discussion: """
            EXAMPLES
              ostiary token | ostiary jwt decode
            """
    )

    @Argument(
        help: ArgumentHelp("A file with the token, or - for standard input.", valueName: "file"),
        completion: .file()
    )
    var file = "-"

    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let token = try await Secret(fileOrInput: file, "token", console: console)
        guard let decoded = DecodedJWT(token) else { throw UsageError("That is not a signed JSON Web Token.") }
        return Answer(
            members: [
                "verified": false, "header": .object(decoded.header), "claims": .object(decoded.claims),
            ],
            text: "NOT VERIFIED: any sender may have written this.\n\nHeader\n" + ClaimsTable(decoded.header).text
                + "\nClaims\n" + ClaimsTable(decoded.claims).text
        )
    }
}

/// The two readable parts of a token, unverified.
struct DecodedJWT: Sendable {
    let header: JSONObject
    let claims: JSONObject

    /// Reads them.
    ///
    /// - Returns: `nil` when the token does not have three parts, or is longer than 65,536 bytes.
    init?(_ token: Secret) {
        let text = token.reveal()
        guard text.utf8.count <= 65_536 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = try? Base64URL.decode(parts[0]),
            let claims = try? Base64URL.decode(parts[1]), let readableHeader = try? JSONObject(parsing: header),
            let readableClaims = try? JSONObject(parsing: claims)
        else { return nil }
        self.header = readableHeader
        self.claims = readableClaims
    }
}
