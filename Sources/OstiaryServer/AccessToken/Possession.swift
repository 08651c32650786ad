import OstiaryJOSE

/// The scheme by which a request presents an access token, and the keys that its sender has proven.
struct Possession: Sendable, Hashable {
    var scheme: AccessTokenScheme
    /// The thumbprint of the key of the request's proof (RFC 7638); `nil` without a proof.
    var proofKey: String?
    /// The thumbprint of the sender's certificate (RFC 8705 section 3.1); `nil` without one.
    var certificate: String?

    /// A token that is presented without a proof of possession.
    static let bearer = Possession(scheme: .bearer)

    /// Whether the request proves every key in a token's `cnf`, and presents the token by the required scheme.
    ///
    /// An unknown confirmation method cannot be verified, so the token is rejected (RFC 7800 section 3.1).
    func satisfies(_ confirmation: JSONValue?) -> Bool {
        guard let confirmation else { return scheme == .bearer }
        guard let members = confirmation.object, !members.isEmpty else { return false }
        guard (members["jkt"] != nil) == (scheme == .dpop) else { return false }
        return members.members.allSatisfy { member in
            guard let wanted = member.value.string else { return false }
            let proven: String? =
                switch member.name {
                case "jkt": proofKey
                case "x5t#S256": certificate
                default: nil
                }
            return proven.map { constantTimeEqual($0, wanted) } ?? false
        }
    }
}
