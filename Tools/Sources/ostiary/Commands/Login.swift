import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary login`: a person signs in, and the session is kept.
struct Login: SessionCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign in and keep the session.",
        discussion: """
            An older session of the profile stays as it is until every check of the new
            one has passed.

            EXAMPLES
              ostiary login --issuer https://id.example.com --client-id my-app
            Where no browser is, as over ssh:
              ostiary login --issuer https://id.example.com --client-id my-app \\
                --user-agent manual
            A client with a secret and a fixed redirect URI, as another profile:
              ostiary login --issuer https://id.example.com --client-id web \\
                --client-secret-file secret.txt --profile work \\
                --redirect-uri http://127.0.0.1:8400/callback
            """
    )

    @OptionGroup(title: "Client") var client: ClientOptions
    @OptionGroup(title: "Pages") var pages: UserAgentOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    @Option(help: ArgumentHelp("What is asked for, separated by spaces.", valueName: "scopes"))
    var scope = "openid profile offline_access"

    @Option(
        help: ArgumentHelp(
            "How many seconds ago the person may have authenticated; the answer is checked.",
            valueName: "seconds"
        )
    )
    var maxAge: Int?

    @Option(
        help: ArgumentHelp(
            "How the person has to authenticate: one of these values of acr, the best first; another is refused.",
            valueName: "values"
        )
    )
    var acrValues: String?

    @Option(help: ArgumentHelp("How many seconds the person may take.", valueName: "seconds"))
    var timeout = 300

    mutating func validate() throws {
        if let maxAge, maxAge < 0 { throw ValidationError("--max-age is 0 seconds or more.") }
        guard (1...86_400).contains(timeout) else { throw ValidationError("--timeout is 1 to 86400 seconds.") }
    }

    func answer(on console: Console) async throws -> Answer {
        let record = try client.record(scopes: Scope.list(scope), console: console)
        let profile = Profile(name: place.profile, store: place.store.open())
        let agent = try pages.userAgent(console: console)
        let signIn = try SignInClient(
            record,
            of: profile,
            showing: agent,
            policy: SessionPolicy(browserDeadline: .seconds(timeout))
        )
        // Fails before anybody is asked for a password, when the new session could not be kept.
        _ = try await profile.record()
        try await profile.prepare(record)
        let session: Session
        do {
            session = try await signIn.signIn(request)
        } catch {
            await profile.discardPreparation()
            // Who declined is still in the browser, before the last page.
            await UserAgentOptions.settle(agent)
            throw error
        }
        try await profile.commit(record)
        await UserAgentOptions.settle(agent)
        return Answer(signedIn: session, at: record.issuer)
    }

    private var request: AuthorizationRequest {
        var request = AuthorizationRequest(scopes: Scope.list(scope), maximumAge: maxAge)
        let values = acrValues.map { $0.split(separator: " ").map(String.init) } ?? []
        // Who asks for a way to authenticate on a command line relies on it: another way is refused.
        if !values.isEmpty { request.authenticationContext = .required(values) }
        return request
    }
}

extension ClientOptions {
    /// The client as it is kept with the session.
    fileprivate func record(scopes: [Scope], console: Console) throws -> ProfileRecord {
        ProfileRecord(
            issuer: try Issuer(issuer),
            clientID: clientID,
            redirectURI: try RedirectURI(redirectURI),
            authentication: try authentication(console: console),
            scopes: scopes,
            idTokenAlgorithm: idTokenAlg,
            userInfoAlgorithm: userinfoAlg
        )
    }

    private func authentication(console: Console) throws(UsageError) -> ProfileRecord.Authentication {
        let source = clientSecretFile.map(SecretSource.file) ?? clientSecretEnv.map(SecretSource.environment)
        guard let secret = try source?.secret(console: console) else { return .none }
        return clientAuth == .clientSecretPost ? .clientSecretPost(secret) : .clientSecretBasic(secret)
    }
}

extension Answer {
    /// Who signed in, and what was granted; no token.
    init(signedIn session: Session, at issuer: Issuer) {
        let claims = session.identity?.claims ?? [:]
        members = [
            "issuer": .string(issuer.description),
            "claims": .object(claims),
            "scope": .string(session.scopes.text),
            "tokenType": .string(session.tokenType),
            "expiresAt": session.accessTokenExpiry.json,
            "refreshable": .bool(session.isRefreshable),
        ]
        text = "Signed in at \(issuer.description.printable)\n\n"
        if !claims.isEmpty { text += ClaimsTable(claims).text + "\n" }
        var grant = ClaimsTable()
        grant.add("scope", session.scopes.text)
        grant.add("access token", session.accessTokenExpiry.map { "until \($0.internetTime)" } ?? "without a known end")
        grant.add("renewable", session.isRefreshable ? "yes" : "no")
        text += grant.text
    }
}

extension Date? {
    /// The time as a JSON string, or `null`.
    var json: JSONValue { map { .string($0.internetTime) } ?? .null }
}
