import HTTPTypes

/// The access token in the `Authorization` field of a request, and how it was presented.
struct ShownToken: Sendable {
    /// An authentication scheme for access tokens.
    enum Scheme: String, Sendable {
        /// Whoever has the token may use it (RFC 6750).
        case bearer
        /// Only who has the key may use it (RFC 9449).
        case dpop
    }

    let scheme: Scheme
    let text: String

    /// Reads a field; `nil` when it has another scheme or nothing behind it.
    ///
    /// A scheme has no case.
    init?(_ field: String) {
        let parts = field.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let scheme = Scheme(rawValue: parts[0].lowercased()), !parts[1].isEmpty else {
            return nil
        }
        self.scheme = scheme
        text = String(parts[1])
    }
}
