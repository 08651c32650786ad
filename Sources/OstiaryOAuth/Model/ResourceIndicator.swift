/// A resource server that tokens are requested for: an absolute URI without a fragment (RFC 8707 section 2).
public struct ResourceIndicator: Sendable, Hashable, CustomStringConvertible {
    /// The URI as it was written: it is sent and compared so.
    public let description: String

    /// Takes a resource's URI.
    ///
    /// - Throws: `configuration` at stage `authorization` when it is not absolute, has a fragment, or is longer than
    ///   2,048 bytes.
    public init(_ uri: String) throws(SignInError) {
        guard uri.utf8.count <= 2048, let parts = URIParts(uri), parts.fragment == nil,
            parts.authority != nil || !parts.path.isEmpty
        else {
            throw SignInError(
                .authorization,
                .configuration("A resource is a whole URI without a fragment, such as https://api.example.com.")
            )
        }
        description = uri
    }
}
