import OstiaryOAuth

/// The names by which this provider may be called in the `Host` field.
///
/// A page on the internet can point its own host name at 127.0.0.1 and then read what a local server answers. Such a
/// request still carries the other name.
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
