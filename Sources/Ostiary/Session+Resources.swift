public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Session {
    /// Returns the expiry of the token for a resource (RFC 8707).
    ///
    /// - Parameter resource: `nil` for the token of the sign-in itself.
    /// - Returns: `nil` when the server named no lifetime, and when no token for the resource was requested yet.
    public func accessTokenExpiry(for resource: ResourceIndicator?) -> Date? {
        accessTokenExpiry(for: AccessTokenTarget(resource))
    }

    /// Returns the expiry of the token for a target.
    ///
    /// - Returns: `nil` when the server named no lifetime, and when no token for the target was requested yet.
    public func accessTokenExpiry(for target: AccessTokenTarget) -> Date? {
        coordinator.tokens.access(for: target)?.expiry
    }

    /// Returns the scopes of the token for a target; the requested ones when the server named none (RFC 6749 section
    /// 5.1).
    ///
    /// - Returns: `nil` when no token for the target was requested yet.
    public func scopes(of target: AccessTokenTarget) -> [Scope]? { coordinator.tokens.access(for: target)?.scopes }
}
