import OstiaryOAuth

/// The exit status of the command: a closed, documented set that scripts rely on.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    case other = 1
    case usage = 2
    case configuration = 3
    case network = 4
    case cancelled = 5
    case signInRequired = 6
    case refusedForSecurity = 7
    case server = 8
    case timedOut = 9
    case storage = 10

    /// The meaning in the help.
    var meaning: String {
        switch self {
        case .success: "done"
        case .other: "any other failure"
        case .usage: "the arguments are wrong"
        case .configuration: "the configuration, the client's registration or the metadata is wrong"
        case .network: "the network or TLS failed; the session is kept"
        case .cancelled: "cancelled, or denied by the user or the server (access_denied)"
        case .signInRequired: "there is no session, or it has ended: sign in"
        case .refusedForSecurity: "a response failed a check and was rejected"
        case .server: "the server failed, or its response breaks its specification"
        case .timedOut: "the user or the server did not respond in time"
        case .storage: "the store is locked, unavailable or corrupted"
        }
    }

    /// The whole set for the help.
    static var table: String {
        (["EXIT STATUS"]
            + allCases.map { status in
                let number = String(status.rawValue)
                return "  " + String(repeating: " ", count: 2 - number.count) + number + "  " + status.meaning
            }).joined(separator: "\n")
    }
}
