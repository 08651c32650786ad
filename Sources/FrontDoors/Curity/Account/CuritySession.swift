public import Ostiary
import OstiaryCompatibility

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A signed-in user's tokens, with a client that may be renewed or lost meanwhile.
///
/// Only ``Curity`` makes one. It may be used from any number of tasks.
public final class CuritySession: Sendable {
    private let session: Session
    private let installation: CurityInstallation
    private let credentials: CurityCredentials
    private let isReplaced = Lock(false)

    init(_ session: Session, of installation: CurityInstallation, with credentials: CurityCredentials) {
        self.session = session
        self.installation = installation
        self.credentials = credentials
    }

    /// The ID token of the user; `nil` without `openid`.
    ///
    /// It stays when tokens are refreshed, because a refresh returns no new ID token.
    public var identity: IDToken? { session.identity }
    /// The granted scopes.
    public var scopes: [Scope] { session.scopes }
    /// The access token's expiry, if the server stated one.
    ///
    /// The session refreshes the token automatically.
    public var accessTokenExpiry: Date? { session.accessTokenExpiry }
    /// Whether an access token can be refreshed without the user.
    public var isRefreshable: Bool { session.isRefreshable }
    /// Whether the session has ended: by a sign-out, by the provider, or with its client.
    public var hasEnded: Bool { session.end != nil || isReplaced.withLock { $0 } }

    /// Returns a valid access token, refreshing it first if it is about to expire.
    ///
    /// - Parameter minimumValidity: The minimum remaining validity. Default: that of the configuration's policy, a
    ///   minute.
    /// - Returns: The access token.
    /// - Throws: `signInRequired` when the session has ended, or when a new client replaced its client; otherwise the
    ///   error, and the session is kept: the same call may succeed later.
    public func accessToken(minimumValidity: Duration? = nil) async throws(SignInError) -> Secret {
        try await attempt { session throws(SignInError) in
            try await session.accessToken(minimumValidity: minimumValidity)
        }
    }

    /// Refreshes the access token now, even if it is still valid.
    ///
    /// - Returns: The new access token, whatever its lifetime.
    /// - Throws: As ``accessToken(minimumValidity:)``.
    @discardableResult
    public func refresh() async throws(SignInError) -> Secret {
        try await attempt { session throws(SignInError) in try await session.refresh() }
    }

    /// Returns claims about the user from the server, after checking that their subject is the user who signed in.
    ///
    /// - Throws: An error at stage `userinfo`, and as ``accessToken(minimumValidity:)``; the session is kept.
    public func userInfo() async throws(SignInError) -> UserInfo {
        try await attempt { session throws(SignInError) in try await session.userInfo() }
    }

    /// Ends the session: here first, then the tokens at the provider, then the provider's own session in the browser,
    /// if the configuration has a URI to return to.
    ///
    /// The registration stays, so that the next sign-in uses the same client. It also works after a restart.
    ///
    /// - Returns: The provider's response; a user who closes the page is signed out here nevertheless.
    /// - Throws: `storage` when the stored session could not be removed. The session has then not ended.
    @discardableResult
    public func signOut() async throws(SignInError) -> SignOutReport {
        try await session.signOut(endingProviderSessionAt: installation.configuration.postLogoutRedirectURI)
    }

    /// Does something with the session, once more when the client has other credentials by then.
    private func attempt<Outcome>(
        _ act: (Session) async throws(SignInError) -> Outcome
    ) async throws(SignInError) -> Outcome {
        guard !isReplaced.withLock({ $0 }) else { throw SignInError(.refresh, .signInRequired) }
        let used = credentials.registration
        do throws(SignInError) {
            return try await act(session)
        } catch {
            guard error.isAboutUnknownClient else { throw error }
            switch try await installation.recovery(from: used, withPerson: false) {
            case .renewed: return try await act(session)
            case .replaced:
                isReplaced.withLock { $0 = true }
                throw SignInError(.refresh, .signInRequired)
            case .failed: throw error
            }
        }
    }
}

extension CuritySession: CustomStringConvertible, CustomReflectable {
    /// The issuer and the client; no token.
    public var description: String {
        "CuritySession(\(installation.configuration.issuer), \(credentials.registration.clientID))"
    }
    /// No token.
    public var customMirror: Mirror { Mirror(self, children: ["session": description]) }
}
