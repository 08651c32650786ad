#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import AuthenticationServices
    import Foundation
    import OstiaryOAuth

    #if canImport(UIKit)
        import UIKit
    #endif

    /// The end of a sheet as it was reported, before it is interpreted.
    enum WebAuthenticationReport: Sendable, Hashable {
        /// The redirect, unchecked.
        case redirect(URL)
        /// A system error: its domain and code, and its reason if it has one.
        case failure(domain: String, code: Int, reason: String?)
        /// Neither a redirect nor an error.
        case nothing
        /// The system refused to start.
        case startRefused
        /// The window left the screen, and the sheet with it.
        case windowLost
        /// The task was cancelled.
        case taskCancelled

        /// Reads the arguments of the system's callback.
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

        /// Returns the redirect, or throws the reason that there is none.
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

        /// Returns the error for the code of a cancellation, which has three meanings.
        ///
        /// The user closed the sheet; or the app is not associated with the redirect's host, which is then in the
        /// reason; or the device shows no browser, as in Guided Access.
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

        private static func failed(_ failure: SignInError.PresentationFailure) -> SignInError {
            SignInError(.authorization, .presentation(failure))
        }
    }

    /// Whether the device confines the user to one app, and therefore shows no browser.
    enum BrowserRestriction {
        /// True in Guided Access and in the single app mode of a managed device (Technical Note TN2448).
        @MainActor static var isActive: Bool {
            #if canImport(UIKit)
                UIAccessibility.isGuidedAccessEnabled
            #else
                false
            #endif
        }
    }
#endif
