import HTTPTypes
import OstiaryJOSE

/// Reads the keys that an issuer signs with (RFC 7517 section 5).
public struct KeySetRequest: Exchange {
    let server: AuthorizationServer
    let entityTag: String?

    /// Reads the keys of a server.
    ///
    /// - Parameters:
    ///   - server: The server, whose metadata has the URL of the key set.
    ///   - entityTag: The entity tag of the cached key set: the result is `unchanged` if it is still current. Default:
    ///     none is cached.
    public init(_ server: AuthorizationServer, entityTag: String? = nil) {
        self.server = server
        self.entityTag = entityTag
    }

    /// Stage `keys`.
    public var stage: SignInError.Stage { .keys }

    /// A GET of the key set.
    public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url = server.jwksURI else { throw SignInError(.keys, .unsupported("a jwks_uri")) }
        var fields: HTTPFields = [.accept: "application/jwk-set+json, application/json"]
        fields[.ifNoneMatch] = entityTag
        return EndpointRequest(
            url: url,
            fields: fields,
            limits: EndpointRequest.Limits(maximumBodyBytes: 131_072, deadline: .seconds(5))
        )
    }

    /// Reads the usable keys, leaving out the others, or `unchanged`.
    ///
    /// - Throws: `server` for any status but 200, and 304 where an entity tag was sent; `malformed` for another media
    ///   type than `application/json` and `application/jwk-set+json`, for more than 100 keys, and for an invalid key
    ///   set.
    public func output(from response: EndpointResponse) throws(SignInError) -> KeySetRequest.Answer {
        if response.status == .notModified, entityTag != nil {
            return KeySetRequest.Answer(.unchanged, validity: response.validity, entityTag: response.entityTag)
        }
        guard response.status == .ok else { throw SignInError(.keys, .server(status: response.status.code)) }
        guard let mediaType = response.mediaType,
            mediaType == "application/json" || mediaType == "application/jwk-set+json"
        else { throw SignInError(.keys, .malformed("the media type is not application/json")) }
        let keys: JSONWebKeySet
        do throws(JOSEError) {
            keys = try JSONWebKeySet(parsing: response.body)
        } catch {
            throw SignInError(.keys, .malformed("the key set"))
        }
        return KeySetRequest.Answer(.keys(keys), validity: response.validity, entityTag: response.entityTag)
    }
}
