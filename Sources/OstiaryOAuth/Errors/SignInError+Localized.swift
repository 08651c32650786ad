#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SignInError: LocalizedError {
    /// A sentence in English for the user of an app; `localizedDescription` returns it.
    ///
    /// It says nothing about the provider or the app's set-up: ``description`` does, for a developer.
    public var errorDescription: String? {
        switch reason {
        case .cancelled: "The sign-in was cancelled."
        case .timedOut: "The sign-in took too long."
        case .transport(let failure) where failure.isUnexpected: "The sign-in service gave an unexpected answer."
        case .transport: "The sign-in service could not be reached."
        case .server: "The sign-in service is not available."
        case .refused(let error) where error.code == .accessDenied: "Access was not granted."
        case .refused, .malformed, .mismatch: "The sign-in could not be completed."
        case .unsupported, .configuration: "This app is not set up correctly."
        case .signInRequired, .keyLost: "You are not signed in."
        case .stepUpRequired: "This needs a new sign-in."
        case .storage(.locked), .storage(.cancelled), .storage(.notRecognized): "This device is locked."
        case .storage: "The sign-in could not be saved or read on this device."
        case .presentation: "The sign-in page could not be opened."
        case .alreadyInProgress: "Another sign-in is already open."
        }
    }

    /// The next step for the user of an app, in English; `nil` when there is none.
    public var recoverySuggestion: String? {
        switch (reason, recovery) {
        case (.cancelled, _): nil
        case (.alreadyInProgress, _): "Finish or close it first."
        case (.transport, .retry): "Check your connection and try again."
        case (.storage, .retry): "Unlock it and try again."
        case (.presentation(.browserBlocked), _): "Sign in on another device."
        case (_, .retry): "Try again."
        case (_, .signInAgain): "Sign in again."
        case (_, .fixConfiguration): "Please tell the maker of this app."
        case (_, .none): "Try again later."
        }
    }
}

extension TransportFailure {
    /// Whether a server was reached, and its response or the URL was rejected.
    fileprivate var isUnexpected: Bool {
        switch self {
        case .tooLarge, .redirectRefused, .insecureURL, .invalidRequest, .notHTTP: true
        case .unreachable, .unknownHost, .tls, .interrupted, .timedOut, .cancelled: false
        }
    }
}
