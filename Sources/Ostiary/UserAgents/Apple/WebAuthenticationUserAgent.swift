#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import Foundation
    public import OstiaryOAuth

    /// The system's sheet for signing in on the web: the person's own browser, which the app cannot look into.
    ///
    /// The redirect URI has a custom scheme, or it is an https one on a host that the app is associated with
    /// (`webcredentials`). The sheet goes up at a window in front of the person, one sheet at a time, and goes down with the
    /// task. iOS, iPadOS, macOS, Mac Catalyst and visionOS.
    ///
    /// It is not called as its SwiftUI counterpart is (`WebAuthenticationSession`), so that an app can import both.
    public struct WebAuthenticationUserAgent: UserAgent {
        private let browserSession: BrowserSession
        private let headerFields: [String: String]
        private let window: PresentationWindow
        private let events: @Sendable (WebAuthenticationEvent) -> Void
        private let system: WebAuthenticationSystem

        /// Makes a user agent.
        ///
        /// - Parameters:
        ///   - browserSession: Whose cookies the sheet has. Default: those of the person's browser.
        ///   - headerFields: Sent with the first request, besides the browser's own. Their names begin with `X-`; no secret
        ///     belongs here. On a Mac, Safari shows the page in place of a default browser that does not declare
        ///     `AdditionalHeaderFieldsAreSupported` (ASWebAuthenticationSessionWebBrowserSupportCapabilities).
        ///   - window: Where the sheet goes up. Default: the key window of the scene in front.
        ///   - events: Told of each sheet; it may not block, and is called on any thread.
        public init(
            browserSession: BrowserSession = .shared,
            headerFields: [String: String] = [:],
            window: PresentationWindow = .frontmost,
            events: @escaping @Sendable (WebAuthenticationEvent) -> Void = { _ in }
        ) {
            self.init(browserSession, headerFields, window, on: .current, events: events)
        }

        init(
            _ browserSession: BrowserSession = .shared,
            _ headerFields: [String: String] = [:],
            _ window: PresentationWindow = .frontmost,
            on system: WebAuthenticationSystem,
            events: @escaping @Sendable (WebAuthenticationEvent) -> Void = { _ in }
        ) {
            self.system = system
            self.browserSession = browserSession
            self.headerFields = headerFields
            self.window = window
            self.events = events
        }

        /// Gets ready for a redirect; nothing is shown yet.
        ///
        /// - Throws: `configuration` at stage `authorization` for a redirect URI that the sheet cannot receive: plain http,
        ///   https with a port, and before iOS 17.4, macOS 14.4 and visionOS 1.1 any https; and for a header field that
        ///   it cannot send, which is any field on those systems.
        public func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
            try WebAuthenticationHeaderFields.check(headerFields)
            let callback = try WebAuthenticationCallback(redirectURI)
            try system.check(callback, headerFields)
            return UserAgentAttempt(
                redirectURI: redirectURI,
                // A sheet ends with the first redirect, whatever that is.
                open: { (url: URL, _: RedirectPredicate) async throws(SignInError) -> URL in
                    try await open(url, until: callback)
                }
            )
        }

        /// Who has a sheet up in this process: the system shows one at a time.
        private static let place = SignInGate()

        private func open(_ url: URL, until callback: WebAuthenticationCallback) async throws(SignInError) -> URL {
            guard let scheme = URIParts(url)?.scheme, scheme == "https" || scheme == "http" else {
                throw SignInError(.authorization, .configuration("A browser is opened at an https URL only."))
            }
            guard Self.place.enter() else { throw SignInError(.authorization, .alreadyInProgress) }
            defer { Self.place.leave() }
            let anchor = try await window.found()
            let id = WebAuthenticationEvent.AttemptID()
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
            // Whoever reported, the sheet is down and the next one may go up when this returns.
            await sheet.close(after: report)
            events(.closed(id))
            return try await report.redirect(to: callback)
        }

        /// What the system calls, on a queue of its own, once, twice, or after the end.
        ///
        /// It is made where no actor is, since a closure that is made on the main actor traps when it is called elsewhere
        /// (SE-0423).
        private static func completion(
            of id: WebAuthenticationEvent.AttemptID,
            _ answer: OneAnswer<WebAuthenticationReport>,
            _ events: @escaping @Sendable (WebAuthenticationEvent) -> Void
        ) -> @Sendable (URL?, (any Error)?) -> Void {
            { @Sendable url, error in
                if !answer.set(WebAuthenticationReport(url, error)) { events(.droppedReport(id)) }
            }
        }
    }
#endif
