import OstiaryCompatibility
public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension KeySetCache {
    /// An issuer's keys with their age, to be stored and used by another process.
    ///
    /// For commands and for functions that start for each request, which should not fetch keys each time. A process
    /// that can write a snapshot can sign tokens in the issuer's name.
    ///
    /// Its encoding is a key set (RFC 7517 section 5) with four more members: `jwks_uri`, `fetched` in seconds since
    /// 1970, `lifetime` in seconds, and the optional `etag`.
    public struct Snapshot: Sendable, Hashable {
        /// The keys that can be used.
        public let keys: JSONWebKeySet
        /// The URL of the key set.
        public let location: URL
        /// The time at which they were current.
        public internal(set) var fetched: Date
        /// The time for which they are used without being fetched again: five minutes to a day.
        public var lifetime: Duration { Duration(boundedSeconds: lifetimeInSeconds) }
        /// The same as a number: each token is compared with it.
        var lifetimeInSeconds: Double
        /// Names this version of the set; `nil` when it has no name. (RFC 9110 section 8.8.3)
        public internal(set) var entityTag: String?

        init(keys: JSONWebKeySet, location: URL, fetched: Date, lifetime: Duration) {
            self.keys = keys
            self.location = location
            self.fetched = fetched
            lifetimeInSeconds = lifetime.inSeconds
        }

        /// Reads a snapshot.
        ///
        /// - Parameter bytes: The output of ``encoded()``; more than 256 KiB, or 100 keys, are rejected.
        /// - Throws: `malformed` at stage `keys`, with the part that is wrong; also when no key can be used.
        public init(parsing bytes: [UInt8]) throws(SignInError) {
            func wrong(_ part: String) -> SignInError {
                SignInError(.keys, .malformed("the key set snapshot: \(part)"))
            }
            let object: JSONObject
            do { object = try JSONObject(parsing: bytes) } catch { throw wrong("the JSON") }
            do {
                keys = try JSONWebKeySet(parsing: bytes, limits: JSONLimits())
            } catch {
                throw wrong("keys")
            }
            guard !keys.keys.isEmpty else { throw wrong("keys") }
            guard let text = object["jwks_uri"]?.string, let parts = URIParts(text), parts.isSecureOrLoopback,
                let location = URL(string: text)
            else { throw wrong("jwks_uri") }
            // Up to the year 9999, so that every time can be written again.
            guard let fetched = object["fetched"]?.number, fetched == fetched.rounded(),
                (0..<253_402_300_800.0).contains(fetched)
            else {
                throw wrong("fetched")
            }
            guard let lifetime = object["lifetime"]?.integer else { throw wrong("lifetime") }
            switch object["etag"] {
            case nil: entityTag = nil
            case .string(let tag) where EntityTag.isWellFormed(tag): entityTag = tag
            default: throw wrong("etag")
            }
            self.location = location
            self.fetched = Date(timeIntervalSince1970: fetched)
            lifetimeInSeconds = KeySetCache.lifetimes.clamp(.seconds(lifetime)).inSeconds
        }

        /// The snapshot as JSON in UTF-8.
        public func encoded() -> [UInt8] {
            var object: JSONObject = [
                "jwks_uri": .string(location.absoluteString),
                "fetched": .whole(fetched.timeIntervalSince1970),
                "lifetime": .integer(Int(lifetimeInSeconds)),
                "keys": .array(keys.keys.map { .object($0.jsonObject) }),
            ]
            object["etag"] = entityTag.map(JSONValue.string)
            return object.encoded()
        }
    }
}
