#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import AuthenticationServices
    import Foundation

    /// A session of the system, from before its start until its sheet is closed.
    ///
    /// The system retains neither the session nor the provider of its window, and silently closes the sheet of a
    /// session that was released. This object retains both.
    @MainActor
    final class WebAuthenticationSheet {
        /// The time for the system to report why it refused to start, which it does on another queue or not at all.
        private static let patience = Duration.milliseconds(100)

        private let session: ASWebAuthenticationSession
        private let anchor: AnchorProvider
        private let window: ASPresentationAnchor
        private var observations: [NotificationObservation] = []

        init(
            _ url: URL,
            _ callback: WebAuthenticationCallback,
            at window: ASPresentationAnchor,
            _ browserSession: BrowserSession,
            _ headerFields: [String: String],
            _ system: WebAuthenticationSystem,
            reportingTo completion: @escaping @Sendable (URL?, (any Error)?) -> Void
        ) {
            self.window = window
            anchor = AnchorProvider(window)
            session = system.session(url, callback, headerFields, reportingTo: completion)
            session.presentationContextProvider = anchor
            session.prefersEphemeralWebBrowserSession = browserSession == .ephemeral
        }

        /// Presents the sheet, unless the attempt is already over.
        ///
        /// - Returns: Whether the system started.
        func start(_ answer: OneAnswer<WebAuthenticationReport>) -> Bool {
            guard !Task.isCancelled else { return false }
            if session.start() {
                observations = WindowLoss.observe(window) { answer.set(.windowLost) }
                return true
            }
            Task {
                try? await Task.sleep(for: Self.patience)
                answer.set(.startRefused)
            }
            return false
        }

        /// Closes the sheet, unless the system has reported its end.
        func close(after report: WebAuthenticationReport) {
            for observation in observations { observation.end() }
            switch report {
            case .taskCancelled, .windowLost: session.cancel()
            case .redirect, .failure, .nothing, .startRefused: break
            }
        }
    }

    /// Provides a session with its window.
    @MainActor
    private final class AnchorProvider: NSObject, ASWebAuthenticationPresentationContextProviding {
        private let window: ASPresentationAnchor

        init(_ window: ASPresentationAnchor) {
            self.window = window
            super.init()
        }

        func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { window }
    }
#endif
