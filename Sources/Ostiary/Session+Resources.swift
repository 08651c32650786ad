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
        accessTokenExpiry(for: AccessTokenTarget(resource))
    }

    /// When the token for a target expires.
    ///
    /// - Returns: `nil` when the server did not say, and when no token for the target was bought yet.
    public func accessTokenExpiry(for target: AccessTokenTarget) -> Date? {
        coordinator.tokens.access(for: target)?.expiry
    }

    /// What the token for a target allows; what was asked for when the server did not say (RFC 6749 section 5.1).
    ///
    /// - Returns: `nil` when no token for the target was bought yet.
    public func scopes(of target: AccessTokenTarget) -> [Scope]? { coordinator.tokens.access(for: target)?.scopes }
}
