/// The reason the server does not run.
public enum ProviderServerError: Error, Sendable, Hashable {
    /// The address cannot be listened on; the text is the system's.
    case cannotListen(on: String, reason: String)
    /// A file of the certificate cannot be used; the text says why.
    case certificate(_ file: String, reason: String)
    /// Other machines can connect, and there is no issuer to tell them.
    case issuerRequired
    /// The path of an issuer cannot be one, or another issuer has it, for itself or for an endpoint.
    case issuerPath(String)
    /// The server stopped unexpectedly; the text is the system's.
    case stopped(reason: String)
}

extension ProviderServerError: CustomStringConvertible {
    /// One sentence that names the fix.
    public var description: String {
        switch self {
        case .cannotListen(let address, let reason):
            switch reason {
            case "Address already in use":
                "\(address) is already in use. Stop the other program, or choose another port: --port 0 takes any."
            case "Permission denied":
                "Cannot listen on \(address): \(reason). Choose a port above 1023: --port 0 takes any."
            case "Cannot assign requested address":
                "Cannot listen on \(address): \(reason). This machine does not have it; --host 0.0.0.0 is every one."
            default: "Cannot listen on \(address): \(reason)."
            }
        case .certificate(let file, let reason): "\(file) cannot be used: \(reason)."
        case .issuerRequired:
            "Other machines need an https issuer to reach this provider by: give one, or listen on the loopback address."
        case .issuerPath(let path):
            "No issuer can have the path \(path), or another serves it: give each its own, such as /tenants/b."
        case .stopped(let reason):
            "The server stopped: \(reason)."
        }
    }
}
