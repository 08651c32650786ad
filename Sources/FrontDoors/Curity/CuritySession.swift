public import Ostiary
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A signed-in person's tokens, with a client that may be renewed or lost meanwhile.
///
/// Only ``Curity`` makes one. It may be used from any number of tasks.
public final class CuritySession: Sendable {
    private let session: Session
    private let installation: CurityInstallation
    private let credentials: CurityCredentials
    private let isReplaced = Mutex(false)

    init(_ session: Session, of installation: CurityInstallation, with credentials: CurityCredentials) {
        self.session = session
        self.installation = installation
        self.credentials = credentials
    }

    /// Who signed in; `nil` without `openid`.
    ///
    /// It stays when tokens are renewed, which brings no new ID token.
    public var identity: IdentityToken? { session.identity }
    /// What was granted.
    public var scopes: [Scope] { session.scopes }
    /// When the access token expires, if the server said so.
    ///
    /// It is renewed by itself.
    public var accessTokenExpiry: Date? { session.accessTokenExpiry }
    /// Whether an access token can be renewed without a person.
    public var isRefreshable: Bool { session.isRefreshable }
    /// Whether the session has ended: by a sign-out, by the provider, or with its client.
    public var hasEnded: Bool { session.end != nil || isReplaced.withLock { $0 } }

    /// An access token, renewed first when it would not last.
    ///
    /// - Parameter minimumValidity: How long it has to be good for at least, in seconds. Default: the configuration's
    ///   policy, 60.
    /// - Throws: `signInRequired` when the session has ended, or when a new client had to be registered in place of its
    ///   client; otherwise what went wrong, and the session is kept: the same call may succeed later.
    public func accessToken(minimumValidity: Double? = nil) async throws(SignInError) -> Secret {
        try await attempt { session throws(SignInError) in
            try await session.accessToken(minimumValidity: minimumValidity)
        }
    }

    /// Renews the access token now, whether or not it would last.
    ///
    /// - Returns: The new access token, however long it lasts.
    /// - Throws: As ``accessToken(minimumValidity:)``.
    @discardableResult
    public func refresh() async throws(SignInError) -> Secret {
        try await attempt { session throws(SignInError) in try await session.refresh() }
    }

    /// Claims about the person, from the server, compared with who signed in.
    ///
    /// - Throws: At stage `userinfo`, and as ``accessToken(minimumValidity:)``; the session is kept.
    public func userInfo() async throws(SignInError) -> UserInfo {
        try await attempt { session throws(SignInError) in try await session.userInfo() }
    }

    /// Ends the session: here first, then the tokens at the provider, then the provider's own session in the browser,
    /// if the configuration has a place to come back to.
    ///
    /// The registration stays, so that the same client is used for the next sign-in. It also works after a restart.
    ///
    /// - Returns: What the provider said; a person who closes the page is signed out here all the same.
    /// - Throws: `storage` when the stored session could not be removed. It has not ended then.
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
