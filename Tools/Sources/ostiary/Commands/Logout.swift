import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary logout`: the session ends here first, then at the provider.
struct Logout: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        abstract: "End the session: here first, then at the issuer.",
        discussion: """
            What is stored is removed before anything is sent. The refresh token is then
            revoked, and with --post-logout-redirect-uri the issuer's end-session page is
            shown. What fails there is reported and does not bring the session back: the
            exit status is 0.

            EXAMPLES
              ostiary logout
              ostiary logout --post-logout-redirect-uri http://127.0.0.1/
            """
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup(title: "Pages") var pages: UserAgentOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    @Option(
        name: .customLong("post-logout-redirect-uri"),
        help: ArgumentHelp("End the issuer's own session, too, and come back here.", valueName: "uri")
    )
    var postLogoutRedirectURI: String?

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let redirectURI: RedirectURI? = try postLogoutRedirectURI.map { try RedirectURI($0) }
        let agent: any UserAgent = redirectURI == nil ? NoUserAgent() : try pages.userAgent(console: console)
        return try await StoredSignIn.with(place, showing: agent, telling: trace) { signIn in
            let hadRefreshToken = signIn.session.isRefreshable
            let report = try await signIn.session.signOut(endingProviderSessionAt: redirectURI)
            try await signIn.profile.remove()
            await UserAgentOptions.settle(agent)
            return Answer(
                Outcome(attempted: hadRefreshToken, failure: report.revocationFailure),
                Outcome(attempted: redirectURI != nil, failure: report.endSessionFailure)
            )
        }
    }
}

/// How one step of a sign-out at the provider went.
private enum Outcome {
    case notNeeded
    case done
    case failed(SignInError)

    init(attempted: Bool, failure: SignInError?) {
        self = failure.map(Outcome.failed) ?? (attempted ? .done : .notNeeded)
    }

    func json(_ word: String) -> JSONValue {
        switch self {
        case .notNeeded: "none"
        case .done: .string(word)
        case .failed: "failed"
        }
    }

    var error: JSONValue {
        if case .failed(let error) = self { .object(Failure(error).object) } else { .null }
    }

    func text(_ word: String, none: String) -> String {
        switch self {
        case .notNeeded: none
        case .done: word
        case .failed(let error): "failed: " + error.message
        }
    }
}

extension Answer {
    fileprivate init(_ revocation: Outcome, _ endSession: Outcome) {
        members = [
            "revocation": revocation.json("revoked"),
            "revocationError": revocation.error,
            "endSession": endSession.json("ended"),
            "endSessionError": endSession.error,
        ]
        var table = ClaimsTable()
        table.add("refresh token", revocation.text("revoked", none: "there was none"))
        table.add("issuer's session", endSession.text("ended", none: "not touched"))
        text = "Signed out\n\n" + table.text
    }
}
