public import Ostiary
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A user's session at a Logto tenant, with the tokens for its APIs and organizations.
public struct LogtoSession: Sendable {
    /// The session beneath.
    public let session: Session
    private let config: LogtoConfig

    init(_ session: Session, _ config: LogtoConfig) {
        self.session = session
        self.config = config
    }

    /// The claims of the ID token; `nil` when the configuration requests none.
    public var claims: IdTokenClaims? { session.identity.map(IdTokenClaims.init) }
    /// The reason the session ended; `nil` while it is active.
    public var end: Session.End? { session.end }
    /// Whether tokens can be renewed; not after a sign-in with `prompt=login` alone.
    public var isRefreshable: Bool { session.isRefreshable }

    /// Returns an access token, refreshing it first if it expires within a minute.
    ///
    /// | resource | organization | token |
    /// |---|---|---|
    /// | none | none | opaque: for the user info and the Account API |
    /// | an API | none | a JWT for the API, with the scopes of the user's roles |
    /// | none | one | a JWT for the organization, with the scopes of the user's roles there |
    /// | an API | one | a JWT for the API, on behalf of the organization |
    ///
    /// - Parameters:
    ///   - resource: An API of the configuration, or `urn:logto:organization:<id>`, which is the same as naming the
    ///     organization.
    ///   - organizationID: An organization that the user belongs to.
    ///   - minimumValidity: The minimum remaining validity; more than a lifetime requests a new token. Default: a
    ///     minute.
    /// - Returns: The access token.
    /// - Throws: `configuration` before anything is sent, when the configuration lacks the resource or the
    ///   organizations scope; `refused` with `access_denied` or `insufficient_scope` when the organization does not
    ///   admit the user or the app, and the session is then unaffected; otherwise as
    ///   `Session.accessToken(for:minimumValidity:)`.
    public func accessToken(
        for resource: String? = nil,
        organizationID: String? = nil,
        minimumValidity: Duration? = nil
    ) async throws(SignInError) -> Secret {
        try await session.accessToken(for: try target(resource, organizationID), minimumValidity: minimumValidity)
    }

    /// A token for an organization itself.
    ///
    /// - Throws: As ``accessToken(for:organizationID:minimumValidity:)``.
    public func organizationToken(for id: String) async throws(SignInError) -> Secret {
        try await accessToken(organizationID: id)
    }

    /// Returns an access token with its scopes and expiry.
    ///
    /// - Throws: As ``accessToken(for:organizationID:minimumValidity:)``.
    public func accessTokenDetails(
        for resource: String? = nil,
        organizationID: String? = nil
    ) async throws(SignInError) -> LogtoAccessToken {
        let target = try target(resource, organizationID)
        let token = try await session.accessToken(for: target)
        return LogtoAccessToken(
            value: token,
            scopes: session.scopes(of: target) ?? [],
            expiry: session.accessTokenExpiry(for: target)
        )
    }

    /// Returns the unverified claims of an access token, for display: only the API's own validation counts.
    ///
    /// - Returns: `nil` for an opaque token, which has no claims.
    /// - Throws: As ``accessToken(for:organizationID:minimumValidity:)``.
    public func accessTokenClaims(
        for resource: String? = nil,
        organizationID: String? = nil
    ) async throws(SignInError) -> AccessTokenClaims? {
        AccessTokenClaims(try await accessToken(for: resource, organizationID: organizationID))
    }

    /// Returns the tenant's claims about the user, including those that are not in the ID token.
    ///
    /// - Throws: An error at stage `userinfo`; the session is kept.
    public func userInfo() async throws(SignInError) -> LogtoUserInfo { LogtoUserInfo(try await session.userInfo()) }

    /// Ends the session: here, then the refresh token, then the tenant's own in the browser.
    ///
    /// - Parameter redirectURI: A post sign-out redirect URI from the console; `nil` presents Logto's page, which the
    ///   user closes.
    /// - Returns: The failures at the tenant; the session here has ended in any case.
    /// - Throws: `configuration` for an invalid URI, and nothing has changed then; `storage` when the stored session
    ///   could not be removed.
    @discardableResult
    public func signOut(returningTo redirectURI: String? = nil) async throws(SignInError) -> SignOutReport {
        var way = EndSessionRequest.Returning.closing
        if let redirectURI { way = .redirect(try Self.endAddress(redirectURI)) }
        return try await session.signOut(EndSessionRequest(returning: way, hint: config.endSessionHint))
    }

    /// Ends the session here and revokes the refresh token; the tenant's own session in the browser goes on.
    ///
    /// - Throws: `storage` when the stored session could not be removed.
    @discardableResult
    public func clear() async throws(SignInError) -> SignOutReport { try await session.signOut() }

    /// A post sign-out redirect URI: with a slash behind its scheme, as Logto's SDK has it.
    static func endAddress(_ text: String) throws(SignInError) -> RedirectURI {
        let uri = try RedirectURI(text)
        guard text.drop(while: { $0 != ":" }).dropFirst().hasPrefix("/") else {
            throw SignInError(
                .endSession,
                .configuration("A post sign-out redirect URI has a slash behind its scheme: io.logto.app://signed-out.")
            )
        }
        return uri
    }

    private func target(_ resource: String?, _ organizationID: String?) throws(SignInError) -> AccessTokenTarget {
        func wrong(_ sentence: String) -> SignInError { SignInError(.refresh, .configuration(sentence)) }
        var resource = resource
        var organization = organizationID
        if let text = resource, let id = LogtoUtilities.organizationID(fromURN: text) {
            guard organization.map({ $0.utf8.elementsEqual(id.utf8) }) ?? true else {
                throw wrong("The resource names another organization than the one that is given besides.")
            }
            organization = id
            resource = nil
        }
        guard organization?.isEmpty != true else { throw wrong("An organization's identifier is not empty.") }
        guard organization == nil || config.hasOrganizations else { throw LogtoFailure.missingOrganizationsScope }
        var indicator: ResourceIndicator?
        if let resource {
            let asked = try ResourceIndicator(resource)
            guard config.requestedResources.contains(asked) else { throw LogtoFailure.unknownResource }
            indicator = asked
        }
        guard let organization else { return AccessTokenTarget(indicator) }
        return try AccessTokenTarget(resource: indicator, parameters: ["organization_id": organization])
    }
}

extension LogtoSession: CustomStringConvertible, CustomReflectable {
    /// The issuer and the app; no token.
    public var description: String { "LogtoSession(\(config.issuer), \(config.appId))" }
    /// No token.
    public var customMirror: Mirror { Mirror(self, children: ["session": description]) }
}

/// An access token with its scopes and expiry.
public struct LogtoAccessToken: Sendable, Hashable {
    /// The token.
    public let value: Secret
    /// The scopes of the token.
    public let scopes: [Scope]
    /// The expiry of the token; `nil` when the server named no lifetime.
    public let expiry: Date?

    /// The token in clear, under the name that Logto's SDK has for it.
    public var token: String { value.reveal() }
    /// The scopes of the token, joined by spaces.
    public var scope: String { scopes.text }
    /// The expiry of the token, in seconds since 1970; `nil` when the server named no lifetime.
    public var expiresAt: Int64? { expiry.flatMap { Int64(exactly: $0.timeIntervalSince1970.rounded(.down)) } }
}
