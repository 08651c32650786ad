import HTTPTypes
import OstiaryJOSE

/// The response to a refresh: well-formed, or malformed with a refresh token to keep.
package enum RefreshAnswer: Sendable {
    /// A token response that has not been checked.
    case response(TokenResponse)
    /// A malformed token response with tokens in it: none of them may be handed out.
    case malformed(SignInError, RefreshSuccessor)
}

/// A token request with a refresh token that keeps the refresh token of a malformed response (RFC 6749 section 6).
package struct RefreshExchange: ~Copyable, Exchange {
    private let exchange: TokenRequest<RefreshGrant>
    private let tokens: TokenSet

    /// Makes the exchange of a refresh grant.
    package init(_ grant: RefreshGrant, client: Client, server: AuthorizationServer) {
        tokens = grant.previous
        exchange = TokenRequest(grant, client: client, server: server)
    }

    /// Stage `refresh`.
    package var stage: SignInError.Stage { exchange.stage }

    /// The token request.
    package func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        try exchange.request(&fresh)
    }

    /// The token response, or the refresh token to keep of a malformed one.
    ///
    /// - Throws: The error of the token request for a response without any token.
    package func output(from response: EndpointResponse) throws(SignInError) -> RefreshAnswer {
        do throws(SignInError) {
            return .response(try exchange.output(from: response))
        } catch {
            guard let successor = successor(in: response) else { throw error }
            return .malformed(error, successor)
        }
    }

    /// The refresh token to keep of a malformed response; `nil` when the response has no readable token.
    private func successor(in response: EndpointResponse) -> RefreshSuccessor? {
        guard response.status.kind == .successful, let object = try? JSONObject(parsing: response.body) else {
            return nil
        }
        let newToken = object["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        let hasAccessToken = object["error"] == nil && object["access_token"]?.string?.isEmpty == false
        guard newToken != nil || hasAccessToken else { return nil }
        guard !tokens.additionalMembers.contradicts(TokenSet.AdditionalMembers(ofTokenResponse: object)) else {
            return .foreign
        }
        var verdict = Verdict(.identity)
        do throws(SignInError) {
            try verdict.requireOwner(object["id_token"]?.string.flatMap { try? UnverifiedJWT($0) }, continuing: tokens)
        } catch {
            return .foreign
        }
        return newToken.map { .new(Secret($0)) } ?? .unchanged
    }
}
