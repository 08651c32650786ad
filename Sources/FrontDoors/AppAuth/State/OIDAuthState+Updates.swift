import Foundation
import Ostiary
import OstiaryCompatibility

extension OIDAuthState {
    /// Takes the outcome of an authorization request.
    ///
    /// An error of ``OIDOAuthAuthorizationErrorDomain`` ends the grant; any other error changes nothing.
    public func update(with authorizationResponse: OIDAuthorizationResponse?, error: (any Error)?) {
        if let error, error.endsGrant(in: OIDOAuthAuthorizationErrorDomain) {
            return update(withAuthorizationError: error)
        }
        guard let authorizationResponse else { return }
        content.withLock { $0.take(authorizationResponse) }
        notifyOfChange()
    }

    /// Takes the outcome of a token request.
    ///
    /// A refusal that ends the grant (`invalid_grant`, RFC 6749 section 5.2) ends it here; any other error of the
    /// library's changes nothing, also when its domain is ``OIDOAuthTokenErrorDomain``.
    public func update(with tokenResponse: OIDTokenResponse?, error: (any Error)?) {
        if let error, error.endsGrant(in: OIDOAuthTokenErrorDomain) { return update(withAuthorizationError: error) }
        guard let tokenResponse else { return }
        content.withLock { $0.take(tokenResponse) }
        notifyOfChange()
    }

    /// Takes the response to a registration; the tokens of another client are dropped.
    public func update(with registrationResponse: OIDRegistrationResponse?) {
        content.withLock { $0.take(registrationResponse) }
        notifyOfChange()
    }

    /// Takes an error that ended the grant, such as one of a resource server.
    public func update(withAuthorizationError authorizationError: any Error) {
        let error = authorizationError as NSError
        content.withLock { ($0.authorizationError, $0.line) = (error, nil) }
        notifyOfChange()
        notify { state in state.errorDelegate?.authState(state, didEncounterAuthorizationError: error) }
    }

    func notifyOfChange() { notify { state in state.stateChangeDelegate?.didChange(state) } }

    /// Calls a delegate on the main actor: at once on the main thread, and as soon as may be from any other.
    func notify(_ call: @escaping @MainActor @Sendable (OIDAuthState) -> Void) {
        guard Thread.isMainThread else { return onMain { call(self) } }
        MainActor.assumeIsolated { call(self) }
    }
}
