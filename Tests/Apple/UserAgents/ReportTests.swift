#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import AuthenticationServices
    import Foundation
    import OstiaryOAuth
    import Testing

    @testable import Ostiary

    @Suite("Reports of the system's sheet")
    struct ReportTests {
        private static let host = "app.example.com"

        /// The outcome of a report for a redirect to the app's scheme, or to a host that is associated with it.
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

        private func failure(_ failure: SignInError.PresentationFailure) -> Result<URL, SignInError> {
            .failure(SignInError(.authorization, .presentation(failure)))
        }

        @Test("A redirect of the sheet is returned unchanged")
        func redirect() async throws {
            let url = try #require(URL(string: "com.example.app:/callback?code=c&state=s"))
            #expect(try await outcome(WebAuthenticationReport(url, nil)) == .success(url))
            #expect(try await outcome(WebAuthenticationReport(url, error(1))) == .success(url))
        }

        @Test(
            "A cancellation code is cancelled without a reason, and associatedDomainMissing when the reason names the host"
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

        @Test("A missing window and a rejected window are two failures")
        func windows() async throws {
            let missing = ASWebAuthenticationSessionError.Code.presentationContextNotProvided.rawValue
            let refused = ASWebAuthenticationSessionError.Code.presentationContextInvalid.rawValue
            #expect(try await outcome(WebAuthenticationReport(nil, error(missing))) == failure(.windowMissing))
            #expect(try await outcome(WebAuthenticationReport(nil, error(refused))) == failure(.windowRejected))
        }

        @Test("An undocumented error of the sheet is an interruption with its domain and code")
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

        @Test("A refused start, a cancelled task and a lost window each have a failure")
        func silent() async throws {
            #expect(try await outcome(.startRefused) == failure(.startRefused))
            #expect(try await outcome(.taskCancelled) == .failure(SignInError(.authorization, .cancelled)))
            let lost = SignInError.PresentationFailure.interrupted("the window of the sheet has left the screen")
            #expect(try await outcome(.windowLost) == failure(lost))
        }
    }
#endif
