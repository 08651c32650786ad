import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
public import OstiaryOAuth

/// The endpoint that receives an issuer's logout tokens. (OpenID Connect Back-Channel Logout 1.0 section 2.5)
///
/// It responds with 200 when the sessions have ended, even if there were none, and with 400 otherwise (section 2.8).
public struct BackChannelLogout: ServerEndpoint {
    private let verifier: LogoutTokenVerifier
    let end: @Sendable (LogoutToken) async throws(StorageFailure) -> Void
    private let report: @Sendable (LogoutTokenFailure) -> Void

    /// Makes an endpoint that ends sessions by a closure.
    ///
    /// - Parameters:
    ///   - verifier: Verifies the logout tokens.
    ///   - events: Called for every rejected token. Default: none.
    ///   - end: Ends the sessions that a token names.
    public init(
        verifier: LogoutTokenVerifier,
        events: @escaping @Sendable (LogoutTokenFailure) -> Void = { _ in },
        ending end: @escaping @Sendable (LogoutToken) async throws(StorageFailure) -> Void
    ) {
        self.verifier = verifier
        report = events
        self.end = end
    }

    /// Makes an endpoint that ends the sessions in a store.
    ///
    /// - Parameters:
    ///   - verifier: Verifies the logout tokens.
    ///   - sessions: The store of the sessions.
    ///   - revoked: The list of revoked access tokens, updated before the sessions end. Default: access tokens stay
    ///     valid.
    ///   - clients: The clients' sessions whose refresh tokens are revoked as well: an issuer keeps those for offline
    ///     access. They use the same store, in which the revocations are stored in the same step. Default: the refresh
    ///     tokens stay valid.
    ///   - events: Called for every rejected token. Default: none.
    public init(
        verifier: LogoutTokenVerifier,
        sessions: any ServerSessionStore,
        revoked: RevokedTokens? = nil,
        revokingTokensOf clients: [ServerSessions] = [],
        events: @escaping @Sendable (LogoutTokenFailure) -> Void = { _ in }
    ) {
        self.init(verifier: verifier, events: events) { (token) throws(StorageFailure) in
            // A full list does not keep a session from ending.
            revoked?.revoke(token)
            try await clients.endSessions(of: token, in: sessions)
        }
    }

    /// Makes an endpoint that ends the sessions in a store, and revokes their access tokens for every instance of the
    /// service.
    ///
    /// - Parameters:
    ///   - verifier: Verifies the logout tokens.
    ///   - sessions: The store of the sessions.
    ///   - revocations: The revocations that the instances share, updated before the sessions end. If the store is
    ///     unavailable, the response is 400, no session ends, and the issuer may send the token again.
    ///   - clients: The clients' sessions whose refresh tokens are revoked as well: an issuer keeps those for offline
    ///     access. They use the same store, in which the revocations are stored in the same step. Default: the refresh
    ///     tokens stay valid.
    ///   - events: Called for every rejected token. Default: none.
    public init(
        verifier: LogoutTokenVerifier,
        sessions: any ServerSessionStore,
        revocations: SharedRevocations,
        revokingTokensOf clients: [ServerSessions] = [],
        events: @escaping @Sendable (LogoutTokenFailure) -> Void = { _ in }
    ) {
        self.init(verifier: verifier, events: events) { (token) throws(StorageFailure) in
            // A full list does not keep a session from ending.
            try await revocations.revoke(token)
            try await clients.endSessions(of: token, in: sessions)
        }
    }

    /// 32 KiB: a token of 16 KiB may have escapes.
    public var maximumBodyBytes: Int { 32_768 }

    /// Reads the form, verifies the token, and ends the sessions.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        guard request.mediaType == "application/x-www-form-urlencoded",
            let text = String(utf8: request.body), let form = FormURLEncoding.decode(text)
        else { return Self.failure(.invalidRequest, "The request is not a form.") }
        let tokens = form.values(of: "logout_token")
        guard tokens.count == 1, let token = tokens.first else {
            return Self.failure(.invalidRequest, "The form needs one logout_token.")
        }
        do throws(LogoutTokenFailure) {
            try await verifier.verify(Secret(token), ending: end)
            return ServerResponse(status: .ok, fields: [.cacheControl: "no-store"])
        } catch {
            report(error)
            let answer =
                switch error {
                case .refused: Self.failure(.invalidRequest, "The logout token was rejected.")
                case .keysUnavailable, .storeUnavailable:
                    Self.failure(.temporarilyUnavailable, "The sessions could not be ended.")
                }
            return answer.because(error.logged)
        }
    }

    private static func failure(_ code: OAuthError.Code, _ description: String) -> ServerResponse {
        .json(["error": .string(code.rawValue), "error_description": .string(description)], status: .badRequest)
            .because(RefusalReason("logout_form", detail: description))
    }
}

extension [ServerSessions] {
    fileprivate func endSessions(
        of token: LogoutToken,
        in store: any ServerSessionStore
    ) async throws(StorageFailure) {
        try await endSessions(
            issuer: token.issuer.description,
            subject: token.subject,
            sessionID: token.sessionID,
            in: store
        )
    }
}

extension LogoutTokenFailure {
    /// The reason for the log: sessions that the issuer ended are still active.
    fileprivate var logged: RefusalReason {
        switch self {
        case .refused(.replayed): RefusalReason("logout_token_replayed")
        case .refused(let check):
            RefusalReason(
                "logout_token_\(check.rawValue)",
                detail: "The logout token's \(check.rawValue) is invalid; the sessions stay active.",
                concern: .operator
            )
        case .keysUnavailable(let error): RefusalReason(error)
        case .storeUnavailable(let failure): RefusalReason(failure)
        }
    }
}
