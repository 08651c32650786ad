#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import AuthenticationServices
    import Foundation
    import OstiaryOAuth

    /// What is known of a sheet's end, before anybody says what it means.
    enum WebAuthenticationReport: Sendable, Hashable {
        /// The redirect, which nobody has looked into.
        case redirect(URL)
        /// An error of the system's: its domain and code, and its reason if it gives one.
        case failure(domain: String, code: Int, reason: String?)
        /// Neither a redirect nor an error.
        case nothing
        /// The system did not start.
        case startRefused
        /// The window has left the screen, and the sheet with it.
        case windowLost
        /// The task was cancelled.
        case taskCancelled

        /// Reads what the system calls back with.
        init(_ url: URL?, _ error: (any Error)?) {
            if let url {
                self = .redirect(url)
            } else if let error {
                let error = error as NSError
                let reason = error.userInfo[NSLocalizedFailureReasonErrorKey] as? String
                self = .failure(domain: error.domain, code: error.code, reason: reason)
            } else {
                self = .nothing
            }
        }

        /// The redirect, or why there is none.
        func redirect(to callback: WebAuthenticationCallback) async throws(SignInError) -> URL {
            switch self {
            case .redirect(let url): return url
            case .taskCancelled: throw SignInError(.authorization, .cancelled)
            case .windowLost: throw Self.failed(.interrupted("the window of the sheet has left the screen"))
            case .nothing: throw Self.failed(.interrupted("no redirect and no error"))
            case .startRefused:
                throw Self.failed(await BrowserRestriction.isActive ? .browserBlocked : .startRefused)
            case .failure(let domain, let code, let reason):
                guard domain == ASWebAuthenticationSessionErrorDomain else {
                    throw Self.failed(.interrupted("\(domain) \(code)"))
                }
                switch ASWebAuthenticationSessionError.Code(rawValue: code) {
                case .canceledLogin: throw await Self.cancelled(because: reason, awaiting: callback)
                case .presentationContextNotProvided: throw Self.failed(.windowMissing)
                case .presentationContextInvalid: throw Self.failed(.windowRejected)
                default: throw Self.failed(.interrupted("\(domain) \(code)"))
                }
            }
        }

        /// The code of a cancellation stands for three things: the person closed the sheet; the app is not associated with the
        /// redirect's host, which then is in the reason; the device shows no browser, as Guided Access does it.
        private static func cancelled(
            because reason: String?,
            awaiting callback: WebAuthenticationCallback
        ) async -> SignInError {
            if let reason {
                guard let host = callback.host, reason.contains(host) else {
                    return failed(.interrupted("\(ASWebAuthenticationSessionErrorDomain) 1, with a reason"))
                }
                return failed(.associatedDomainMissing(host: host))
            }
            return await BrowserRestriction.isActive
                ? failed(.browserBlocked) : SignInError(.authorization, .cancelled)
        }

        private static func failed(_ failure: PresentationFailure) -> SignInError {
            SignInError(.authorization, .presentation(failure))
        }
    }
#endif
