public import OstiaryOAuth

/// The Valkey or Redis server that keeps replays and limits, which each request writes.
public struct ReplaysAndLimitsSettings: Sendable {
    /// The host's name or address, or the path of a Unix socket.
    public let host: String
    /// Default: 6379.
    public let port: Int
    /// The user; `nil` for the server's `default` user.
    public let user: String?
    /// The password; `nil` when the server requires none.
    public let password: Secret?
    /// The file with the authorities that sign the server's certificate; `nil` without TLS.
    public let certificateAuthorities: String?
    /// The largest number of connections.
    public let connections: Int
    /// The time limit of a call.
    public let timeLimit: Duration
    /// The beginning of the names of all entries.
    public let keyPrefix: String

    private enum Kind: String, CaseIterable { case valkey }
    private enum Security: String, CaseIterable { case none, verified }

    init(_ setting: Setting) throws(BackendConfigurationError) {
        let object = try setting.object(
            of: "type",
            "host",
            "port",
            "user",
            "password",
            "security",
            "certificate_authorities",
            "connections",
            "seconds",
            "key_prefix"
        )
        _ = try object.required("type").choice(Kind.self)
        host = try object.required("host").text()
        port = try object["port"]?.integer(in: 1...65_535) ?? 6379
        user = try object["user"]?.text()
        password = try object["password"]?.secret()
        certificateAuthorities =
            switch try object.required("security").choice(Security.self) {
            case .none: nil
            case .verified:
                try object["certificate_authorities"]?.file() ?? "/etc/ssl/certs/ca-certificates.crt"
            }
        connections = try object["connections"]?.integer(in: 1...1000) ?? 10
        timeLimit = try object["seconds"]?.seconds(in: 0.1...60) ?? .seconds(2)
        keyPrefix = try object["key_prefix"]?.text() ?? "ostiary:"
    }
}
