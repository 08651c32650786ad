import OstiaryJOSE
import Testing

@Suite("JSON Web Keys")
struct JSONWebKeyTests {
    /// A good key with members replaced or, for `nil`, removed.
    static func key(_ base: String, _ changes: [(String, JSONValue?)]) throws -> JSONWebKey {
        var object = try Fixtures.object(base)
        for (name, value) in changes { object[name] = value }
        return try JSONWebKey(object)
    }

    static let rsa = RFCVectors.RFC7638.key
    static let ec = RFCVectors.RFC7515A3.key
    static let okp = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#

    @Test("The members of a JSON Web Key are parsed, and unknown ones left out")
    func members() throws {
        let key = try Self.key(Self.rsa, [("use", "sig"), ("key_ops", ["verify"]), ("x5t", "abc"), ("crv", "P-256")])
        #expect(key.keyType == .rsa)
        #expect(key.curve == nil)
        #expect(key.keyID == "2011-04-29")
        #expect(key.algorithm == .rs256)
        #expect(key.use == "sig")
        #expect(key.keyOperations == ["verify"])
        #expect(key.jsonObject.names == ["kty", "n", "e", "kid", "alg", "use", "key_ops"])
        #expect(try JSONWebKey(key.jsonObject) == key)
        let plain = try Fixtures.key(Self.ec)
        #expect(plain.keyType == .ec)
        #expect(plain.curve == .p256)
        #expect(plain.keyID == nil)
        #expect(plain.algorithm == nil)
        #expect(try Fixtures.key(Self.okp).curve == .ed25519)
    }

    @Test(
        "A JSON Web Key with a private member is rejected as a public key",
        arguments: ["d", "p", "q", "dp", "dq", "qi", "oth"]
    )
    func privateMembers(name: String) {
        for base in [Self.rsa, Self.ec, Self.okp] {
            #expect(throws: JOSEError.privateKeyMaterial) { try Self.key(base, [(name, "AQAB")]) }
        }
        #expect(throws: JOSEError.privateKeyMaterial) { try Self.key(Self.rsa, [(name, .null)]) }
    }

    @Test("A symmetric JSON Web Key is rejected")
    func symmetric() {
        #expect(throws: JOSEError.symmetricKey) { try Fixtures.key(#"{"kty":"oct","k":"AQAB"}"#) }
        #expect(throws: JOSEError.symmetricKey) { try Fixtures.key(#"{"kty":"oct"}"#) }
        #expect(throws: JOSEError.symmetricKey) { try Self.key(Self.rsa, [("k", "AQAB")]) }
    }

    @Test("A JSON Web Key with an unknown type or curve is rejected")
    func unsupported() {
        #expect(throws: JOSEError.unsupportedKey("AKP")) { try Fixtures.key(#"{"kty":"AKP"}"#) }
        #expect(throws: JOSEError.unsupportedKey("rsa")) { try Self.key(Self.rsa, [("kty", "rsa")]) }
        #expect(throws: JOSEError.unsupportedKey("O\u{212A}P")) { try Self.key(Self.okp, [("kty", "O\u{212A}P")]) }
        #expect(throws: JOSEError.unsupportedKey("secp256k1")) { try Self.key(Self.ec, [("crv", "secp256k1")]) }
        #expect(throws: JOSEError.unsupportedKey("X25519")) { try Self.key(Self.okp, [("crv", "X25519")]) }
        #expect(throws: JOSEError.unsupportedKey("Ed25519")) { try Self.key(Self.ec, [("crv", "Ed25519")]) }
        #expect(throws: JOSEError.unsupportedKey("P-256")) { try Self.key(Self.okp, [("crv", "P-256")]) }
    }

    @Test("A JSON Web Key's alg must be a supported signature algorithm that fits the key")
    func algorithm() {
        for name in ["HS256", "none", "RSA-OAEP", "ES256K"] {
            #expect(throws: JOSEError.unsupportedAlgorithm(name)) { try Self.key(Self.rsa, [("alg", .string(name))]) }
        }
        let mismatch = JOSEError.malformed("alg does not fit the key")
        #expect(throws: mismatch) { try Self.key(Self.rsa, [("alg", "ES256")]) }
        #expect(throws: mismatch) { try Self.key(Self.ec, [("alg", "RS256")]) }
        #expect(throws: mismatch) { try Self.key(Self.ec, [("alg", "ES384")]) }
        #expect(throws: mismatch) { try Self.key(Self.okp, [("alg", "ES256")]) }
    }

    @Test("A JSON Web Key with a missing or mistyped member is rejected with the member's name")
    func malformedMembers() {
        let cases: [(String, String, JSONValue?)] = [
            (Self.rsa, "kty", nil), (Self.rsa, "n", nil), (Self.rsa, "e", nil), (Self.rsa, "n", ""),
            (Self.rsa, "e", ""),
            (Self.rsa, "n", 5), (Self.rsa, "kid", 1), (Self.rsa, "alg", 1), (Self.rsa, "use", ["sig"]),
            (Self.rsa, "key_ops", "verify"), (Self.rsa, "key_ops", [1]), (Self.rsa, "key_ops", ["verify", "verify"]),
            (Self.ec, "crv", nil), (Self.ec, "x", nil), (Self.ec, "y", nil), (Self.okp, "x", nil),
            (Self.okp, "crv", .null),
        ]
        for (base, name, value) in cases {
            #expect(throws: JOSEError.malformed(name)) { try Self.key(base, [(name, value)]) }
        }
        #expect(throws: JOSEError.base64URL) { try Self.key(Self.rsa, [("e", "AQAB=")]) }
    }

    @Test("The use and key_ops of a JSON Web Key decide whether it verifies signatures")
    func usability() throws {
        #expect(try Fixtures.key(Self.ec).usableForVerification)
        #expect(try Self.key(Self.ec, [("use", "sig")]).usableForVerification)
        #expect(try Self.key(Self.ec, [("key_ops", ["sign", "verify"])]).usableForVerification)
        #expect(try !Self.key(Self.ec, [("use", "enc")]).usableForVerification)
        #expect(try !Self.key(Self.ec, [("key_ops", ["encrypt"])]).usableForVerification)
        #expect(try !Self.key(Self.ec, [("key_ops", [])]).usableForVerification)
        #expect(try !Self.key(Self.ec, [("use", "enc"), ("key_ops", ["verify"])]).usableForVerification)
    }
}
