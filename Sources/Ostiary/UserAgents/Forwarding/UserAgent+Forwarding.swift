extension UserAgent {
    /// Returns a user agent that also takes the redirect as a URL that the app is opened with.
    ///
    /// The redirect may reach the app by the system, not by the browser that presents the page (RFC 8252 section 7.2).
    /// The user may open a universal link from another browser, for example. The page is then closed.
    ///
    /// - Parameter redirects: The receiver of the URLs that the app is opened with, see
    ///   ``ForwardedRedirects/handle(_:)``.
    public func expecting(_ redirects: ForwardedRedirects) -> AppHandoff {
        AppHandoff(redirects, opener: { _ in false }, rewriting: { _ in nil }, otherwise: self)
    }
}
