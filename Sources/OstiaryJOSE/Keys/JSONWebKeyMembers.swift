/// The members of a JSON Web Key, read strictly.
struct JSONWebKeyMembers {
    let object: JSONObject

    init(_ object: JSONObject) {
        self.object = object
    }

    /// Rejects a key that must never be among public keys.
    ///
    /// (RFC 7517 section 9.2)
    ///
    /// A private key in a public key set is compromised; a symmetric one would let any reader sign.
    func refusePrivateMembers() throws(JOSEError) {
        guard object["kty"]?.string != "oct", object["k"] == nil else { throw .symmetricKey }
        for name in ["d", "p", "q", "dp", "dq", "qi", "oth"] where object[name] != nil {
            throw .privateKeyMaterial
        }
    }

    func keyType() throws(JOSEError) -> JSONWebKey.KeyType {
        let name = try string("kty")
        guard let keyType = JSONWebKey.KeyType(rawValue: name), keyType.rawValue.hasSameCodePoints(as: name) else {
            throw .unsupportedKey(name.cappedForError)
        }
        return keyType
    }

    func curve(of keyType: JSONWebKey.KeyType) throws(JOSEError) -> JSONWebKey.Curve? {
        guard keyType != .rsa else { return nil }
        let name = try string("crv")
        // Ed25519 is not an EC curve, and a NIST curve is not an octet key pair's. (RFC 8037 section 2)
        guard let curve = JSONWebKey.Curve(rawValue: name), (curve == .ed25519) == (keyType == .okp) else {
            throw .unsupportedKey(name.cappedForError)
        }
        return curve
    }

    /// The algorithm that the key is bound to, which must fit the key. (RFC 7517 section 4.4, RFC 8725 section 3.1)
    func algorithm(
        for keyType: JSONWebKey.KeyType,
        curve: JSONWebKey.Curve?
    ) throws(JOSEError) -> SignatureAlgorithm? {
        guard let name = try optionalString("alg") else { return nil }
        guard let algorithm = SignatureAlgorithm(rawValue: name) else {
            throw .unsupportedAlgorithm(name.cappedForError)
        }
        guard algorithm.keyType == keyType, algorithm.curve == curve else {
            throw .malformed("alg does not fit the key")
        }
        return algorithm
    }

    /// `key_ops`: strings, none twice. (RFC 7517 section 4.3)
    func keyOperations() throws(JOSEError) -> [String]? {
        guard let value = object["key_ops"] else { return nil }
        guard let values = value.array else { throw .malformed("key_ops") }
        let operations = values.compactMap(\.string)
        guard operations.count == values.count, Set(operations).count == values.count else {
            throw .malformed("key_ops")
        }
        return operations
    }

    func optionalString(_ name: StaticString) throws(JOSEError) -> String? {
        guard let value = object["\(name)"] else { return nil }
        guard let string = value.string else { throw .malformed("\(name)") }
        return string
    }

    func string(_ name: StaticString) throws(JOSEError) -> String {
        guard let string = try optionalString(name) else { throw .malformed("\(name)") }
        return string
    }

    /// A value of exactly so many bytes. (RFC 7518 section 6.2.1.2)
    func bytes(_ name: StaticString, count: Int) throws(JOSEError) -> [UInt8] {
        let bytes = try Base64URL.decode(try string(name))
        guard bytes.count == count else { throw .malformed("\(name)") }
        return bytes
    }

    /// A positive number in as few bytes as it needs. (RFC 7518 section 2, Base64urlUInt)
    func integer(_ name: StaticString) throws(JOSEError) -> [UInt8] {
        let bytes = try Base64URL.decode(try string(name))
        guard let first = bytes.first, first != 0 else { throw .malformed("\(name)") }
        return bytes
    }
}
