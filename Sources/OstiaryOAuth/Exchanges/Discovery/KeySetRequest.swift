import HTTPTypes
import OstiaryCompatibility
public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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
        guard response.status == .ok else {
            throw SignInError(.keys, .server(status: response.status.code), retryAfter: response.retryAfter)
        }
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

extension KeySetRequest {
    /// An issuer's response to a request for its key set, with the time for which it is fresh.
    public struct Answer: Sendable, Hashable {
        /// The content of the response.
        public enum Content: Sendable, Hashable {
            /// A key set, without the keys that cannot be used.
            case keys(JSONWebKeySet)
            /// The set that the request named by its entity tag is still the current one (RFC 9110 section 15.4.5).
            case unchanged
        }

        /// The time for which the response is fresh according to the issuer (RFC 9111 section 4.2).
        public enum Validity: Sendable, Hashable {
            /// The issuer states no time.
            case unsaid
            /// Fresh for this time from now on.
            case lasting(Duration)
            /// Fresh until this time by the issuer's clock, whose own reading is not known.
            case until(Date)
        }

        /// The content of the response.
        public var content: Content
        /// The time for which the issuer declares the response fresh.
        public var validity: Validity
        /// Names this version of the set; `nil` when it has no well-formed name. (RFC 9110 section 8.8.3)
        public var entityTag: String?

        /// Makes a response.
        public init(_ content: Content, validity: Validity = .unsaid, entityTag: String? = nil) {
            self.content = content
            self.validity = validity
            self.entityTag = entityTag
        }

        /// Returns the time for which the keys are used: the issuer's, within limits.
        ///
        /// Less than five minutes would make every burst of requests fetch; more than a day would keep a key that the
        /// issuer withdrew.
        func lifetime(at now: Date) -> Duration {
            let said =
                switch validity {
                case .unsaid: KeySetCache.defaultLifetime
                case .lasting(let time): time
                case .until(let end): Duration(boundedSeconds: end.timeIntervalSince(now))
                }
            return KeySetCache.lifetimes.clamp(said)
        }
    }
}

extension ClosedRange {
    /// The value of the range that is next to this one.
    func clamp(_ value: Bound) -> Bound { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
