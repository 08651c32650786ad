#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import Foundation

    extension AppHandoff {
        /// Opens the provider's own app by its universal link, or presents the system's sheet when no app claims the
        /// link.
        ///
        /// A universal link reaches an app only when an app opens it; inside a browser it stays there. The link is
        /// therefore opened in an app or not at all (`universalLinksOnly`, `requiresUniversalLinks`). An app extension
        /// always presents the sheet.
        ///
        /// - Parameters:
        ///   - redirects: The receiver of the URLs that the app is opened with.
        ///   - rewriting: Returns the page's URL as the provider's app claims it; `nil` skips the app.
        ///   - returning: The reaction to a user who returns without a redirect. Default: the sign-in is cancelled
        ///     after a second.
        ///   - otherwise: The user agent that presents the page when the app does not. Default: the system's sheet.
        /// - Returns: The user agent.
        public static func system(
            _ redirects: ForwardedRedirects,
            rewriting: @escaping @Sendable (URL) -> URL? = { $0 },
            returning: AppReturn = .cancelling(),
            otherwise: any UserAgent = WebAuthenticationUserAgent()
        ) -> AppHandoff {
            AppHandoff(
                redirects,
                opener: systemOpener,
                rewriting: rewriting,
                returning: returning,
                otherwise: otherwise
            )
        }

        /// Opens a universal link in the app that claims it, and in no browser.
        ///
        /// Returns `false` when no app claims it, and in an app extension.
        public static let systemOpener: @Sendable (URL) async -> Bool = { url in
            await SystemApplication.current?.openInApp(url) ?? false
        }
    }

    extension AppReturn {
        /// Cancels the sign-in when the user returns and no redirect follows.
        public static func cancelling(after grace: Duration = .seconds(1)) -> AppReturn {
            asking(after: grace) { .cancel }
        }

        /// Presents the page in the other user agent when the user returns and no redirect follows.
        public static func openingOtherwise(after grace: Duration = .seconds(1)) -> AppReturn {
            asking(after: grace) { .openOtherwise }
        }

        /// Decides on a reaction when the user returns and no redirect follows.
        ///
        /// A user who is in another app again is not asked; the next return counts.
        ///
        /// - Parameters:
        ///   - grace: The time from the user's return until the question.
        ///   - decide: Asks the user; it is cancelled when the redirect comes after all.
        /// - Returns: The reaction.
        public static func asking(
            after grace: Duration = .seconds(1),
            _ decide: @escaping @Sendable () async -> Decision
        ) -> AppReturn {
            AppReturn(
                grace: grace,
                moments: { Activations.stream() },
                isInFront: { await SystemApplication.current?.isInFront ?? true },
                decide: decide
            )
        }
    }
#endif
