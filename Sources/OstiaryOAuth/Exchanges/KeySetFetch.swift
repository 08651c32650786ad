import HTTPTypes
public import OstiaryJOSE

/// Reads the keys that an issuer signs with (RFC 7517 section 5).
public struct KeySetFetch: Exchange {
    let server: AuthorizationServer

    /// Reads the keys of a server.
    public init(_ server: AuthorizationServer) { self.server = server }

    /// Stage `keys`.
    public var stage: SignInError.Stage { .keys }

    /// A GET of the key set.
    public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url = server.jwksURI else { throw SignInError(.keys, .unsupported("a jwks_uri")) }
        return EndpointRequest(
            url: url,
            fields: [.accept: "application/jwk-set+json, application/json"],
            limits: EndpointRequest.Limits(maximumBodyBytes: 131_072, deadline: .seconds(5))
        )
    }

    /// The keys that can be used; the others are left out.
    public func output(from response: EndpointResponse) throws(SignInError) -> JSONWebKeySet {
        guard response.status == .ok else { throw SignInError(.keys, .server(status: response.status.code)) }
        guard let mediaType = response.mediaType,
            mediaType == "application/json" || mediaType == "application/jwk-set+json"
        else { throw SignInError(.keys, .malformed("the media type is not application/json")) }
        do throws(JOSEError) {
            return try JSONWebKeySet(parsing: response.body)
        } catch {
            throw SignInError(.keys, .malformed("the key set"))
        }
    }
}
