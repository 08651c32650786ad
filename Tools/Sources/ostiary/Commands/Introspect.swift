import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary introspect`: what the issuer says of a token.
struct Introspect: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask the issuer whether a token is good, and for what.",
        discussion: """
            EXAMPLES
              ostiary introspect
              ostiary introspect --issuer https://id.example.com --client-id api \\
                --client-secret-file secret.txt --token-file token.txt
            """
    )

    @OptionGroup(title: "Token") var subject: TokenOptions
    @OptionGroup(title: "Client") var client: ClientOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let request = TokenRequest(subject, client, place)
        return try await request.perform(on: console, telling: trace) { (client, token) throws(SignInError) in
            Answer(try await client.introspect(token, hint: subject.tokenTypeHint))
        }
    }
}

extension Answer {
    fileprivate init(_ token: TokenDescription) {
        switch token {
        case .inactive:
            members = ["active": false]
            text = "Not active: it has expired, was revoked, or is not one of this issuer's.\n"
        case .active(let claims):
            members = ["active": true, "claims": .object(claims.members)]
            var shown = claims.members
            shown["active"] = nil
            text = "Active\n\n" + ClaimsTable(shown).text
        }
    }
}
