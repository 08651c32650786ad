import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The way out of browsers inside other apps, in the calls of the vendor's document.
public enum LogiAuthBrowser {
    /// An app with a browser of its own.
    public typealias InApp = LogiInAppBrowser

    /// Recognizes the app in a `User-Agent` field; `nil` for a browser.
    public static func detect(userAgent: String) -> InApp? { InApp(userAgent: userAgent) }

    /// The URL with which an app opens a page in the system's browser; `nil` where there is no such URL.
    public static func escapeURL(for app: InApp, targetURL: URL) -> URL? { app.escape(to: targetURL) }

    /// The address to go to instead of a page, for a browser inside an app that has a way out.
    public static func tryEscape(targetURL: URL, userAgent: String) -> URL? {
        detect(userAgent: userAgent)?.escape(to: targetURL)
    }
}
