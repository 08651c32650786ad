import Ostiary
import OstiaryOAuth

extension LogtoClient {
    /// Returns an access token in clear.
    ///
    /// ``LogtoSession/accessToken(for:organizationID:minimumValidity:)`` has the table of the tokens.
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

    /// Returns the unverified claims of an access token.
    ///
    /// - Throws: ``LogtoErrors/Decoding`` for an opaque token; otherwise as ``getAccessToken(for:organizationId:)``.
    public func getAccessTokenClaims(
        for resource: String? = nil,
        organizationId: String? = nil
    ) async throws -> JsonObject {
        try LogtoUtilities.decodeAccessToken(try await getAccessToken(for: resource, organizationId: organizationId))
    }

    /// Returns the unverified claims of a token for an organization.
    ///
    /// - Throws: As ``getAccessTokenClaims(for:organizationId:)``.
    public func getOrganizationTokenClaims(forId id: String) async throws -> JsonObject {
        try await getAccessTokenClaims(organizationId: id)
    }

    /// Returns the tenant's claims about the user, including those that are not in the ID token.
    ///
    /// - Throws: ``LogtoClientErrors/UserInfo``; the session is kept.
    public func fetchUserInfo() async throws -> LogtoUserInfo {
        do throws(SignInError) {
            return try await signedIn().userInfo()
        } catch {
            throw LogtoClientErrors.UserInfo(type: .unableToFetchUserInfo, innerError: error)
        }
    }

    /// Starts a request for the tenant's claims about the user, from code that cannot wait.
    ///
    /// - Returns: The task of the request.
    /// - Throws: ``LogtoClientErrors/UserInfo`` when no user is signed in.
    public func fetchUserInfo() throws -> Task<LogtoUserInfo, any Error> {
        guard isAuthenticated else { throw LogtoClientErrors.UserInfo(type: .unableToFetchUserInfo) }
        return Task { try await self.fetchUserInfo() }
    }
}
