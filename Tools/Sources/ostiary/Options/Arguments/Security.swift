import ArgumentParser
package import OstiaryOAuth

/// The security profiles, by the names that the command line has for them.
package enum Security: String, ExpressibleByArgument, CaseIterable, Sendable {
    case standard
    case oauth21
    case fapi2

    /// The profile of that name.
    package var profile: SecurityProfile {
        switch self {
        case .standard: .standard
        case .oauth21: .oauth21
        case .fapi2: .fapi2Security
        }
    }
}
