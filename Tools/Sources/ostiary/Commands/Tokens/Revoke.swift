import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary revoke`: makes a token worthless.
struct Revoke: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Revoke a token.",
        discussion: """
            Without --token-file, revokes the access token of the profile. The session
            continues, and the next command that needs a token gets a new one; ostiary
            logout ends the session. Revoking a token that the issuer does not know
            succeeds.

            EXAMPLES
              ostiary revoke
              ostiary revoke --issuer https://id.example.com --client-id app --token-file -
            """
    )

    @OptionGroup(title: "Token") var subject: TokenOptions
    @OptionGroup(title: "Client") var client: ClientOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let request = NamedTokenRequest(subject, client, place)
        return try await request.perform(
            on: console,
            telling: trace,
            afterwards: { (signIn, token) throws(SignInError) in
                try await signIn.profile.noteRevoked(token, of: signIn.record)
            }
        ) { (client, token) throws(SignInError) in
            try await client.revoke(token, kind: subject.tokenTypeHint ?? .accessToken)
            return Answer(members: ["revocation": "revoked"], text: "Revoked\n")
        }
    }
}
