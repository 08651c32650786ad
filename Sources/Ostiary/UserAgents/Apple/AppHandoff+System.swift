#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import Foundation

    extension AppHandoff {
        /// Asks the provider's own app by its universal link, and shows the system's sheet when no app claims it.
        ///
        /// A universal link reaches an app only when an app opens it directly; from inside a browser it stays there. So the
        /// link is opened in the app or not at all (`universalLinksOnly`, `requiresUniversalLinks`). In an app extension
        /// the sheet is all there is.
        ///
        /// - Parameters:
        ///   - redirects: Where the app brings the URLs that it is opened with.
        ///   - rewriting: The page's URL as the provider's app claims it; `nil` leaves the app out.
        ///   - returning: What is done when the person comes back without an answer. Default: the sign-in is cancelled after
        ///     a second.
        ///   - otherwise: What shows the page when the app does not. Default: the system's sheet.
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

        /// Opens a universal link in the app that claims it, and in no browser; `false` when there is none, and in an app
        /// extension.
        public static let systemOpener: @Sendable (URL) async -> Bool = { url in
            await SystemApplication.current?.openInApp(url) ?? false
        }
    }

    extension AppReturn {
        /// Cancels the sign-in when the person comes back and no redirect follows.
        public static func cancelling(after grace: Duration = .seconds(1)) -> AppReturn {
            asking(after: grace) { .cancel }
        }

        /// Goes on in the other user agent when the person comes back and no redirect follows.
        public static func openingOtherwise(after grace: Duration = .seconds(1)) -> AppReturn {
            asking(after: grace) { .openOtherwise }
        }

        /// Asks what to do when the person comes back and no redirect follows.
        ///
        /// Nothing is asked of a person who is in another app again: their next return is looked at.
        ///
        /// - Parameter decide: Shows the question; it is cancelled when the redirect comes after all.
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
