public import Ostiary
import OstiaryCompatibility

/// The sample app's four operations, with its errors: register, sign in, refresh, sign out.
///
/// It covers the two views of the tutorial: a closed browser and an ended session are results, not errors. Every other
/// failure is a ``CurityError`` with its four fields. For the server's other features, use ``Curity``.
///
///     let app = CurityApp(curity)
///     try await app.register()
///     guard let session = try await app.signIn() else { return }   // The user closed the browser.
///     guard let token = try await app.refresh() else { return }    // The session has ended: sign in again.
///     try await app.signOut()
public final class CurityApp: Sendable {
    private let curity: Curity
    private let session = Lock<CuritySession?>(nil)

    /// Makes the app's half of a front door.
    public init(_ curity: Curity) { self.curity = curity }

    /// Reads the metadata and registers this installation, when it is started for the first time.
    ///
    /// - Returns: The client; its secret prints as `[redacted]`.
    @discardableResult
    public func register() async throws(CurityError) -> ClientRegistration {
        try await catching { () throws(SignInError) in try await self.curity.register() }
    }

    /// Signs the user in with the system's browser.
    ///
    /// - Parameters:
    ///   - acrValues: The authentication methods to use, the best first; empty leaves them to the server.
    ///   - prompt: The required interactions, such as `[.login]` to sign in again despite the browser's session.
    ///   - maximumAge: The maximum age of the user's authentication; a fraction of a second is dropped.
    ///   - loginHint: A hint about the user who will sign in.
    ///   - uiLocales: Languages, the best first.
    ///   - additionalParameters: Parameters of the server's own.
    /// - Returns: `nil` when the user closed the browser; the state is unchanged.
    /// - Throws: ``CurityError``; an earlier session is kept.
    @discardableResult
    public func signIn(
        acrValues: [String] = [],
        prompt: [AuthorizationRequest.Prompt] = [],
        maximumAge: Duration? = nil,
        loginHint: String? = nil,
        uiLocales: [String] = [],
        additionalParameters: Parameters = Parameters()
    ) async throws(CurityError) -> CuritySession? {
        var request = curity.request
        request.authenticationContext = acrValues.isEmpty ? .any : .preferred(acrValues)
        request.prompt = prompt
        request.maximumAge = maximumAge
        request.loginHint = loginHint
        request.uiLocales = uiLocales
        request.additionalParameters = additionalParameters
        do throws(SignInError) {
            let new = try await curity.signIn(request)
            session.withLock { $0 = new }
            return new
        } catch {
            guard error.reason == .cancelled, !Task.isCancelled else { throw CurityError(error) }
            return nil
        }
    }

    /// Refreshes the access token with the refresh token, also after a restart.
    ///
    /// - Returns: `nil` when the session has ended (`invalid_grant`): sign in again.
    @discardableResult
    public func refresh() async throws(CurityError) -> Secret? {
        guard let session = try await current() else { return nil }
        do throws(SignInError) {
            return try await session.refresh()
        } catch {
            guard error.endsSession || error.reason == .signInRequired && session.isRefreshable else {
                throw CurityError(error)
            }
            return nil
        }
    }

    /// Ends the session, here and in the system's browser, also after a restart; the registration stays.
    ///
    /// - Returns: Whether the provider confirmed it; a user who closes the page is signed out here nevertheless.
    @discardableResult
    public func signOut() async throws(CurityError) -> Bool {
        guard let session = try await current() else { return true }
        let report = try await catching { () throws(SignInError) in try await session.signOut() }
        self.session.withLock { $0 = nil }
        guard let failure = report.endSessionFailure else { return true }
        guard failure.reason == .cancelled else { throw CurityError(failure) }
        return false
    }

    /// The session of this start, or the one that was stored.
    public func current() async throws(CurityError) -> CuritySession? {
        if let known = session.withLock({ $0 }) { return known.hasEnded ? nil : known }
        let restored = try await catching { () throws(SignInError) in try await self.curity.restoreSession() }
        session.withLock { if $0 == nil { $0 = restored } }
        return session.withLock { $0 }
    }

    private func catching<Outcome>(
        _ act: () async throws(SignInError) -> Outcome
    ) async throws(CurityError) -> Outcome {
        do throws(SignInError) { return try await act() } catch { throw CurityError(error) }
    }
}

extension CurityApp: CustomStringConvertible, CustomReflectable {
    /// Nothing of the session.
    public var description: String { "CurityApp(\(curity.configuration.issuer))" }
    /// Nothing of the session.
    public var customMirror: Mirror { Mirror(self, children: ["curity": curity]) }
}
