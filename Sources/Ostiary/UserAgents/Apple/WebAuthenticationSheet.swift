#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import AuthenticationServices
    import Foundation

    /// One session of the system's, from before its start until its sheet is down.
    ///
    /// The system keeps neither the session nor what gives it its window alive, and takes the sheet of a session that is let
    /// go of down without a word. Whoever holds this holds both.
    @MainActor
    final class WebAuthenticationSheet {
        /// How long the system may take to say why it refused to start: it says so on another queue, or not at all.
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

        /// Puts the sheet up, unless the attempt is over already.
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

        /// Takes the sheet down, unless the system has said that it is.
        func close(after report: WebAuthenticationReport) {
            for observation in observations { observation.end() }
            switch report {
            case .taskCancelled, .windowLost: session.cancel()
            case .redirect, .failure, .nothing, .startRefused: break
            }
        }
    }

    /// Gives a session its window.
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
