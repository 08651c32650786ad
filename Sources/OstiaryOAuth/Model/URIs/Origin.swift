#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A scheme, a host and a port: an audience to which a token may be presented (RFC 6454 section 4).
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    private let scheme: String
    private let host: String
    private let port: Int?

    /// Takes an origin, such as `https://api.example.com`.
    ///
    /// - Parameter text: A URL without path, query, fragment and user info: https, or http on a loopback host.
    /// - Throws: `configuration` at stage `resource`, with a sentence that names the fix.
    public init(_ text: String) throws(SignInError) {
        guard let parts = URIParts(text), parts.isSecureOrLoopback, parts.authority?.userInfo == nil,
            ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil, let origin = Origin(parts)
        else {
            throw SignInError(
                .resource,
                .configuration("An origin is an https URL up to its port, such as https://api.example.com:8443.")
            )
        }
        self = origin
    }

    /// The origin of a URL; `nil` for one that nothing secret may be sent to, and for one with user info.
    public init?(_ url: URL) {
        guard let parts = URIParts(url), parts.isSecureOrLoopback, parts.authority?.userInfo == nil else { return nil }
        self.init(parts)
    }

    /// The origin of a resource server, if its identifier is a URL.
    public init?(_ resource: ResourceIndicator) {
        guard let parts = URIParts(resource.description), parts.isSecureOrLoopback, parts.authority?.userInfo == nil
        else { return nil }
        self.init(parts)
    }

    private init?(_ parts: URIParts) {
        guard let host = parts.authority?.host, !host.isEmpty else { return nil }
        scheme = parts.scheme
        self.host = host.lowercased()
        port = parts.effectivePort
    }

    /// Whether requests to it stay on this machine.
    package var isLoopback: Bool { URIParts(description).map { $0.authority?.isLoopback ?? false } ?? false }

    /// The serialization of the origin (RFC 6454 section 6.1).
    public var description: String {
        let usual = scheme == "https" ? 443 : 80
        return "\(scheme)://\(host)" + (port.map { $0 == usual ? "" : ":\($0)" } ?? "")
    }
}
