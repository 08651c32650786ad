public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A sign-in page of the app's own backend, which chose the proof key, the nonce and the `state`, and redeems the code.
///
/// Having one proves that both URLs carry the same request, and that there is one `state` to recognize the response by.
public struct LogiStartURL: Sendable, Hashable {
    /// The reason a pair of URLs is rejected.
    public enum Problem: String, Error, Sendable, Hashable {
        /// One of the URLs is not a whole https URL, or has user information or a fragment.
        case invalidURL
        /// The `state` is missing, empty or repeated.
        case missingState
        /// They differ in more than the host.
        case pairMismatch
    }

    /// The page for a browser.
    public let web: URL
    /// The same page where the provider's own app is tried first; `nil` tries the browser alone.
    public let native: URL?
    let state: Secret

    /// Checks a pair, before anything is opened.
    ///
    /// - Parameters:
    ///   - web: An https URL (http on loopback hosts) with exactly one `state` that is not empty.
    ///   - native: Equal to it octet by octet, but for the host.
    /// - Throws: The fault of the pair.
    public init(_ web: URL, native: URL? = nil) throws(Problem) {
        guard let parts = HostSplitURL(web.absoluteString), parts.isPage else { throw .invalidURL }
        if let native {
            guard let twin = HostSplitURL(native.absoluteString), twin.isPage else { throw .invalidURL }
            guard parts.isTwin(of: twin) else { throw .pairMismatch }
        }
        guard let query = parts.query, let parameters = FormURLEncoding.decode(query) else { throw .missingState }
        let states = parameters.values(of: .state)
        guard states.count == 1, !states[0].isEmpty else { throw .missingState }
        self.web = web
        self.native = native
        state = Secret(states[0])
    }
}

extension LogiStartURL {
    /// Whether a URL is the response to this page: it goes to the redirect URI and carries this page's `state` once.
    func isAnswered(by url: URL, to redirectURI: RedirectURI) -> Bool {
        guard let redirect = try? AuthorizationRedirect(url, to: redirectURI) else { return false }
        return state(in: redirect) != nil
    }

    /// The `state` of a redirect; `nil` when it is another than this page's.
    func state(in redirect: AuthorizationRedirect) -> Secret? {
        guard let found = redirect.single(.state).map(Secret.init), found == self.state else { return nil }
        return found
    }
}

extension LogiStartURL: CustomStringConvertible, CustomReflectable {
    /// The URL of the page, without its query.
    public var description: String { String(web.absoluteString.prefix { $0 != "?" }) }
    /// The URL of the page, without its query.
    public var customMirror: Mirror { Mirror(self, children: ["page": description]) }
}

extension HostSplitURL {
    /// Whether it can be opened: encrypted or on this machine, and without a fragment.
    fileprivate var isPage: Bool {
        let isSafe =
            scheme == "https" || scheme == "http" && ["127.0.0.1", "[::1]", "localhost"].contains(host.lowercased())
        return isSafe && !after.contains("#")
    }
}

/// The response that the app passes to its backend, which redeems the code.
public struct LogiCallback: Sendable, Hashable {
    /// The authorization code, which is valid once and for at most a minute.
    public let code: Secret
    /// The `state` that the backend chose.
    public let state: Secret
    /// The `iss` of the redirect, which the backend compares again; `nil` when it had none (RFC 9207).
    public let issuer: String?
}
