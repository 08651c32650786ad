import HTTPTypes

/// The access token in the `Authorization` field of a request, and how it was presented.
struct PresentedToken: Sendable {
    /// An authentication scheme for access tokens.
    enum Scheme: String, Sendable {
        /// A token that any holder may use (RFC 6750).
        case bearer
        /// A token that only the holder of the key may use (RFC 9449).
        case dpop
    }

    let scheme: Scheme
    let text: String

    /// A bearer token from another place than the field.
    init(bearer text: String) {
        scheme = .bearer
        self.text = text
    }

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
