#if os(Linux) || os(macOS)
    public import Foundation
    public import OstiaryOAuth

    /// The system's browser, with a listener on this machine that receives the redirect (RFC 8252 section 7.3).
    ///
    /// The listener takes its port before the URL exists, and accepts connections from this machine only. It takes one
    /// answer: a browser's own visit to exactly the redirect URI that the predicate accepts. Every other request is
    /// refused and does not end the attempt. On Linux, a program of another user is refused as well. The browser is
    /// then redirected to a page without a query, so that neither its address bar nor its history keeps the code.
    ///
    /// Every user of the machine can read the arguments of a command. A browser that is started by a command is
    /// therefore sent to the listener, which leads it to the page once; a second visit ends the attempt. An end-session
    /// URL with an `id_token_hint` is always opened at the listener, with a page that posts the hint. Neither the
    /// browser's history nor a log of URLs then keeps the ID token (OpenID Connect RP-Initiated Logout section 2).
    public struct LoopbackBrowser: UserAgent {
        private let appName: String
        private let opener: LoopbackBrowser.Opener
        private let announce: (@Sendable (URL) -> Void)?
        private let openingFailed: (@Sendable (SignInError) -> Void)?
        private let limits: LoopbackLimits
        private let lingering = LingeringListeners()

        /// Makes a user agent.
        ///
        /// - Parameters:
        ///   - appName: The name on the page that ends the browser's part: "Return to …".
        ///   - opener: The way to open the browser. Default: the system's.
        ///   - announce: Called with the URL before the browser is opened, for a user whose browser is on another
        ///     device. With it, a browser that cannot be opened does not end the attempt.
        ///   - openingFailed: With `announce`, called when the browser cannot be opened; the sign-in continues to wait.
        public init(
            appName: String,
            opener: LoopbackBrowser.Opener = .system,
            announce: (@Sendable (URL) -> Void)? = nil,
            openingFailed: (@Sendable (SignInError) -> Void)? = nil
        ) {
            self.init(
                appName: appName,
                opener: opener,
                announce: announce,
                openingFailed: openingFailed,
                limits: LoopbackLimits()
            )
        }

        package init(
            appName: String,
            opener: LoopbackBrowser.Opener,
            announce: (@Sendable (URL) -> Void)? = nil,
            openingFailed: (@Sendable (SignInError) -> Void)? = nil,
            limits: LoopbackLimits
        ) {
            self.appName = appName
            self.opener = opener
            self.announce = announce
            self.openingFailed = openingFailed
            self.limits = limits
        }

        /// Takes the port of the redirect URI, or any free port when it names none, and listens there.
        ///
        /// - Throws: `configuration` at stage `authorization` when the redirect URI is not on loopback, or its port is
        ///   taken.
        public func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
            await lingering.close()
            let listener = try LoopbackListener(for: redirectURI, appName: appName, limits: limits)
            return UserAgentAttempt(
                redirectURI: listener.redirectURI,
                open: { (url: URL, predicate: RedirectPredicate) async throws(SignInError) -> URL in
                    try await open(url, accepting: predicate, at: listener)
                },
                abandon: { await listener.close() }
            )
        }

        /// Waits until the browser has loaded its last page, at most two seconds.
        ///
        /// Call it before a command-line tool exits, because this process serves the page.
        public func settle() async { await lingering.settle() }

        private func open(
            _ url: URL,
            accepting predicate: RedirectPredicate,
            at listener: LoopbackListener
        ) async throws(SignInError) -> URL {
            guard let scheme = URIParts(url)?.scheme, scheme == "https" || scheme == "http" else {
                await listener.close()
                throw SignInError(.authorization, .configuration("A browser is opened at an https URL only."))
            }
            var random = SecureRandom()
            let form = LoopbackForm(url)
            let entry = opener.isCommand || form != nil ? LoopbackEntry(to: url, as: form, using: &random) : nil
            try listener.start(with: entry, accepting: predicate)
            announce?(url)
            let address = entry?.url(at: listener.redirectURI) ?? url
            let opening = Task { [opener, openingFailed, isAnnounced = announce != nil] in
                do throws(SignInError) {
                    try await opener.open(address)
                } catch  where !isAnnounced {
                    listener.stop(because: error)
                } catch {
                    // The user has the URL, and opens it by hand.
                    openingFailed?(error)
                }
            }
            do throws(SignInError) {
                let redirect = try await listener.answer()
                lingering.add(listener)
                return redirect
            } catch {
                opening.cancel()
                throw error
            }
        }
    }
#endif
