import HTTPTypes
import OstiaryJOSE

/// The response to a refresh: well-formed, or with the refresh token that has to be kept although it is not.
package enum RefreshAnswer: Sendable {
    /// A token response that has not been checked.
    case response(TokenResponse)
    /// A response with tokens in it that is not a token response: nothing of it may be handed out.
    case malformed(SignInError, RefreshSuccessor<Secret>)
}

/// A token request with a refresh token, whose response is not lost when it is malformed (RFC 6749 section 6).
package struct RefreshExchange: ~Copyable, Exchange {
    private let exchange: TokenExchange<RefreshGrant>
    private let tokens: TokenSet

    /// Makes the exchange of a refresh grant.
    package init(_ grant: RefreshGrant, client: Client, server: AuthorizationServer) {
        tokens = grant.previous
        exchange = TokenExchange(grant, client: client, server: server)
    }

    /// Stage `refresh`.
    package var stage: SignInError.Stage { exchange.stage }

    /// The token request.
    package func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        try exchange.request(&fresh)
    }

    /// The response, or what of it has to be kept.
    ///
    /// - Throws: What the token request throws for a response without any token.
    package func output(from response: EndpointResponse) throws(SignInError) -> RefreshAnswer {
        do throws(SignInError) {
            return .response(try exchange.output(from: response))
        } catch {
            guard let successor = successor(in: response) else { throw error }
            return .malformed(error, successor)
        }
    }

    /// The refresh token to keep of a response that is malformed elsewhere; `nil` when no token can be read in it.
    private func successor(in response: EndpointResponse) -> RefreshSuccessor<Secret>? {
        guard response.status.kind == .successful, let object = try? JSONObject(parsing: response.body) else {
            return nil
        }
        let newToken = object["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        let hasAccessToken = object["error"] == nil && object["access_token"]?.string?.isEmpty == false
        guard newToken != nil || hasAccessToken else { return nil }
        guard !tokens.additionalMembers.contradicts(AdditionalMembers(ofTokenResponse: object)) else { return .foreign }
        var verdict = Verdict(.identity)
        do throws(SignInError) {
            try verdict.requireOwner(object["id_token"]?.string.flatMap { try? UnverifiedJWT($0) }, continuing: tokens)
        } catch {
            return .foreign
        }
        return newToken.map { .new(Secret($0)) } ?? .unchanged
    }
}
