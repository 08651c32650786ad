import Foundation
import OstiaryOAuth
import Testing

@Suite("An error's text for the user of an app")
struct LocalizedErrorTests {
    static let reasons: [SignInError.Reason] = [
        .cancelled, .timedOut, .refused(OAuthError(code: .invalidClient)), .refused(OAuthError(code: .accessDenied)),
        .server(status: 503), .mismatch(.nonce), .malformed("expires_in"), .transport(.unreachable),
        .transport(.redirectRefused), .unsupported("a token endpoint"), .configuration("An issuer is an https URL."),
        .signInRequired, .keyLost, .storage(.locked), .storage(.corrupted), .presentation(.windowMissing),
        .presentation(.browserBlocked), .alreadyInProgress,
    ]

    @Test("localizedDescription is a sentence of plain words for each reason", arguments: reasons)
    func sentence(reason: SignInError.Reason) throws {
        let error: any Error = SignInError(.refresh, reason)
        let text = error.localizedDescription
        #expect(text.hasSuffix(".") && text.count < 60)
        // No name of a parameter, an error code or a type.
        #expect(text.wholeMatch(of: /[A-Z][a-z]+( [a-z-]+)+\./) != nil, "\(text)")
        #expect(text == (error as? any LocalizedError)?.errorDescription)
    }

    @Test("The next step follows the recovery of an error, and a cancelled sign-in suggests none")
    func recovery() {
        func suggestion(_ reason: SignInError.Reason) -> String? {
            SignInError(.refresh, reason).recoverySuggestion
        }
        #expect(suggestion(.cancelled) == nil)
        #expect(suggestion(.transport(.unreachable)) == "Check your connection and try again.")
        #expect(suggestion(.server(status: 503)) == "Try again.")
        #expect(suggestion(.signInRequired) == "Sign in again.")
        #expect(suggestion(.configuration("…")) == "Please tell the maker of this app.")
        #expect(suggestion(.mismatch(.signature)) == "Try again later.")
        #expect(suggestion(.storage(.locked)) == "Unlock it and try again.")
        #expect(suggestion(.presentation(.browserBlocked)) == "Sign in on another device.")
    }
}
