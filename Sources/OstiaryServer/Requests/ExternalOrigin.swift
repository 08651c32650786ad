public import OstiaryOAuth

/// A public origin of this server, from which the URLs of requests are made.
///
/// It is configured and never read from a request: the client controls `Host`, and `Forwarded` is only as trustworthy
/// as the proxy that wrote it.
public struct ExternalOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The origin, and the path that a proxy removes from requests, without a trailing slash.
    public let description: String

    /// Makes an origin.
    ///
    /// - Parameter string: Such as `https://api.example.com`, or `https://example.com/api` when a proxy forwards
    ///   requests for `/api/orders` as `/orders`. http for this machine only.
    /// - Throws: `configuration` at stage `token` for any other string.
    public init(_ string: String) throws(SignInError) {
        guard let parts = URIParts(string), parts.isSecureOrLoopback, parts.authority?.userInfo == nil,
            parts.query == nil, parts.fragment == nil
        else {
            throw SignInError(
                .token,
                .configuration(
                    "An external origin must be an https URL without a query, such as https://api.example.com."
                )
            )
        }
        description = string.hasSuffix("/") ? String(string.dropLast()) : string
    }

    /// The URL of a request, without its query.
    func url(ofPath path: String) -> String { description + (path.hasPrefix("/") ? path : "/" + path) }
}
