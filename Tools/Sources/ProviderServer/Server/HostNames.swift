import OstiaryOAuth

/// The names that requests to this provider may have in the `Host` field.
///
/// An attacker's page can point its own host name at 127.0.0.1 and then read a local server's responses. Such a request
/// still carries the attacker's host name.
struct HostNames: Sendable {
    private let authorities: Set<String>

    init(issuer: Issuer, address: String, port: Int) {
        authorities = [issuer.authority, "\(address):\(port)", "localhost:\(port)"]
    }

    /// Whether a request for this authority is meant for the provider.
    func contains(_ authority: String?) -> Bool {
        guard let authority else { return false }
        return authorities.contains(authority.lowercased())
    }
}
