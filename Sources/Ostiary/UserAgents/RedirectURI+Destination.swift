package import OstiaryOAuth

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension RedirectURI {
    /// Whether a URL goes to this redirect URI, whatever its query.
    ///
    /// The check of the redirect makes the same comparison (RFC 9700 section 4.1.3). This one comes early enough to
    /// ignore an unrelated URL.
    package func isDestination(of url: URL) -> Bool {
        guard let given = URIParts(url) else { return false }
        return given.scheme == parts.scheme && given.authority?.userInfo == nil
            && given.authority?.host == parts.authority?.host && given.effectivePort == parts.effectivePort
            && (given.path == parts.path || (given.path + parts.path == "/" && given.authority != nil))
    }
}
