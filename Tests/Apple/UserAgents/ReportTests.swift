#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import AuthenticationServices
    import Foundation
    import OstiaryOAuth
    import Testing

    @testable import Ostiary

    @Suite("What the system reports of its sheet")
    struct ReportTests {
        private static let host = "app.example.com"

        /// What a report comes to for a redirect to the app's scheme, or to a host that is associated with it.
        private func outcome(
            _ report: WebAuthenticationReport,
            awaiting redirectURI: String = "com.example.app:/callback"
        ) async throws -> Result<URL, SignInError> {
            let callback = try WebAuthenticationCallback(try RedirectURI(redirectURI))
            do throws(SignInError) { return .success(try await report.redirect(to: callback)) } catch {
                return .failure(error)
            }
        }

        private func error(_ code: Int, reason: String? = nil) -> NSError {
            let information = reason.map { [NSLocalizedFailureReasonErrorKey: $0] } ?? [:]
            return NSError(domain: ASWebAuthenticationSessionErrorDomain, code: code, userInfo: information)
        }

        private func failure(_ failure: PresentationFailure) -> Result<URL, SignInError> {
            .failure(SignInError(.authorization, .presentation(failure)))
        }

        @Test("A URL is handed on as it came")
        func redirect() async throws {
            let url = try #require(URL(string: "com.example.app:/callback?code=c&state=s"))
            #expect(try await outcome(WebAuthenticationReport(url, nil)) == .success(url))
            #expect(try await outcome(WebAuthenticationReport(url, error(1))) == .success(url))
        }

        @Test(
            "The code of a cancellation is one only without a reason, and a reason with the host names what is missing"
        )
        func cancellation() async throws {
            let cancelled = ASWebAuthenticationSessionError.Code.canceledLogin.rawValue
            let reason = "Application with identifier com.example.app is not associated with domain \(Self.host)."
            let plain = WebAuthenticationReport(nil, error(cancelled))
            let missing = WebAuthenticationReport(nil, error(cancelled, reason: reason))
            #expect(try await outcome(plain) == .failure(SignInError(.authorization, .cancelled)))
            #expect(
                try await outcome(missing, awaiting: "https://\(Self.host)/callback")
                    == failure(.associatedDomainMissing(host: Self.host))
            )
            let other = failure(.interrupted("\(ASWebAuthenticationSessionErrorDomain) 1, with a reason"))
            #expect(try await outcome(missing) == other)
            #expect(try await outcome(missing, awaiting: "https://other.example.com/callback") == other)
        }

        @Test("A window that is missing and one that is refused are told apart")
        func windows() async throws {
            let missing = ASWebAuthenticationSessionError.Code.presentationContextNotProvided.rawValue
            let refused = ASWebAuthenticationSessionError.Code.presentationContextInvalid.rawValue
            #expect(try await outcome(WebAuthenticationReport(nil, error(missing))) == failure(.windowMissing))
            #expect(try await outcome(WebAuthenticationReport(nil, error(refused))) == failure(.windowRejected))
        }

        @Test("Whatever no document has is an interruption, with its domain and its number")
        func unknown() async throws {
            let domain = ASWebAuthenticationSessionErrorDomain
            #expect(try await outcome(WebAuthenticationReport(nil, error(77))) == failure(.interrupted("\(domain) 77")))
            let foreign = NSError(domain: "com.example.xpc", code: 1)
            #expect(
                try await outcome(WebAuthenticationReport(nil, foreign)) == failure(.interrupted("com.example.xpc 1"))
            )
            #expect(
                try await outcome(WebAuthenticationReport(nil, nil))
                    == failure(.interrupted("no redirect and no error"))
            )
        }

        @Test("What ends a sheet without the system's word has a name, too")
        func silent() async throws {
            #expect(try await outcome(.startRefused) == failure(.startRefused))
            #expect(try await outcome(.taskCancelled) == .failure(SignInError(.authorization, .cancelled)))
            let lost = PresentationFailure.interrupted("the window of the sheet has left the screen")
            #expect(try await outcome(.windowLost) == failure(lost))
        }
    }
#endif
