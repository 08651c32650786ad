import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary logout`: the session ends here first, then at the provider.
struct Logout: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign out.",
        discussion: """
            Removes the tokens before it sends anything, and keeps the profile's client
            for the next ostiary login (ostiary sessions remove forgets it). Then revokes
            the refresh token, or the access token of a session without one, and with
            --post-logout-redirect-uri opens the issuer's end-session page. A failure
            there is reported, and the session stays removed: the exit status is 0. A
            refresh token that could not be revoked, such as without a network, stays
            sealed until the profile's next login revokes it; the output then has the
            member revocationPending. With --json, revocation and endSession are revoked
            and ended, none, failed, or notOffered when the issuer has no such endpoint;
            revocationError and endSessionError have the details, as the member error.

            EXAMPLES
              ostiary logout
              ostiary logout --post-logout-redirect-uri http://127.0.0.1/
            """
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup(title: "Pages") var pages: UserAgentOptions
    @OptionGroup(title: "Issuer") var server: ServerOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    @Option(
        name: .customLong("post-logout-redirect-uri"),
        help: ArgumentHelp("End the issuer's own session as well; the redirect URI after that.", valueName: "uri")
    )
    var postLogoutRedirectURI: String?

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let redirectURI: RedirectURI? = try postLogoutRedirectURI.map { try RedirectURI($0) }
        let agent: any UserAgent = redirectURI == nil ? NoUserAgent() : try pages.userAgent(console: console)
        do {
            return try await signOut(redirectURI, showing: agent, telling: trace)
        } catch let error as ExplainedError where error.cause.reason == .signInRequired && error.endsQuietly {
            return Answer(
                alreadySignedOut: place.profile,
                members: [
                    "revocation": "none", "revocationError": .null, "endSession": "none", "endSessionError": .null,
                ]
            )
        } catch let error as SignInError where error.reason == .storage(.corrupted) {
            // Without its value nothing can be revoked, and nothing should be left here.
            _ = try await Profile(name: place.profile, store: place.store.open()).removeEverything()
            return Answer(
                revocationOf: "tokens",
                .removedUnread(error),
                redirectURI == nil ? .notNeeded : .removedUnread(error)
            )
        }
    }

    private func signOut(
        _ redirectURI: RedirectURI?,
        showing agent: any UserAgent,
        telling trace: Trace
    ) async throws -> Answer {
        try await StoredSignIn.with(place, showing: agent, accepting: server, telling: trace) { signIn in
            let token = signIn.session.isRefreshable ? "refresh token" : "access token"
            let report = try await signIn.session.signOut(endingProviderSessionAt: redirectURI)
            // An issuer that has just failed gets no further requests.
            let late = report.revocationFailure == nil ? LateRevocations(of: signIn.client) : nil
            await UserAgentOptions.settle(agent)
            var answer = Answer(
                revocationOf: token,
                Outcome(
                    attempted: true,
                    failure: report.revocationFailure,
                    retry: report.willRetryRevocation ? .nextLogin : .never
                ),
                Outcome(attempted: redirectURI != nil, failure: report.endSessionFailure)
            )
            if await late?.areLeft() == true { answer.tellOfRevocationsLeft() }
            return answer
        }
    }
}

/// The outcome of one step of a sign-out at the provider.
private enum Outcome {
    case notNeeded
    case done
    /// The issuer has no way to do it: nothing is left to do.
    case notOffered(SignInError)
    case failed(SignInError, Retry)
    /// The session could not be read, and was removed.
    case removedUnread(SignInError)

    /// The occasion of another attempt.
    enum Retry {
        case never
        case nextLogin
    }

    init(attempted: Bool, failure: SignInError?, retry: Retry = .never) {
        guard let failure else {
            self = attempted ? .done : .notNeeded
            return
        }
        if case .unsupported = failure.reason { self = .notOffered(failure) } else { self = .failed(failure, retry) }
    }

    var isPending: Bool { if case .failed(_, .nextLogin) = self { true } else { false } }

    func json(_ word: String) -> JSONValue {
        switch self {
        case .notNeeded: "none"
        case .done: .string(word)
        case .notOffered: "notOffered"
        case .failed, .removedUnread: "failed"
        }
    }

    var error: JSONValue {
        switch self {
        case .failed(let error, _), .notOffered(let error): .object(Failure(error).object)
        case .removedUnread(let error): .object(Failure(removed: error).object)
        case .done, .notNeeded: .null
        }
    }

    func text(_ word: String, none: String) -> String {
        switch self {
        case .notNeeded: none
        case .done: word
        case .notOffered(let error): "not offered: " + error.message
        case .failed(let error, .never): "failed: " + error.message
        case .removedUnread: "failed: the stored session could not be read, and has been removed"
        case .failed(let error, .nextLogin): "failed, it will be tried again by the next login: " + error.message
        }
    }
}

extension Answer {
    fileprivate init(revocationOf token: String, _ revocation: Outcome, _ endSession: Outcome) {
        members = [
            "revocation": revocation.json("revoked"),
            "revocationError": revocation.error,
            "endSession": endSession.json("ended"),
            "endSessionError": endSession.error,
        ]
        if revocation.isPending { members["revocationPending"] = true }
        var table = ClaimsTable()
        table.add(token, revocation.text("revoked", none: "not revoked"))
        table.add("issuer's session", endSession.text("ended", none: "not touched"))
        text = "Signed out\n\n" + table.text
    }
}
