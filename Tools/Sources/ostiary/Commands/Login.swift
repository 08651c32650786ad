import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary login`: a user signs in, and the session is stored.
struct Login: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign in and keep the session.",
        discussion: """
            An older session of the profile stays as it is until every check of the new
            one has passed. A refresh token that a logout could not revoke is revoked now;
            where that fails again the answer says so, and has the member
            revocationPending.

            EXAMPLES
              ostiary login --issuer https://id.example.com --client-id my-app
            Where no browser is, as over ssh:
              ostiary login --issuer https://id.example.com --client-id my-app \\
                --user-agent manual
            A client with a secret and a fixed redirect URI, as another profile:
              ostiary login --issuer https://id.example.com --client-id web \\
                --client-secret-file secret.txt --profile work \\
                --redirect-uri http://127.0.0.1:8400/callback
            The client of the profile: the one that ostiary register made for it,
            otherwise the one of its last sign-in, with the same scopes:
              ostiary login --profile work
            With a pushed request, bound tokens and a key instead of a secret:
              ostiary login --issuer https://id.example.com --client-id bank \\
                --security fapi2 --dpop --client-key key.pem
            """
    )

    @OptionGroup(title: "Client") var client: ClientOptions
    @OptionGroup(title: "Pages") var pages: UserAgentOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "Where the browser comes back to; a loopback URI without a port gets a free one. (default: what is registered, or \(ClientOptions.freePort))",
            valueName: "uri"
        )
    )
    var redirectURI: String?

    @Option(
        help: ArgumentHelp(
            "The requested scopes, separated by spaces. (default: openid, and profile and offline_access as far as the issuer lists them)",
            valueName: "scopes"
        )
    )
    var scope: String?

    @Option(
        help: ArgumentHelp(
            "A resource server that ostiary token --resource will ask tokens for; may be repeated.",
            valueName: "uri"
        )
    )
    var resource: [String] = []

    @Option(
        help: ArgumentHelp(
            "Whether the request is pushed to the issuer first (RFC 9126): auto where the issuer offers it, always, or never.",
            valueName: "when"
        )
    )
    var par: Pushing = .auto

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

    @Option(
        help: ArgumentHelp(
            "What the person is asked to do: none, login, consent, select_account, create; may be given again.",
            valueName: "prompt"
        )
    )
    var prompt: [String] = []

    @Option(help: ArgumentHelp("How many seconds the person may take.", valueName: "seconds"))
    var timeout = 300

    mutating func validate() throws {
        if let maxAge, maxAge < 0 { throw ValidationError("--max-age is 0 seconds or more.") }
        guard (1...86_400).contains(timeout) else { throw ValidationError("--timeout is 1 to 86400 seconds.") }
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let profile = Profile(name: place.profile, store: place.store.open())
        let record = try await client.record(
            in: profile,
            scopes: scope.map(Scope.list),
            redirectURI: redirectURI,
            console: console
        )
        let request = try request(record)
        let agent = try pages.userAgent(console: console)
        let signIn = try await SignInClient(
            record,
            of: profile,
            showing: agent,
            policy: SessionPolicy(browserDeadline: .seconds(timeout)),
            telling: trace
        )
        // While the user is at the page.
        let late = LateRevocations(of: signIn)
        let session: Session
        do {
            session = try await profile.keep(record) { () async throws(SignInError) in try await signIn.signIn(request)
            }
        } catch {
            // A user who declined is still in the browser, before the last page.
            await UserAgentOptions.settle(agent)
            throw error
        }
        await UserAgentOptions.settle(agent)
        var answer = Answer(
            signedIn: session,
            at: record.issuer,
            renewableBy: LoginLine(place).text + " --prompt consent"
        )
        if await late.areLeft() { answer.tellOfRevocationsLeft() }
        return answer
    }

    private func request(_ record: ProfileRecord) throws(SignInError) -> AuthorizationRequest {
        // The default is limited to the scopes that the issuer lists.
        let isDefault = scope == nil && record.scopes == AuthorizationRequest.defaultScopes
        var request = AuthorizationRequest(scopes: isDefault ? nil : record.scopes, maximumAge: maxAge)
        request.resources = try ResourceIndicator.list(resource)
        request.pushing = par.pushing
        request.prompt = prompt.map(AuthorizationRequest.Prompt.init(rawValue:))
        let values = acrValues.map { $0.split(separator: " ").map(String.init) } ?? []
        // A method of authentication on the command line is a requirement: any other is rejected.
        if !values.isEmpty { request.authenticationContext = .required(values) }
        return request
    }
}

extension Answer {
    /// The user and the granted scopes; no token.
    ///
    /// - Parameter line: The command that requests a refreshable session; `nil` where no command does.
    init(signedIn session: Session, at issuer: Issuer, renewableBy line: String? = nil) {
        let claims = session.identity?.claims ?? [:]
        members = [
            "issuer": .string(issuer.description),
            "claims": .object(claims),
            "scope": .string(session.scopes.text),
            "tokenType": .string(session.tokenType),
            "expiresAt": session.accessTokenExpiry.json,
            "refreshable": .bool(session.isRefreshable),
            "notRenewable": session.notRenewable.map { .string($0.rawValue) } ?? .null,
            "endsAt": session.expectedEnd.json,
        ]
        // A server without ID tokens may name the user in the token response. No signature vouches for it.
        let unsigned = session.identity == nil ? session.additionalMembers["sub"]?.reveal() : nil
        if let unsigned { members["sub"] = .string(unsigned) }
        text = "Signed in at \(issuer.description.printable)\n\n"
        if !claims.isEmpty { text += ClaimsTable(claims).text + "\n" }
        var grant = ClaimsTable()
        if let unsigned { grant.add("user (unsigned)", unsigned) }
        grant.add("scope", session.scopes.text)
        grant.add("access token", session.accessTokenExpiry.map { "until \($0.internetTime)" } ?? "without a known end")
        grant.add("renewable", session.isRefreshable ? "yes" : "no")
        if let end = session.expectedEnd { grant.add("session ends", end.internetTime) }
        text += grant.text
        if let reason = session.notRenewable { text += "\n\(reason.advice(line))\n" }
    }
}

extension Session {
    /// The reason the session cannot be refreshed; `nil` when it can be.
    fileprivate var notRenewable: SessionRenewal.Reason? {
        if case .notRenewable(let reason) = renewal { reason } else { nil }
    }
}

extension SessionRenewal.Reason {
    /// The reason, and the next step on a command line.
    fileprivate func advice(_ line: String?) -> String {
        switch self {
        case .offlineAccessNotGranted:
            "The issuer did not grant offline_access, so the session ends with its access token."
                + (line.map { " Run: \($0)" } ?? "")
        case .refreshTokenNotIssued: message
        }
    }
}

extension Date? {
    /// The time as a JSON string, or `null`.
    var json: JSONValue { map { .string($0.internetTime) } ?? .null }
}
