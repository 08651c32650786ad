public import OstiaryOAuth

/// A name by which the world reaches this server: what the URLs of requests are put together from.
///
/// It is configured and never read from a request: whoever sends one writes its `Host`, and what `Forwarded` says is only as
/// true as the proxy that wrote it.
public struct ExternalOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The origin, and the path that a proxy takes away from what it passes on, without a slash at the end.
    public let description: String

    /// Takes an origin.
    ///
    /// - Parameter string: Such as `https://api.example.com`, or `https://example.com/api` when a proxy passes requests for
    ///   `/api/orders` on as `/orders`. http for this machine only.
    /// - Throws: `configuration` at stage `token` when it is not one.
    public init(_ string: String) throws(SignInError) {
        guard let parts = URIParts(string), parts.isSecureOrLoopback, parts.authority?.userInfo == nil,
            parts.query == nil, parts.fragment == nil
        else {
            throw SignInError(
                .token,
                .configuration("An external origin is an https URL, such as https://api.example.com, without a query.")
            )
        }
        description = string.hasSuffix("/") ? String(string.dropLast()) : string
    }

    /// The URL of a request, without its query.
    func url(ofPath path: String) -> String { description + (path.hasPrefix("/") ? path : "/" + path) }
}
