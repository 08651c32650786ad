public import Dispatch
import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryOAuth

extension OIDAuthState {
    /// Calls an action with tokens that are valid for another minute, which may take a refresh.
    ///
    /// However many calls find the tokens too old, one refresh answers all of them. The ID token is the newest one that
    /// the library or an archive has: a refresh without one leaves it as it is.
    public func performAction(freshTokens action: @escaping OIDAuthStateAction) {
        performAction(freshTokens: action, additionalRefreshParameters: nil)
    }

    /// Calls an action with valid tokens.
    ///
    /// - Parameters:
    ///   - action: Receives the access token, the ID token and the error, on the main queue.
    ///   - additionalParameters: Sent with the refresh, if this call begins one.
    public func performAction(
        freshTokens action: @escaping OIDAuthStateAction,
        additionalRefreshParameters additionalParameters: [String: String]?
    ) {
        perform(additionalParameters) { accessToken, idToken, error in
            onMain { action(accessToken, idToken, error) }
        }
    }

    /// Calls an action on a queue of the app's.
    public func performAction(
        freshTokens action: @escaping @Sendable (String?, String?, (any Error)?) -> Void,
        additionalRefreshParameters additionalParameters: [String: String]?,
        dispatchQueue: DispatchQueue
    ) {
        perform(additionalParameters) { accessToken, idToken, error in
            dispatchQueue.async { action(accessToken, idToken, error) }
        }
    }

    /// Returns tokens that are valid for another minute, which may take a refresh.
    ///
    /// - Parameter additionalParameters: Sent with the refresh, if this call begins one.
    /// - Returns: The tokens; `nil` for one that the server did not issue.
    /// - Throws: An error of AppAuth's domains.
    public func performAction(
        additionalRefreshParameters additionalParameters: [String: String]? = nil
    ) async throws -> (accessToken: String?, idToken: String?) {
        try await withCheckedThrowingContinuation { continuation in
            perform(additionalParameters) { accessToken, idToken, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: (accessToken, idToken))
                }
            }
        }
    }

    /// Lets the next action refresh the tokens, however long they would last.
    public func setNeedsTokenRefresh() { content.withLock { $0.needsTokenRefresh = true } }

    /// A refresh request with the newest refresh token; `nil` without one.
    public func tokenRefreshRequest() -> OIDTokenRequest? { content.withLock { $0.refreshRequest(nil, nil) } }

    /// A refresh request with parameters of the server's own; `nil` without a refresh token.
    public func tokenRefreshRequest(
        withAdditionalParameters additionalParameters: [String: String]?
    ) -> OIDTokenRequest? {
        content.withLock { $0.refreshRequest(additionalParameters, nil) }
    }

    /// A refresh request with parameters and header fields of the server's own; `nil` without a refresh token.
    public func tokenRefreshRequest(
        withAdditionalParameters additionalParameters: [String: String]?,
        additionalHeaders: [String: String]?
    ) -> OIDTokenRequest? {
        content.withLock { $0.refreshRequest(additionalParameters, additionalHeaders) }
    }

    /// A refresh request with header fields of the server's own; `nil` without a refresh token.
    public func tokenRefreshRequest(withAdditionalHeaders additionalHeaders: [String: String]?) -> OIDTokenRequest? {
        content.withLock { $0.refreshRequest(nil, additionalHeaders) }
    }

    // MARK: The one refresh

    private enum Step {
        case answer(String?, String?, (any Error)?)
        case wait
        case begin(OIDTokenRequest)
    }

    private func perform(
        _ additional: [String: String]?,
        answer: @escaping @Sendable (String?, String?, (any Error)?) -> Void
    ) {
        let now = OIDTransportProvider.surroundings.clock.now()
        let step = content.withLock { content -> Step in
            if let error = content.authorizationError { return .answer(nil, nil, error) }
            if content.isFresh(at: now) { return .answer(content.accessToken, content.currentIDToken, nil) }
            if content.waiting != nil {
                content.waiting?.append(answer)
                return .wait
            }
            guard let request = content.refreshRequest(additional, nil) else {
                let error = OIDErrorUtilities.error(
                    with: .tokenRefreshError,
                    underlyingError: nil,
                    description: "The access token has expired and there is no refresh token: sign in again."
                )
                return .answer(nil, nil, error)
            }
            content.waiting = [answer]
            return .begin(request)
        }
        switch step {
        case .answer(let accessToken, let idToken, let error): answer(accessToken, idToken, error)
        case .wait: break
        case .begin(let request): Task { await refresh(request) }
        }
    }

    private func refresh(_ request: OIDTokenRequest) async {
        let outcome: Result<OIDTokenResponse, SignInError>
        do throws(SignInError) { outcome = .success(try await refreshed(request)) } catch { outcome = .failure(error) }
        let error = outcome.failure?.appAuthError
        switch outcome {
        case .success(let response):
            let isCurrent = content.withLock { content -> Bool in
                content.needsTokenRefresh = false
                // A sign-in that ended meanwhile takes nothing from a refresh of the one before.
                guard content.refreshToken?.reveal() == request.refreshToken else { return false }
                content.take(refreshed: response)
                return true
            }
            if isCurrent { notifyOfChange() }
        case .failure(let failure):
            guard let error else { break }
            if failure.endsSession {
                content.withLock { $0.needsTokenRefresh = false }
                update(withAuthorizationError: error)
            } else {
                notify { state in state.errorDelegate?.authState(state, didEncounterTransientError: error) }
            }
        }
        let (waiting, tokens) = content.withLock { content in
            defer { content.waiting = nil }
            return (content.waiting ?? [], (content.accessToken, content.currentIDToken))
        }
        for answer in waiting { error == nil ? answer(tokens.0, tokens.1, nil) : answer(nil, nil, error) }
    }

    private func refreshed(_ request: OIDTokenRequest) async throws(SignInError) -> OIDTokenResponse {
        let (known, store, signIn) = content.withLock { ($0, $0.store, $0.signIn) }
        let line: RefreshLine
        if let current = known.line {
            line = current
        } else {
            line = try await RefreshLine(request, continuing: known.idToken?.reveal(), in: store, account: signIn)
        }
        let response = try await line.refreshed(
            request,
            insteadOf: known.tokenResponse?.accessToken,
            forced: known.needsTokenRefresh
        )
        content.withLock { if $0.refreshToken?.reveal() == request.refreshToken { $0.line = line } }
        return response
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
