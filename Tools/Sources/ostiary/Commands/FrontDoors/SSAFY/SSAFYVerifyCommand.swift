import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiarySSAFY
import ProviderServer

/// `ostiary ssafy verify`: a user proves their membership, and the app's backend returns its result.
struct SSAFYVerifyCommand: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a member through the app's backend.",
        discussion: """
            The command posts the code to the backend as JSON with code, codeVerifier,
            redirectUri and iss, and gets no token.

            EXAMPLE
              ostiary ssafy verify --client-id ssafy-app \\
                --backend http://127.0.0.1:8080/verify
            """
    )

    @Option(parsing: .unconditional, help: ArgumentHelp("The client identifier.", valueName: "id"))
    var clientID: String

    @Option(help: ArgumentHelp("The backend's URL: https, or http on this machine.", valueName: "url"))
    var backend: String

    @Option(help: ArgumentHelp("The issuer's URL.", valueName: "url"))
    var issuer = SSAFYConfiguration.canonicalIssuer

    @Option(help: ArgumentHelp("The redirect URI.", valueName: "uri"))
    var redirectURI = "http://127.0.0.1/ssafy/callback"

    @Option(help: ArgumentHelp("The requested scopes besides ssafy.verify.", valueName: "scopes"))
    var scope = Scope.ssafyAffiliation.rawValue

    @OptionGroup(title: "Pages") var pages: UserAgentOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        guard let endpoint = URL(string: backend) else { throw ValidationError("--backend is a URL.") }
        let agent = try pages.userAgent(console: console)
        let verify = try SSAFYVerify(
            SSAFYConfiguration(
                clientID: clientID,
                redirectURI: redirectURI,
                scopes: Scope.list(scope),
                issuer: issuer
            ),
            backend: JSONVerificationBackend(endpoint: endpoint, transport: commandTransport),
            userAgent: agent,
            events: { trace.record($0) }
        )
        let result = try await verify.verify()
        await UserAgentOptions.settle(agent)
        return Answer(verified: result)
    }
}

extension Answer {
    /// The backend's result.
    init(verified result: VerificationResult) {
        members = [
            "status": .string(result.status.rawValue), "sub": .string(result.subject),
            "cohort": result.cohort.map { .string($0) } ?? .null, "campus": result.campus.map { .string($0) } ?? .null,
            "authenticatedAt": .string(result.authenticated.internetTime),
        ]
        text = ClaimsTable(members).text
    }
}
