import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryServer

/// `ostiary jwt verify`: whether a token may be believed, check by check.
struct VerifyJWT: ExplainingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a token, and list every check.",
        discussion: """
            Makes all checks, also after one has failed; the exit status is then 7. A
            value that the command line does not name, such as the audience, is not
            checked.

            EXAMPLES
              ostiary token | ostiary jwt verify --issuer https://id.example.com \\
                --audience https://api.example.com --type access_token
              ostiary jwt verify token.txt --jwks keys.json
            """
    )

    @Argument(
        help: ArgumentHelp("A file with the token, or - for standard input.", valueName: "file"),
        completion: .file()
    )
    var file = "-"

    @Option(help: ArgumentHelp("The issuer of the token, whose keys are read.", valueName: "url"))
    var issuer: String?

    @Option(
        help: ArgumentHelp("A file with the keys, instead of the issuer's.", valueName: "file"),
        completion: .file()
    )
    var jwks: String?

    @Option(help: ArgumentHelp("The required audience: a client, or a resource server.", valueName: "name"))
    var audience: String?

    @Option(help: ArgumentHelp("The required kind of token.", valueName: "kind"))
    var type: JWTCheck.Kind = .any

    @Option(
        help: ArgumentHelp(
            "The form of access tokens: \(AccessTokenProfile.names.joined(separator: ", ")).",
            valueName: "profile"
        )
    )
    var tokens: String?

    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        if issuer == nil, jwks == nil { throw ValidationError("Give --issuer, or --jwks with a file of keys.") }
        if tokens != nil, type != .accessToken {
            throw ValidationError("--tokens is the form of access tokens: add --type access_token.")
        }
        if let tokens, !AccessTokenProfile.names.contains(tokens) {
            throw ValidationError(
                "There is no profile \(tokens): give one of \(AccessTokenProfile.names.joined(separator: ", "))."
            )
        }
        if tokens == "entra", issuer == nil {
            throw ValidationError("The tenant of Entra is in its issuer: add --issuer URL.")
        }
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let issuer = try issuer.map { (text) throws(SignInError) in try Issuer(text) }
        let token = try await Secret(fileOrInput: file, "token", console: console)
        let context = ExchangeContext(events: { trace.record($0) })
        let keys = try await keys(of: issuer, in: context)
        var check = JWTCheck(kind: type, issuer: issuer, audience: audience, keys: keys, now: context.clock.now)
        if let tokens {
            // Only Entra's profile looks at the issuer, and that one was asked for above.
            check.profile = try AccessTokenProfile.named(tokens, issuer: issuer ?? Issuer("https://issuer.invalid"))
        }
        let result = check.result(for: token)
        let checks: JSONValue = .array(result.checks.map { .object($0.object) })
        let lines = result.checks.map { "  \($0.line)\n" }.joined()
        if let failure = result.failure {
            if !output.json { try console.print("NOT VALID\n\n" + lines) }
            throw TracedFailure(cause: SignInError(.identity, .mismatch(failure.check)), members: ["checks": checks])
        }
        let claims = result.claims ?? [:]
        return Answer(
            members: ["verified": true, "claims": .object(claims), "checks": checks],
            text: "Valid\(uncompared)\n\n" + lines + "\nClaims\n" + ClaimsTable(claims).text
        )
    }

    /// The values that the arguments did not name, and the options that name them.
    private var uncompared: String {
        var missing: [String] = []
        if issuer == nil { missing.append("--issuer") }
        if audience == nil { missing.append("--audience") }
        if type == .any { missing.append("--type") }
        guard !missing.isEmpty else { return "" }
        return ", but not everything was compared: give \(missing.joined(separator: " and "))"
    }

    private func keys(of issuer: Issuer?, in context: ExchangeContext) async throws -> JSONWebKeySet {
        if let jwks {
            let text = try SecretFile.text(of: jwks, "key set", console: nil)
            do throws(JOSEError) {
                return try JSONWebKeySet(parsing: Array(text.utf8))
            } catch {
                throw UsageError("The key set file \(jwks) does not hold a JSON Web Key Set.")
            }
        }
        guard let issuer else { return JSONWebKeySet([]) }
        return try await IssuerKeys(of: issuer, in: context).keys
    }
}
