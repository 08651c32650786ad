import HTTPTypes
import OstiaryOAuth
import OstiaryProvider

/// The rule for reading exchanges at the inspector.
///
/// A listener and an issuer of this machine alone show them to its user; anywhere else, and behind a proxy, a request
/// needs the token of the administration (RFC 6750 section 2.1).
struct InspectorAccess: Sendable {
    /// The reasons to refuse a request.
    enum Refusal: Sendable {
        /// A page of another origin sent it.
        case foreign
        /// The token is missing or wrong.
        case unauthorized
        /// There is no token that would open it.
        case closed
    }

    private let isOpen: Bool
    private let token: SecretDigest?

    /// Makes the rule.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier: a public one means that a proxy forwards requests.
    ///   - isLoopback: Whether only this machine can connect.
    ///   - token: The digest of the administration's token; `nil` for none.
    init(issuer: Issuer, isLoopback: Bool, token: SecretDigest?) {
        isOpen = isLoopback && issuer.isOfThisMachine
        self.token = token
    }

    /// Returns the reason to refuse a request; `nil` for one that may read exchanges.
    func refusal(of fields: HTTPFields) -> Refusal? {
        // Without CORS a foreign page reads nothing, but it could hold streams open.
        if let site = Self.value("Sec-Fetch-Site", fields), !["same-origin", "none"].contains(site) { return .foreign }
        let isForwarded = ["Forwarded", "X-Forwarded-For"].contains { Self.value($0, fields) != nil }
        if isOpen, !isForwarded { return nil }
        guard let token else { return .closed }
        let parts = fields[.authorization]?.split(separator: " ") ?? []
        guard parts.count == 2, parts[0].lowercased() == "bearer", token.matches(Secret(String(parts[1]))) else {
            return .unauthorized
        }
        return nil
    }

    private static func value(_ name: String, _ fields: HTTPFields) -> String? {
        HTTPField.Name(name).flatMap { fields[$0] }
    }
}
