import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The redemption of a sign-in's code, with every check of the redirect and of the token response.
struct CodeExchange: Sendable {
    let sessions: ServerSessions

    /// A failed redemption.
    struct Failure: Error {
        let reason: SignInError
        /// Whether the issuer has certainly not redeemed the code.
        let isOfAnUntouchedCode: Bool
    }

    /// Redeems the code of a redirect.
    ///
    /// - Parameters:
    ///   - object: The sign-in as it was stored.
    ///   - redirect: The URL that the issuer redirected to, not yet checked.
    /// - Returns: The tokens, validated.
    /// - Throws: The failure of the stored sign-in, of the redirect, or of the token request.
    func tokens(
        pending object: JSONObject,
        redirect: () throws(SignInError) -> URL
    ) async throws(Failure) -> TokenSet {
        let server: AuthorizationServer
        do throws(SignInError) {
            server = try await sessions.server()
        } catch {
            throw Failure(reason: error, isOfAnUntouchedCode: error.isOfUnavailableIssuer)
        }
        let requested = sessions.clock.now()
        do throws(SignInError) {
            let pending = try PendingAuthorization(stored: object, client: sessions.client, server: server)
            let exchange = try pending.grant(from: redirect()).exchange()
            let response = try await sessions.transport.perform(exchange, in: sessions.context)
            return try await validated(response, requested: requested)
        } catch {
            throw Failure(reason: error, isOfAnUntouchedCode: error.isOfAnUntouchedCode)
        }
    }

    /// Reads the claims about the user who signed in; none for an issuer without a UserInfo endpoint, and `nil` where
    /// the issuer does not return them now.
    ///
    /// Claims of another subject are never used (OpenID Connect Core section 5.3.2).
    func userInfo(_ tokens: TokenSet) async -> JSONObject? {
        do throws(SignInError) {
            let server = try await sessions.server()
            guard server.userInfoEndpoint != nil else { return [:] }
            let request = try UserInfoRequest(tokens, client: sessions.client, server: server)
            let response = try await sessions.transport.perform(request, in: sessions.context)
            var keys = JSONWebKeySet([])
            if let signature = response.signature, let algorithm = signature.algorithm {
                keys = try await sessions.keys.keys(keyID: signature.keyID, algorithm: algorithm)
            }
            let claims = try response.validated(by: keys, now: sessions.clock.now()).claims
            if claims.encoded().count <= Self.maximumUserInfoBytes { return claims }
        } catch {}
        sessions.report(.withoutUserInfo)
        return nil
    }

    /// The largest UserInfo response that is stored, in bytes of JSON.
    private static let maximumUserInfoBytes = 16_384

    private func validated(_ response: TokenResponse, requested: Date) async throws(SignInError) -> TokenSet {
        var keys = JSONWebKeySet([])
        if let signature = response.signature, let algorithm = signature.algorithm {
            keys = try await sessions.keys.keys(keyID: signature.keyID, algorithm: algorithm)
        }
        let tokens = try response.validated(by: keys, now: sessions.clock.now(), requested: requested)
        guard tokens.identity != nil else { throw SignInError(.identity, .mismatch(.idToken)) }
        return tokens
    }
}

extension SignInError {
    /// Whether the issuer was not reached or failed, rather than rejected the sign-in.
    var isOfUnavailableIssuer: Bool {
        switch reason {
        case .transport, .server, .timedOut: true
        default: false
        }
    }

    /// Whether the token endpoint has certainly not redeemed the code: it was not reached, or reports that it is
    /// overloaded.
    ///
    /// A bare 503 may come from a proxy whose connection broke later.
    fileprivate var isOfAnUntouchedCode: Bool {
        guard stage == .token else { return false }
        return switch reason {
        case .transport(.unreachable), .transport(.unknownHost), .server(status: 429): true
        case .server(status: 503): retryAfter != nil
        default: false
        }
    }
}
