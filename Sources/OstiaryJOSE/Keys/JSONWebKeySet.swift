/// The public keys that an issuer signs with. (RFC 7517 section 5)
///
/// Keys that cannot be used here, such as those for encryption or on other curves, are left out and recorded in
/// ``ignoredKeys``, so that an issuer may add new kinds of keys without signing anyone out.
public struct JSONWebKeySet: Sendable, Hashable {
    /// The keys that signatures can be checked with, in the order of the document.
    public let keys: [JSONWebKey]
    /// The keys that were left out, and why.
    public let ignoredKeys: [IgnoredKey]

    /// A set of these keys.
    public init(_ keys: [JSONWebKey]) {
        self.keys = keys
        ignoredKeys = []
    }

    /// Reads a key set document.
    ///
    /// - Parameters:
    ///   - bytes: The document, JSON in UTF-8.
    ///   - limits: Size, depth and number of values. By default at most 131,072 bytes.
    ///   - maximumKeys: The largest number of keys in the document. Default 100.
    /// - Throws: ``JOSEError/json(_:)`` when the document is not a JSON object, ``JOSEError/tooLarge`` for too many
    ///   keys, ``JOSEError/malformed(_:)`` when `keys` is not an array of objects.
    public init(
        parsing bytes: [UInt8],
        limits: JSONLimits = JSONLimits(maximumBytes: 131_072),
        maximumKeys: Int = 100
    ) throws(JOSEError) {
        let document: JSONObject
        do { document = try JSONObject(parsing: bytes, limits: limits) } catch { throw .json(error) }
        guard let entries = document["keys"]?.array else { throw .malformed("keys") }
        guard entries.count <= maximumKeys else { throw .tooLarge }
        var keys: [JSONWebKey] = []
        var ignoredKeys: [IgnoredKey] = []
        for (position, entry) in entries.enumerated() {
            guard let object = entry.object else { throw .malformed("keys") }
            switch Self.read(object) {
            case .success(let key):
                keys.append(key)
            case .failure(let reason):
                let keyID = object["kid"]?.string?.cappedForError
                ignoredKeys.append(IgnoredKey(index: position, keyID: keyID, reason: reason))
            }
        }
        self.keys = keys
        self.ignoredKeys = ignoredKeys
    }

    /// The keys that a token with this header can have been signed with.
    ///
    /// A key identifier narrows the choice but is not trusted alone: several keys may share one, and the key must fit
    /// the algorithm as well. (RFC 7515 section 4.1.4, RFC 8725 section 3.1)
    ///
    /// - Parameters:
    ///   - keyID: The token's `kid`; only keys with exactly this identifier are answered. `nil` when the token has
    ///     none: then every key is looked at.
    ///   - algorithm: The token's algorithm; only keys that may be used with it are answered.
    /// - Returns: The keys to try, in the order of the document.
    public func candidates(keyID: String?, algorithm: SignatureAlgorithm) -> [JSONWebKey] {
        keys.filter { $0.isCandidate(keyID: keyID, algorithm: algorithm) }
    }

    /// Whether there is a key that a token with this header can have been signed with.
    package func hasCandidate(keyID: String?, algorithm: SignatureAlgorithm) -> Bool {
        keys.contains { $0.isCandidate(keyID: keyID, algorithm: algorithm) }
    }

    private static func read(_ object: JSONObject) -> Result<JSONWebKey, IgnoredKey.Reason> {
        do throws(JOSEError) {
            let key = try JSONWebKey(object)
            return key.usableForVerification ? .success(key) : .failure(.notForVerification)
        } catch {
            return .failure(IgnoredKey.Reason(error))
        }
    }
}
