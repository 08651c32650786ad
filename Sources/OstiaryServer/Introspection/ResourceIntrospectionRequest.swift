import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The introspection request of a resource server. (RFC 7662 section 2.1, RFC 9701 section 4)
struct ResourceIntrospectionRequest: Exchange {
    /// The response: JSON, authenticated by TLS, or a signed token.
    enum Answer: Sendable {
        case plain(JSONObject)
        case signed(UnverifiedJWT)
    }

    static let signedType = "application/token-introspection+jwt"

    let token: Secret
    let client: Client
    let server: AuthorizationServer
    let isSigned: Bool

    var stage: SignInError.Stage { .introspection }

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        var request = try IntrospectionRequest(token, hint: .accessToken, client: client, server: server).request(
            &fresh
        )
        if isSigned { request.fields[.accept] = Self.signedType }
        return request
    }

    func output(from response: EndpointResponse) throws(SignInError) -> Answer {
        guard response.status == .ok else { throw response.failure(at: .introspection) }
        guard isSigned else {
            // A signed response that is sent as JSON would be accepted without its signature.
            return .plain(try response.jsonObject(at: .introspection))
        }
        guard NamedCheck.holds("introspection.signed", response.mediaType == Self.signedType),
            let compact = String(utf8: response.body), let token = try? UnverifiedJWT(compact)
        else { throw SignInError(.introspection, .malformed("the response is not signed")) }
        return .signed(token)
    }
}
