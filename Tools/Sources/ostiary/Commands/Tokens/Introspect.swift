import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary introspect`: the state of a token at the issuer.
struct Introspect: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Introspect a token at the issuer (RFC 7662).",
        discussion: """
            The endpoint is that of the issuer's metadata. Some servers name none and
            serve it on a private port, such as Ory Hydra on its port for administrators:
            name it with --introspection-endpoint. The token and the client's credentials
            are sent there.

            EXAMPLES
              ostiary introspect
              ostiary introspect --issuer https://id.example.com --client-id api \\
                --client-secret-file secret.txt --token-file token.txt
              ostiary introspect \\
                --introspection-endpoint http://127.0.0.1:4445/admin/oauth2/introspect
            """
    )

    @OptionGroup(title: "Token") var subject: TokenOptions
    @Option(
        help: ArgumentHelp(
            "The endpoint: an https URL, or one on this machine. (default: that of the issuer's metadata)",
            valueName: "url"
        ),
        transform: Self.endpoint
    )
    var introspectionEndpoint: URL?

    @OptionGroup(title: "Client") var client: ClientOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let request = NamedTokenRequest(subject, client, place)
        return try await request.perform(on: console, telling: trace) { (client, token) throws(SignInError) in
            Answer(try await client.introspect(token, hint: subject.tokenTypeHint, at: introspectionEndpoint))
        }
    }

    /// An endpoint that a token may be sent to (RFC 7662 section 4).
    @Sendable private static func endpoint(_ text: String) throws -> URL {
        guard let url = URL(string: text), Origin(url) != nil, url.fragment == nil else {
            throw ValidationError("--introspection-endpoint is an https URL, or an http URL on this machine.")
        }
        return url
    }
}

extension Answer {
    fileprivate init(_ token: IntrospectionRequest.TokenDescription) {
        switch token {
        case .inactive:
            members = ["active": false]
            text = "Not active: expired, revoked, not from this issuer, or this client may not look it up.\n"
        case .active(let claims):
            members = ["active": true, "claims": .object(claims.members)]
            var shown = claims.members
            shown["active"] = nil
            text = "Active\n\n" + ClaimsTable(shown).text
        }
    }
}
