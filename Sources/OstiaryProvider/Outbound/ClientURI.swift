import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A URI of a client that the provider requests, or that its pages load or link to.
///
/// Having one proves that it is an https URL, or an http URL of this machine within the reach, without user name, and
/// without fragment where none is accepted, and that its host is within the reach as far as its text tells.
public struct ClientURI: Sendable, Hashable {
    /// The URI as it was given.
    public let text: String
    /// The URI, with its fragment.
    public let url: URL
    /// The URI without its fragment, which no request has.
    let resource: URL
    /// The hosts that it may lead to.
    public let reach: OutboundReach
    let parts: URIParts

    /// The rule that a text breaks.
    public enum Failure: Error, Sendable, Hashable {
        /// It is longer than 2,048 bytes, or not a URI.
        case malformed
        /// It is neither https nor an http URL of this machine within the reach.
        case scheme
        /// It has a user name.
        case userName
        /// It has a fragment.
        case fragment
        /// Its host is neither a name of letters, digits, hyphens and dots nor an address.
        case host
        /// Its host is this machine, which the reach excludes.
        case thisMachine
        /// Its host is an address, or a name of a private network, which the reach excludes.
        case outOfReach
        /// Its host is an IPv6 address, and a page is to load it: ``ClientURI/isLoadableByPages``.
        case addressInPolicy
    }

    /// Whether a URI may have a fragment.
    public enum FragmentUse: String, Sendable, Hashable {
        /// It must not: the provider adds parameters to it, or sends it.
        case refused
        /// It may: a user follows it, or it is the digest of the content.
        case accepted
    }

    /// Checks a text.
    ///
    /// - Parameters:
    ///   - text: The URI.
    ///   - reach: The accepted hosts. Default: every host.
    ///   - fragment: Whether it may have a fragment. Default: it must not.
    /// - Throws: ``Failure``.
    public init(
        _ text: String,
        reach: OutboundReach = .anywhere,
        fragment: FragmentUse = .refused
    ) throws(Failure) {
        guard text.utf8.count <= 2048, let parts = URIParts(text), let url = URL(string: text),
            let resource = URL(string: String(text.prefix { $0 != "#" })), let authority = parts.authority,
            !authority.host.isEmpty
        else { throw .malformed }
        let isOfThisMachine = authority.isLoopback || authority.host.hasSuffix(".localhost")
        guard parts.scheme == "https" || parts.scheme == "http" && authority.isLoopback else { throw .scheme }
        guard authority.userInfo == nil else { throw .userName }
        guard parts.fragment == nil || fragment == .accepted else { throw .fragment }
        guard Self.isName(authority.host) || authority.host.hasPrefix("[") else { throw .host }
        switch reach {
        case .anywhere: break
        case .publicHostsAndLoopback where isOfThisMachine: break
        case .publicHosts, .publicHostsAndLoopback:
            guard !isOfThisMachine else { throw .thisMachine }
            guard parts.scheme == "https", Self.isPublicName(authority.host) else { throw .outOfReach }
        }
        self.text = text
        self.url = url
        self.resource = resource
        self.parts = parts
        self.reach = reach
    }

    /// The part behind `#`; `nil` for none.
    var fragment: String? { parts.fragment }

    /// Whether a page can load it: a content security policy names hosts, and no IPv6 address (Content Security Policy
    /// Level 3 section 6.7.2.9).
    public var isLoadableByPages: Bool { !(parts.authority?.host.hasPrefix("[") ?? false) }

    /// The origin for a content security policy, such as `https://app.example.com:8443`.
    var origin: String {
        let host = parts.authority?.host ?? ""
        let port = parts.authority?.port ?? ""
        return "\(parts.scheme)://\(host)" + (port.isEmpty ? "" : ":\(port)")
    }

    /// The origin with the name of this machine as its host.
    var originAtLocalhost: String {
        origin.replacing(parts.authority?.host ?? "", with: "localhost")
    }

    /// Whether it has the scheme, host and port of one of these; the port of a loopback address does not count, as in
    /// redirect URIs.
    public func isAtOrigin(ofAnyOf texts: [String]) -> Bool {
        texts.compactMap { URIParts($0) }.contains { other in
            parts.isSameOrigin(as: other)
                || parts.isLoopback && parts.scheme == other.scheme && parts.authority?.host == other.authority?.host
        }
    }

    private static func isName(_ host: String) -> Bool {
        host.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-._".utf8.contains($0) }
    }

    /// Whether a host is a name that the public internet may have.
    ///
    /// A host that ends in a number is an IPv4 address to some parsers, whatever its form.
    private static func isPublicName(_ host: String) -> Bool {
        guard !host.hasPrefix("["), !host.contains(":") else { return false }
        let labels = host.split(separator: ".")
        guard labels.count > 1, let last = labels.last, last.utf8.contains(where: { $0 > UInt8(ascii: "9") }),
            !last.hasPrefix("0x")
        else { return false }
        return !["localhost", "local", "internal", "lan", "home", "arpa"].contains(last)
    }
}

extension ClientURI: CustomStringConvertible {
    /// The URI as it was given.
    public var description: String { text }
}

extension ClientURI.Failure: CustomStringConvertible {
    /// The rule, as the end of a sentence that begins with the member's name.
    public var description: String {
        switch self {
        case .malformed: "is not a URI of at most 2048 bytes"
        case .scheme: "is not an https URL, or an http URL of this machine"
        case .userName: "has a user name"
        case .fragment: "has a fragment"
        case .host: "has a host that is neither a name nor an address"
        case .thisMachine: "has a host of this machine"
        case .outOfReach: "has an address, or a host of a private network"
        case .addressInPolicy:
            "has an IPv6 address, which no content security policy can name: use a host name, such as localhost"
        }
    }
}
