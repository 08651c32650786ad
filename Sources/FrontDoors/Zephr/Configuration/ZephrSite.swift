import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A Zephr site: the one origin that a session is ever sent to.
public struct ZephrSite: Sendable, Hashable, CustomStringConvertible {
    /// The base URL as it was written, without a slash at its end.
    public let description: String
    /// The prefix of the Public API's paths.
    ///
    /// Default `/blaize`; the documentation writes `/zephr` in places, which is the newer name.
    public let prefix: String

    /// Takes a site's base URL.
    ///
    /// - Parameters:
    ///   - baseURL: https, or http on this machine: the publisher's own domain, or
    ///     `https://<tenant>-<site>.cdn.zephr.com`.
    ///   - prefix: The prefix of the Public API's paths.
    /// - Throws: `configuration`, with a sentence that names the fix.
    public init(_ baseURL: String, prefix: String = "/blaize") throws(ZephrError) {
        // A base URL meets the rules for an issuer: a whole https URL without query, fragment and user name.
        guard let base = try? Issuer(baseURL) else {
            throw ZephrError(
                .configuration(
                    "A site's base URL is a whole https URL such as https://news.example.com; http is for this machine."
                )
            )
        }
        guard prefix.hasPrefix("/"), Self.isPathSegment(prefix.dropFirst()) else {
            throw ZephrError(.configuration("The prefix is a slash and a name, such as /blaize."))
        }
        description = base.description.hasSuffix("/") ? String(base.description.dropLast()) : base.description
        self.prefix = prefix
    }

    /// The site that Zephr serves for a tenant, at `https://<tenant>-<site>.cdn.zephr.com`.
    ///
    /// - Throws: `configuration` for names that cannot be part of a host.
    public init(tenant: String, site: String) throws(ZephrError) {
        guard [tenant, site].allSatisfy({ Self.isHostPart($0) }) else {
            throw ZephrError(.configuration("A tenant and a site are letters, digits and hyphens."))
        }
        try self.init("https://\(tenant)-\(site).cdn.zephr.com")
    }

    /// The site under the service's older name, at `https://<tenant>.cdn.blaize.io`.
    ///
    /// - Throws: `configuration` for a name that cannot be part of a host.
    public init(blaizeTenant tenant: String) throws(ZephrError) {
        guard Self.isHostPart(tenant) else {
            throw ZephrError(.configuration("A tenant is letters, digits and hyphens."))
        }
        try self.init("https://\(tenant).cdn.blaize.io")
    }

    /// The site's host, in lower case.
    var host: String { URL(string: description)?.host()?.lowercased() ?? "" }

    /// Whether it is this machine.
    var isOnThisMachine: Bool { description.hasPrefix("http:") }

    /// A path of the Public API.
    func publicAPI(_ path: String) -> String { description + prefix + path }

    /// A path of the newer parts.
    func newer(_ path: String) -> String { description + "/zephr" + path }

    /// Whether a text can be one segment of a path as it stands.
    static func isPathSegment(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    private static func isHostPart(_ text: String) -> Bool {
        (1...63).contains(text.utf8.count)
            && text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
