import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary token`: the one command that prints a token, which is its purpose.
struct Token: SessionCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print an access token that is good for a while.",
        discussion: """
            The token is renewed first when it would not last. It is the only thing on
            standard output.

            EXAMPLES
              curl -H "Authorization: Bearer $(ostiary token)" https://api.example.com
              ostiary token --min-valid 600 --profile work
            """
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "How many seconds the token has to be good for at least. (default: 30)",
            valueName: "seconds"
        )
    )
    var minValid: Int?

    mutating func validate() throws {
        if let minValid, minValid < 0 { throw ValidationError("--min-valid is 0 seconds or more.") }
    }

    func answer(on console: Console) async throws -> Answer {
        try await StoredSignIn.with(place) { signIn in
            let token = try await signIn.session.accessToken(minimumValidity: minValid.map(Double.init))
            return Answer(token, of: signIn.session)
        }
    }
}

extension Answer {
    fileprivate init(_ token: Secret, of session: Session) {
        members = [
            "accessToken": .string(token.reveal()),
            "tokenType": .string(session.tokenType),
            "expiresAt": session.accessTokenExpiry.json,
        ]
        text = token.reveal().printable + "\n"
    }
}
