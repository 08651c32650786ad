/// Where the provider listens.
///
/// A development provider knows passwords that stand in a file, so it is for this machine: another address has to be asked
/// for by a name that says so.
public struct ProviderAddress: Sendable, Hashable {
    let host: String
    let port: Int
    /// Whether only this machine can connect.
    let isLoopback: Bool

    /// This machine only.
    ///
    /// - Parameter port: 0 for any that is free.
    public static func loopback(port: Int = 0) -> ProviderAddress {
        ProviderAddress(host: "127.0.0.1", port: port, isLoopback: true)
    }

    /// Every machine that can reach the host, say behind a proxy that speaks TLS.
    ///
    /// An issuer has to be given as well, and it is an https URL. The `Host` field is not looked at then: the proxy may
    /// have put anything into it.
    ///
    /// - Parameters:
    ///   - host: The address to listen on; `0.0.0.0` for all of IPv4.
    ///   - port: 0 for any that is free.
    public static func allowingOtherMachines(host: String, port: Int) -> ProviderAddress {
        ProviderAddress(host: host, port: port, isLoopback: false)
    }
}
