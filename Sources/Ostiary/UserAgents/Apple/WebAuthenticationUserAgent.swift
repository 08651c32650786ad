#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import Foundation
    public import OstiaryOAuth

    /// The system's sheet for signing in on the web, with the user's own browser, which the app cannot inspect.
    ///
    /// The redirect URI has a custom scheme, or is an https URL on a host that the app is associated with
    /// (`webcredentials`). The sheet is presented at the window in front of the user, one sheet at a time, and closes
    /// when the task is cancelled. It is available on iOS, iPadOS, macOS, Mac Catalyst and visionOS.
    ///
    /// Its name differs from that of its SwiftUI counterpart (`WebAuthenticationSession`), so that an app can import
    /// both.
    public struct WebAuthenticationUserAgent: UserAgent {
        private let browserSession: BrowserSession
        private let headerFields: [String: String]
        private let window: PresentationWindow
        private let events: @Sendable (WebAuthenticationUserAgent.Event) -> Void
        private let system: WebAuthenticationSystem

        /// Makes a user agent.
        ///
        /// - Parameters:
        ///   - browserSession: The cookies of the sheet. Default: those of the user's browser.
        ///   - headerFields: Fields of the first request, besides the browser's own. Their names begin with `X-`; do
        ///     not send a secret in them. On a Mac, Safari presents the page if the default browser does not declare
        ///     `AdditionalHeaderFieldsAreSupported` (ASWebAuthenticationSessionWebBrowserSupportCapabilities).
        ///   - window: The window that presents the sheet. Default: the key window of the active scene.
        ///   - events: Called for each event of a sheet, on any thread; it must not block.
        public init(
            browserSession: BrowserSession = .shared,
            headerFields: [String: String] = [:],
            window: PresentationWindow = .frontmost,
            events: @escaping @Sendable (WebAuthenticationUserAgent.Event) -> Void = { _ in }
        ) {
            self.init(browserSession, headerFields, window, on: .current, events: events)
        }

        init(
            _ browserSession: BrowserSession = .shared,
            _ headerFields: [String: String] = [:],
            _ window: PresentationWindow = .frontmost,
            on system: WebAuthenticationSystem,
            events: @escaping @Sendable (WebAuthenticationUserAgent.Event) -> Void = { _ in }
        ) {
            self.system = system
            self.browserSession = browserSession
            self.headerFields = headerFields
            self.window = window
            self.events = events
        }

        /// Prepares for a redirect; presents nothing yet.
        ///
        /// - Throws: `configuration` at stage `authorization` for a redirect URI that the sheet cannot receive: plain
        ///   http, https on a port other than 443, and before iOS 17.4, macOS 14.4 and visionOS 1.1 any https URI. The
        ///   same for a header field that the sheet cannot send; on those older systems it can send none.
        public func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
            try WebAuthenticationHeaderFields.check(headerFields)
            let callback = try WebAuthenticationCallback(redirectURI)
            try system.check(callback, headerFields)
            return UserAgentAttempt(
                redirectURI: redirectURI,
                // The first redirect ends a sheet, whatever it is.
                open: { (url: URL, _: RedirectPredicate) async throws(SignInError) -> URL in
                    try await open(url, until: callback)
                }
            )
        }

        /// Admits one sheet in this process, since the system presents one at a time.
        private static let place = SignInGate()

        private func open(_ url: URL, until callback: WebAuthenticationCallback) async throws(SignInError) -> URL {
            guard let scheme = URIParts(url)?.scheme, scheme == "https" || scheme == "http" else {
                throw SignInError(.authorization, .configuration("A browser is opened at an https URL only."))
            }
            return try await Self.place.run(orThrow: SignInError(.authorization, .alreadyInProgress)) {
                () async throws(SignInError) -> URL in
                try await present(url, until: callback)
            }
        }

        private func present(_ url: URL, until callback: WebAuthenticationCallback) async throws(SignInError) -> URL {
            let anchor = try await window.found()
            let id = WebAuthenticationUserAgent.Event.AttemptID()
            let answer = OneAnswer<WebAuthenticationReport>()
            let sheet = await WebAuthenticationSheet(
                url,
                callback,
                at: anchor,
                browserSession,
                headerFields,
                system,
                reportingTo: Self.completion(of: id, answer, events)
            )
            let report = await withTaskCancellationHandler {
                if await sheet.start(answer) { events(.opened(id)) }
                return await answer.value()
            } onCancel: {
                answer.set(.taskCancelled)
            }
            // Whatever the report, the sheet is closed when this returns, and the next one may be presented.
            await sheet.close(after: report)
            events(.closed(id))
            return try await report.redirect(to: callback)
        }

        /// Returns the system's completion handler, which is called on a queue of its own: once, twice, or after the
        /// end.
        ///
        /// It is created outside of every actor, since a closure that is created on the main actor traps when it is
        /// called elsewhere (SE-0423).
        private static func completion(
            of id: WebAuthenticationUserAgent.Event.AttemptID,
            _ answer: OneAnswer<WebAuthenticationReport>,
            _ events: @escaping @Sendable (WebAuthenticationUserAgent.Event) -> Void
        ) -> @Sendable (URL?, (any Error)?) -> Void {
            { @Sendable url, error in
                if !answer.set(WebAuthenticationReport(url, error)) { events(.droppedReport(id)) }
            }
        }
    }

    extension WebAuthenticationUserAgent {
        /// An event in the life of a sheet of ``WebAuthenticationUserAgent``.
        ///
        /// It holds no URL, so it may be logged.
        public enum Event: Sendable, Hashable {
            /// Identifies one of a process's sheets.
            public struct AttemptID: Sendable, Hashable, CustomStringConvertible {
                /// A new value for each sheet.
                public let value = UUID()
                /// The form for logs.
                public var description: String { value.uuidString }

                init() {}
            }

            /// The system has started the sheet.
            case opened(AttemptID)
            /// The attempt is over and its sheet is closed.
            case closed(AttemptID)
            /// The system reported again after the first report, or after a cancellation; this report was dropped.
            case droppedReport(AttemptID)
        }
    }
#endif
