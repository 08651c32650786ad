import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary token`: the one command that prints a token, which is its purpose.
struct Token: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a valid access token.",
        discussion: """
            Refreshes the token first if it is about to expire. Standard output has the
            token and nothing else.

            Every user of the machine can read a program's arguments, so pass the token to
            curl through its configuration.

            EXAMPLES
              ostiary token --format curl | curl --config - https://api.example.com
              eval "$(ostiary token --format env)"
              ostiary token --min-valid 600 --profile work
              ostiary token --resource https://api.example.com
              ostiary token --id-token --format kubectl
            """
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup(title: "Issuer") var server: ServerOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "The resource server of the token (RFC 8707). (default: the token of the sign-in)",
            valueName: "uri"
        )
    )
    var resource: String?

    @Option(
        help: ArgumentHelp(
            "The seconds for which the token is at least valid; the command fails when the issuer issues no such token. (default: 30, or half the token's lifetime)",
            valueName: "seconds"
        )
    )
    var minValid: Int?

    @Flag(
        name: .customLong("id-token"),
        help: "Print the ID token of the last sign-in or refresh instead, which may have expired."
    )
    var isIDToken = false

    @Option(help: "The form in which the token is printed.")
    var format: TokenFormat = .raw

    mutating func validate() throws {
        if format == .json { output.json = true }
        if output.json, ![.raw, .json].contains(format) {
            throw ValidationError("--json cannot be combined with --format \(format.rawValue).")
        }
        if isIDToken, resource != nil || minValid != nil {
            throw ValidationError("--id-token takes neither --resource nor --min-valid.")
        }
        if isIDToken, [.header, .curl].contains(format) {
            throw ValidationError("An ID token is not for an API: --id-token takes --format raw, json, env or kubectl.")
        }
        if let minValid, minValid < 0 { throw ValidationError("--min-valid is 0 seconds or more.") }
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let resource = try resource.map { (text) throws(SignInError) in try ResourceIndicator(text) }
        return try await StoredSignIn.with(place, accepting: server, telling: trace) { signIn in
            if isIDToken {
                guard let identity = signIn.session.identity else {
                    throw ExplainedError(
                        SignInError(.identity, .configuration("The session has no ID token.")),
                        "The session has no ID token: it was signed in without the scope openid.",
                        advice: "Run: \(LoginLine(place).text) --scope openid"
                    )
                }
                return try Answer(identity: identity, as: format)
            }
            let token = try await signIn.accessToken(for: resource, minimumValidity: minValid.map { .seconds($0) })
            try check(signIn.session.tokens.access(for: resource)?.lifetime)
            return try Answer(token, for: resource, of: signIn.session, as: format)
        }
    }

    /// Compares the token's lifetime with the required validity: no refresh brings a better one.
    private func check(_ lifetime: Duration?) throws(SignInError) {
        guard let minValid, let lifetime, lifetime < .seconds(minValid) else { return }
        let seconds = lifetime.components.seconds
        throw SignInError(
            .refresh,
            .configuration(
                """
                The issuer's access tokens are valid for \(seconds) seconds, and --min-valid asks for \(minValid): \
                ask for \(seconds) at most.
                """
            )
        )
    }
}

extension Answer {
    /// The ID token of a session.
    fileprivate init(identity: IDToken, as format: TokenFormat) throws(UsageError) {
        members = ["idToken": .string(identity.compact.reveal()), "expiresAt": identity.expiry.json]
        text = try format.text(of: identity.compact, type: "N_A", expiry: identity.expiry)
    }

    fileprivate init(
        _ token: Secret,
        for resource: ResourceIndicator?,
        of session: Session,
        as format: TokenFormat
    ) throws(UsageError) {
        members = [
            "accessToken": .string(token.reveal()),
            "tokenType": .string(session.tokenType),
            "expiresAt": session.accessTokenExpiry(for: resource).json,
        ]
        members["resource"] = resource.map { .string($0.description) }
        text = try format.text(
            of: token,
            type: session.tokenType,
            expiry: session.accessTokenExpiry(for: resource)
        )
    }
}
