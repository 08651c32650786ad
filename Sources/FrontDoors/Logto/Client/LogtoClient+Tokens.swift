import Ostiary
import OstiaryOAuth

extension LogtoClient {
    /// An access token in clear; ``LogtoSession/accessToken(for:organizationID:minimumValidity:)`` has the table of what comes of it.
    ///
    /// - Throws: ``LogtoClientErrors/AccessToken``; the session is kept unless Logto has ended it.
    public func getAccessToken(for resource: String? = nil, organizationId: String? = nil) async throws -> String {
        do throws(SignInError) {
            return try await signedIn().accessToken(for: resource, organizationID: organizationId).reveal()
        } catch {
            throw error.ofAccessToken
        }
    }

    /// A token for an organization, in clear.
    ///
    /// - Throws: As ``getAccessToken(for:organizationId:)``.
    public func getOrganizationToken(forId id: String) async throws -> String {
        try await getAccessToken(organizationId: id)
    }

    /// What an access token says.
    ///
    /// - Throws: ``LogtoErrors/Decoding`` for an opaque one; otherwise as ``getAccessToken(for:organizationId:)``.
    public func getAccessTokenClaims(
        for resource: String? = nil,
        organizationId: String? = nil
    ) async throws -> AccessTokenClaims {
        try LogtoUtilities.decodeAccessToken(try await getAccessToken(for: resource, organizationId: organizationId))
    }

    /// What a token for an organization says.
    ///
    /// - Throws: As ``getAccessTokenClaims(for:organizationId:)``.
    public func getOrganizationTokenClaims(forId id: String) async throws -> AccessTokenClaims {
        try await getAccessTokenClaims(organizationId: id)
    }

    /// What the tenant says of the person: claims, too, that are kept out of the ID token.
    ///
    /// - Throws: ``LogtoClientErrors/UserInfo``; the session is kept.
    public func fetchUserInfo() async throws -> LogtoUserInfo {
        do throws(SignInError) {
            return try await signedIn().userInfo()
        } catch {
            throw LogtoClientErrors.UserInfo(type: .unableToFetchUserInfo, innerError: error)
        }
    }

    /// Starts to ask the tenant about the person, where nothing can wait.
    ///
    /// - Returns: What to wait for where something can.
    /// - Throws: ``LogtoClientErrors/UserInfo`` when nobody is signed in.
    public func fetchUserInfo() throws -> Task<LogtoUserInfo, any Error> {
        guard isAuthenticated else { throw LogtoClientErrors.UserInfo(type: .unableToFetchUserInfo) }
        return Task { try await self.fetchUserInfo() }
    }
}
