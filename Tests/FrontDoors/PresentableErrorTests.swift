import Ostiary
import OstiaryCurity
import OstiaryLogi
import OstiaryLogto
import OstiaryOAuth
import OstiarySSAFY
import OstiaryZephr
import Testing

/// The report of an app to its user without the type of the error.
private func report(_ error: any Error) -> (advice: SignInAdvice, reference: String?)? {
    (error as? any PresentableError).map { ($0.advice, $0.supportReference) }
}

@Suite("The errors of the front doors, as an app reports them")
struct PresentableErrorTests {
    @Test(
        "An error of Zephr's names the user's next step",
        arguments: [
            (.cancelled, .nothing), (.timedOut, .answerSooner), (.alreadyInProgress, .finishOther),
            (.storage(.locked), .unlock), (.refused(.accessDenied), .askForAccess), (.refused(nil), .signInAgain),
            (.emailDomainRefused, .askForAccess), (.transport(.unreachable), .connect),
            (.transport(.insecureURL), .tellMaker), (.transport(.cancelled), .nothing),
            (.server(status: 503), .tryAgain), (.untrustedPage, .tellMaker), (.sessionExpired, .signInAgain),
            (.notFound, .giveUp),
        ] as [(ZephrError.Reason, SignInAdvice)]
    )
    func zephr(reason: ZephrError.Reason, advice: SignInAdvice) {
        #expect(report(ZephrError(reason))?.advice == advice)
    }

    @Test(
        "An error of SSAFY Verify names the user's next step",
        arguments: [
            (.cancelled, .nothing), (.timedOut, .answerSooner), (.alreadyInProgress, .finishOther),
            (.storage(.locked), .unlock), (.storage(.corrupted), .giveUp), (.unavailable, .tryAgain),
            (.tokenInvalid, .signInAgain), (.forbidden, .tellMaker), (.invalidAnswer("sub"), .giveUp),
        ] as [(VerificationError.Reason, SignInAdvice)]
    )
    func ssafy(reason: VerificationError.Reason, advice: SignInAdvice) {
        #expect(report(VerificationError(reason))?.advice == advice)
    }

    @Test("A VerificationError of SSAFY Verify shows the request's identifier for support")
    func ssafyReference() throws {
        let id = try #require(VerificationRequestID(rawValue: "req_7"))
        #expect(report(VerificationError(.refused, requestID: id))?.reference == "req_7")
        #expect(report(VerificationError(.refused))?.reference == nil)
    }

    @Test("A CurityError advises as its cause does, and carries its request's identifier")
    func curity() {
        let denied = SignInError(.redirect, .refused(OAuthError(code: .accessDenied)), requestID: "req-7")
        let told = report(CurityError(denied))
        #expect(told?.advice == .askForAccess && told?.reference == "req-7")
        #expect(report(CurityError(SignInError(.authorization, .cancelled)))?.advice == .nothing)
        #expect(CurityError(denied).recovery == denied.recovery)
    }

    @Test(
        "An error of LogiAuth's names the user's next step",
        arguments: [
            (.userCancelled, .nothing), (.network(.cancelled), .nothing), (.handoffTimeout, .answerSooner),
            (.alreadyInProgress, .finishOther), (.storageFailed(.locked), .unlock), (.network(.unreachable), .connect),
            (.jwksFetchFailed(status: nil), .connect),
            (.authorizationServerError(code: "access_denied", description: nil), .askForAccess),
            (.failed(SignInError(.token, .timedOut)), .answerSooner), (.notConfigured, .tellMaker),
            (.stateMismatch, .signInAgain), (.missingCode, .giveUp),
        ] as [(LogiAuthError, SignInAdvice)]
    )
    func logi(error: LogiAuthError, advice: SignInAdvice) {
        #expect(report(error)?.advice == advice)
    }

    @Test("A LogiAuthError shows the request's identifier for support")
    func logiReference() {
        let error = LogiAuthError(SignInError(.token, .refused(OAuthError(code: .invalidGrant)), requestID: "req-7"))
        #expect(report(error)?.reference == "req-7")
    }

    @Test("An error of LogtoClient's advises as its cause does; without a cause no user is signed in")
    func logto() {
        let cancelled = LogtoClientErrors.SignIn(
            type: .authFailed,
            innerError: SignInError(.authorization, .cancelled)
        )
        #expect(report(cancelled)?.advice == .nothing)
        let failed = LogtoClientErrors.AccessToken(
            type: .unableToFetchTokenByRefreshToken,
            innerError: SignInError(.refresh, .server(status: 503), requestID: "req-7")
        )
        #expect(report(failed)?.advice == .tryAgain && report(failed)?.reference == "req-7")
        #expect(report(LogtoClientErrors.SignOut(type: .notAuthenticated))?.advice == .signInAgain)
        #expect(report(LogtoClientErrors.IdToken.notAuthenticated)?.advice == .signInAgain)
        let elsewhere = LogtoClientErrors.SignIn(
            type: .unexpectedSignInCallback,
            innerError: LogtoErrors.UriVerification.stateMismatched
        )
        #expect(report(elsewhere)?.advice == .signInAgain)
        let invalid = LogtoClientErrors.SignIn(
            type: .unableToConstructAuthUri,
            innerError: LogtoErrors.UrlConstruction.unableToConstructUrl
        )
        #expect(report(invalid)?.advice == .tellMaker)
        struct Other: Error {}
        #expect(report(LogtoClientErrors.SignIn(type: .unknownError, innerError: Other()))?.advice == .giveUp)
    }
}
