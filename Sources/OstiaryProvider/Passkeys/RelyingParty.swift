package import OstiaryOAuth

/// The provider as the relying party of passkeys. (Web Authentication Level 3 section 4)
package struct RelyingParty: Sendable, Hashable {
    /// The RP ID: the issuer's host.
    package let id: String
    /// The origin of the issuer's pages, as browsers write it.
    package let origin: String

    /// Makes the relying party of an issuer.
    ///
    /// - Returns: `nil` for an issuer whose host is an IP address, which cannot be an RP ID (section 5.1.2), or whose pages
    ///   are not a secure context: `http` is one at `localhost` and its subdomains alone.
    package init?(_ issuer: Issuer) {
        guard let parts = URIParts(issuer.description), let authority = parts.authority else { return nil }
        let host = authority.host.lowercased()
        let isLocal = host == "localhost" || host.hasSuffix(".localhost")
        guard parts.scheme == "https" || isLocal, !host.hasPrefix("["), !Self.isAddress(host) else { return nil }
        id = host
        let usualPort = parts.scheme == "https" ? "443" : "80"
        let port = authority.port.flatMap { $0.isEmpty || $0 == usualPort ? nil : ":\($0)" } ?? ""
        origin = "\(parts.scheme)://\(host)\(port)"
    }

    /// Whether a host ends in a number, as an IPv4 address in any spelling does (URL standard, "ends in a number").
    private static func isAddress(_ host: String) -> Bool {
        let labels = host.split(separator: ".")
        guard let last = labels.last else { return true }
        return last.utf8.allSatisfy { (0x30...0x39).contains($0) } || last.hasPrefix("0x")
    }
}
