/// The address of the provider's server.
///
/// A development provider reads passwords from a file, so it is for this machine. Other addresses need a call whose
/// name says so.
public struct ProviderAddress: Sendable, Hashable {
    let host: String
    let port: Int
    /// Whether only this machine can connect.
    let isLoopback: Bool

    /// This machine only.
    ///
    /// - Parameter port: 0 for any that is free.
    /// - Returns: The address.
    public static func loopback(port: Int = 0) -> ProviderAddress {
        ProviderAddress(host: "127.0.0.1", port: port, isLoopback: true)
    }

    /// An address for every machine that can reach the host, for example behind a proxy that speaks TLS.
    ///
    /// It requires an issuer, which is an https URL. The `Host` field is then not checked: the proxy may have put any
    /// value into it.
    ///
    /// - Parameters:
    ///   - host: The address to listen on; `0.0.0.0` for all of IPv4.
    ///   - port: 0 for any free port.
    /// - Returns: The address.
    public static func allowingOtherMachines(host: String, port: Int) -> ProviderAddress {
        ProviderAddress(host: host, port: port, isLoopback: false)
    }
}
