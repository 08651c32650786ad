public import Ostiary
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A person who is signed in at a Logto tenant, and the tokens for its APIs and organizations.
public struct LogtoSession: Sendable {
    /// The session beneath.
    public let session: Session
    private let config: LogtoConfig

    init(_ session: Session, _ config: LogtoConfig) {
        self.session = session
        self.config = config
    }

    /// What the ID token says of the person; `nil` when the configuration asks for none.
    public var claims: IdTokenClaims? { session.identity.map(IdTokenClaims.init) }
    /// Why the session has ended; `nil` as long as it has not.
    public var end: SessionEnd? { session.end }
    /// Whether tokens can be renewed; not after a sign-in with `prompt=login` alone.
    public var isRefreshable: Bool { session.isRefreshable }

    /// An access token, renewed first when it would not last for a minute.
    ///
    /// | resource | organization | token |
    /// |---|---|---|
    /// | none | none | opaque: for the user info and the Account API |
    /// | an API | none | a JWT for the API, with what the person's roles allow |
    /// | none | one | a JWT for the organization, with what the roles there allow |
    /// | an API | one | a JWT for the API, in the organization's name |
    ///
    /// - Parameters:
    ///   - resource: An API of the configuration, or `urn:logto:organization:<id>`, which is the same as naming the
    ///     organization.
    ///   - organizationID: An organization that the person belongs to.
    ///   - minimumValidity: How long it has to be good for at least, in seconds; infinity buys a new one. Default 60.
    /// - Throws: `configuration` before anything is sent, when the configuration lacks the resource or the organizations
    ///   scope. `refused` with `access_denied` or `insufficient_scope` when the organization is closed to the person or the
    ///   app; the session goes on then. Otherwise as ``Session/accessToken(for:minimumValidity:)``.
    public func accessToken(
        for resource: String? = nil,
        organizationID: String? = nil,
        minimumValidity: Double? = nil
    ) async throws(SignInError) -> Secret {
        try await session.accessToken(for: try target(resource, organizationID), minimumValidity: minimumValidity)
    }

    /// A token for an organization itself.
    ///
    /// - Throws: As ``accessToken(for:organizationID:minimumValidity:)``.
    public func organizationToken(for id: String) async throws(SignInError) -> Secret {
        try await accessToken(organizationID: id)
    }

    /// An access token with what it allows and how long.
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

    /// What an access token says, for showing it: nobody has checked it, and only the API's check counts.
    ///
    /// - Returns: `nil` for an opaque token, which says nothing.
    /// - Throws: As ``accessToken(for:organizationID:minimumValidity:)``.
    public func accessTokenClaims(
        for resource: String? = nil,
        organizationID: String? = nil
    ) async throws(SignInError) -> AccessTokenClaims? {
        AccessTokenClaims(try await accessToken(for: resource, organizationID: organizationID))
    }

    /// Claims about the person from the tenant: those, too, that are kept out of the ID token.
    ///
    /// - Throws: At stage `userinfo`; the session is kept.
    public func userInfo() async throws(SignInError) -> LogtoUserInfo { LogtoUserInfo(try await session.userInfo()) }

    /// Ends the session: here, then the refresh token, then the tenant's own in the browser.
    ///
    /// - Parameter redirectURI: A post sign-out redirect URI from the console; `nil` shows Logto's page, which the person
    ///   closes.
    /// - Returns: What could not be done at the tenant; the session here has ended in any case.
    /// - Throws: `configuration` for a URI that is none, and nothing has changed then; `storage` when the stored session
    ///   could not be removed.
    @discardableResult
    public func signOut(returningTo redirectURI: String? = nil) async throws(SignInError) -> SignOutReport {
        var way = EndSessionRequest.Return.closing
        if let redirectURI { way = .redirect(try Self.endAddress(redirectURI)) }
        return try await session.signOut(EndSessionRequest(return: way, hint: config.endSessionHint))
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

/// An access token, what it allows and how long.
public struct LogtoAccessToken: Sendable, Hashable {
    /// The token.
    public let value: Secret
    /// What it allows.
    public let scopes: [Scope]
    /// When it expires; `nil` when the server did not say.
    public let expiry: Date?

    /// The token in clear, under the name that Logto's SDK has for it.
    public var token: String { value.reveal() }
    /// What it allows, joined by spaces.
    public var scope: String { scopes.text }
    /// When it expires, in seconds since 1970; `nil` when the server did not say.
    public var expiresAt: Int64? { expiry.flatMap { Int64(exactly: $0.timeIntervalSince1970.rounded(.down)) } }
}
