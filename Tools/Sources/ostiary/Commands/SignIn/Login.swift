import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary login`: a user signs in, and the session is stored.
struct Login: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign in and store the session.",
        discussion: """
            The earlier session of the profile stays until every check of the new one has
            passed. A refresh token that a logout could not revoke is revoked now; if that
            fails again, the output says so, and has the member revocationPending.

            EXAMPLES
              ostiary login --issuer https://id.example.com --client-id my-app
            For a browser on another machine than this one:
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
            At a server that publishes no metadata:
              ostiary login --issuer https://id.example.com --client-id my-app \\
                --authorization-endpoint https://id.example.com/authorize \\
                --token-endpoint https://id.example.com/token \\
                --jwks-uri https://id.example.com/jwks
            """
    )

    @OptionGroup(title: "Client") var client: ClientOptions
    @OptionGroup(title: "Server without metadata") var endpoints: EndpointOptions
    @OptionGroup(title: "Pages") var pages: UserAgentOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "The redirect URI; a loopback URI without a port gets a free one. (default: the registered one, or \(ClientOptions.freePort))",
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
            "A resource server for ostiary token --resource; may be repeated.",
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
            "The greatest age of the user's authentication; the ID token is checked.",
            valueName: "seconds"
        )
    )
    var maxAge: Int?

    @Option(
        help: ArgumentHelp(
            "Accepted values of acr, the best first; another one is rejected.",
            valueName: "values"
        )
    )
    var acrValues: String?

    @Option(
        help: ArgumentHelp(
            "The interaction: none, login, consent, select_account, or create; may be repeated.",
            valueName: "prompt"
        ),
        completion: .list(Self.prompts)
    )
    var prompt: [String] = []

    @Option(help: ArgumentHelp("The user's name or address, for the sign-in page.", valueName: "name"))
    var loginHint: String?

    @Option(
        help: ArgumentHelp("The API that the token is for, at issuers that take audience (Auth0).", valueName: "name")
    )
    var audience: [String] = []

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp(
            "A further parameter of the authorization request, such as access_type=offline; may be repeated.",
            valueName: "name=value"
        )
    )
    var parameters: [String] = []

    mutating func validate() throws {
        if let maxAge, maxAge < 0 { throw ValidationError("--max-age is 0 seconds or more.") }
        for value in prompt where !Self.prompts.contains(value) {
            throw ValidationError("--prompt must be one of \(Self.prompts.joined(separator: ", ")).")
        }
        for parameter in parameters
        where (parameter.firstIndex(of: "=") ?? parameter.startIndex) == parameter.startIndex {
            throw ValidationError("--param needs a name and a value, such as access_type=offline.")
        }
    }

    private static let prompts = ["none", "login", "consent", "select_account", "create"]

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let profile = Profile(name: place.profile, store: place.store.open())
        let record = try await client.record(
            in: profile,
            scopes: scope.map(Scope.list),
            redirectURI: redirectURI,
            endpoints: endpoints,
            console: console
        )
        let request = try request(record)
        AttemptedSignIn.begin(record)
        let agent = try pages.userAgent(console: console)
        let signIn = try await SignInClient(
            record,
            of: profile,
            showing: agent,
            policy: SessionPolicy(browserDeadline: .seconds(pages.timeout)),
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
            renewableBy: LoginLine(place).text + " --prompt consent",
            requested: scope == nil ? [] : record.scopes
        )
        if await late.areLeft() { answer.tellOfRevocationsLeft() }
        return answer
    }

    private func request(_ record: ProfileRecord) throws(SignInError) -> AuthorizationRequest {
        // The default is limited to the scopes that the issuer lists.
        let isDefault = scope == nil && record.scopes == AuthorizationRequest.defaultScopes
        var request = AuthorizationRequest(
            scopes: isDefault ? nil : record.scopes,
            maximumAge: maxAge.map { .seconds($0) }
        )
        request.loginHint = loginHint
        for name in audience { request.additionalParameters.append(name, for: "audience") }
        for parameter in parameters {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            request.additionalParameters.append(parts[1], for: .init(rawValue: parts[0]))
        }
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
    /// `line` is the command that requests a refreshable session; `nil` where no command does. Of the `requested`
    /// scopes, which the user named, those that were not granted are listed.
    init(
        signedIn session: Session,
        at issuer: Issuer,
        renewableBy line: String? = nil,
        requested: [Scope] = []
    ) {
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
        let refused = requested.filter { !session.scopes.contains($0) }
        if !refused.isEmpty { members["notGranted"] = .string(refused.text) }
        text = "Signed in at \(issuer.description.printable)\n\n"
        // These are for programs.
        var shown = claims
        for name in ["nonce", "at_hash", "c_hash", "s_hash", "sid", "jti", "iat"] { shown[name] = nil }
        if !shown.isEmpty { text += ClaimsTable(shown).text + "\n" }
        var grant = ClaimsTable()
        if let unsigned { grant.add("user (unsigned)", unsigned) }
        grant.add("scope", session.scopes.text)
        if !refused.isEmpty { grant.add("not granted", refused.text) }
        grant.add("access token", session.accessTokenExpiry.map { "until \($0.internetTime)" } ?? "without a known end")
        grant.add("renewable", session.isRefreshable ? "yes" : "no")
        if let end = session.expectedEnd { grant.add("session ends", end.internetTime) }
        text += grant.text
        if let reason = session.notRenewable { text += "\n\(reason.advice(line))\n" }
    }
}

extension Session {
    /// The reason the session cannot be refreshed; `nil` when it can be.
    fileprivate var notRenewable: Session.Renewal.Reason? {
        if case .notRenewable(let reason) = renewal { reason } else { nil }
    }
}

extension Session.Renewal.Reason {
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
