public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Session {
    /// When the token for a resource expires (RFC 8707).
    ///
    /// - Parameter resource: `nil` for the token of the sign-in itself.
    /// - Returns: `nil` when the server did not say, and when no token for the resource was bought yet.
    public func accessTokenExpiry(for resource: ResourceIndicator?) -> Date? {
        current.tokens.access(for: resource)?.expiry
    }
}
