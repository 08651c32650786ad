import OstiaryJOSE

extension FuzzTarget {
    /// A key set document.
    static let keySet = FuzzTarget(name: "jwk-set") { bytes in
        let limits = JSONLimits(maximumBytes: 4096)
        let keys: JSONWebKeySet
        do throws(JOSEError) {
            keys = try JSONWebKeySet(parsing: bytes, limits: limits, maximumKeys: 8)
        } catch {
            demandDiscreet(error)
            return
        }
        demand(bytes.count <= limits.maximumBytes, "nothing longer than the limit is read")
        demand(keys.keys.count + keys.ignoredKeys.count <= 8, "no more keys than the limit are read")
        for ignored in keys.ignoredKeys {
            demand((ignored.keyID?.unicodeScalars.count ?? 0) <= 64, "an identifier is cut")
        }
        for key in keys.keys {
            demand(try! JSONWebKey(key.jsonObject) == key, "what is written is read as the same")
            demand(key.usableForVerification, "a key of a set may verify")
            demand(key.thumbprint().utf8.count == 43, "a thumbprint is a SHA-256")
            for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
                demand(key.jsonObject[name] == nil, "nothing private is kept")
            }
            for algorithm in SignatureAlgorithm.allCases where key.fits(algorithm) {
                demand(algorithm.keyType == key.keyType && algorithm.curve == key.curve, "an algorithm fits its key")
                demand(
                    !key.isValidSignature([UInt8](repeating: 0, count: 64), for: [1], algorithm: algorithm),
                    "no key verifies nothing"
                )
                let candidates = keys.candidates(keyID: key.keyID, algorithm: algorithm)
                demand(candidates.contains(key), "a key is found by its identifier")
            }
        }
        let document = JSONObject(dictionaryLiteral: ("keys", .array(keys.keys.map { .object($0.jsonObject) })))
        demand(try! JSONWebKeySet(parsing: document.encoded()).keys == keys.keys, "a set is read as it is written")
    }
}
