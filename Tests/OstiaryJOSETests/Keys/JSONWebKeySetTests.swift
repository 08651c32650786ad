import OstiaryJOSE
import Testing

@Suite("JSON Web Key Sets")
struct JSONWebKeySetTests {
    static func publicKey(
        _ algorithm: SignatureAlgorithm,
        _ changes: [(String, JSONValue?)] = []
    ) throws -> JSONObject {
        var object = try Fixtures.signingKey(algorithm).publicKey.jsonObject
        for (name, value) in changes { object[name] = value }
        return object
    }

    @Test("Unusable keys of a key set are ignored, each with its reason, and the others kept")
    func ignoredKeys() throws {
        let x25519: JSONObject = ["kty": "OKP", "crv": "X25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"]
        let document = Fixtures.document([
            ["kty": "oct", "k": "AQAB", "kid": "symmetric"],
            try Fixtures.signingKey(.es256).privateJWK(),
            try Self.publicKey(.rs256, [("n", .string(Fixtures.modulusOf1024Bits)), ("kid", "weak")]),
            try Self.publicKey(.es256, [("crv", "secp256k1"), ("kid", "k1"), ("alg", "ES256K")]),
            x25519,
            try Self.publicKey(.rs256, [("alg", "RSA-OAEP-256"), ("use", "enc"), ("kid", nil)]),
            try Self.publicKey(.rs256, [("alg", nil), ("use", "enc"), ("kid", "enc")]),
            try Self.publicKey(.es256, [("y", nil), ("kid", "broken")]),
            try Self.publicKey(.es384),
            ["kty": "AKP", "kid": String(repeating: "k", count: 100).asValue],
        ])
        let set = try JSONWebKeySet(parsing: document)
        #expect(set.keys.map(\.keyID) == ["ES384"])
        #expect(
            set.ignoredKeys.map(\.reason) == [
                .symmetric, .privateMembers, .weak, .unsupportedKey, .unsupportedKey, .unsupportedAlgorithm,
                .notForVerification, .malformed, .unsupportedKey,
            ]
        )
        #expect(set.ignoredKeys.map(\.index) == [0, 1, 2, 3, 4, 5, 6, 7, 9])
        #expect(
            set.ignoredKeys.map(\.keyID) == [
                "symmetric", "ES256", "weak", "k1", nil, nil, "enc", "broken", String(repeating: "k", count: 64),
            ]
        )
    }

    @Test(
        "A key whose own members exclude signature verification is ignored",
        arguments: [
            ("use", "enc"), ("use", ""), ("use", "SIG"), ("key_ops", ["sign"]), ("key_ops", []),
            ("key_ops", ["encrypt", "wrapKey"]),
        ] as [(String, JSONValue)]
    )
    func notForVerification(name: String, value: JSONValue) throws {
        let set = try JSONWebKeySet(parsing: Fixtures.document([try Self.publicKey(.es256, [(name, value)])]))
        #expect(set.keys.isEmpty && set.ignoredKeys.map(\.reason) == [.notForVerification])
    }

    @Test(
        "A key with any private member is ignored",
        arguments: ["d", "p", "q", "dp", "dq", "qi", "oth"]
    )
    func privateMember(name: String) throws {
        let set = try JSONWebKeySet(parsing: Fixtures.document([try Self.publicKey(.rs256, [(name, "AQAB")])]))
        #expect(set.keys.isEmpty && set.ignoredKeys.map(\.reason) == [.privateMembers])
    }

    @Test("A key with a secret is ignored whatever its type", arguments: ["RSA", "oct"])
    func symmetric(keyType: String) throws {
        let object = try Self.publicKey(.rs256, [("kty", .string(keyType)), ("k", "AQAB")])
        let set = try JSONWebKeySet(parsing: Fixtures.document([object]))
        #expect(set.keys.isEmpty && set.ignoredKeys.map(\.reason) == [.symmetric])
    }

    @Test(
        "A key set that is not an object with an array of objects is malformed",
        arguments: ["{}", "{\"keys\":{}}", "{\"keys\":null}", "{\"keys\":[1]}", "{\"keys\":[null]}", "{\"keys\":[[]]}"]
    )
    func malformed(text: String) {
        #expect(throws: JOSEError.malformed("keys")) { try JSONWebKeySet(parsing: Array(text.utf8)) }
    }

    @Test("A key set that is not strict JSON is rejected")
    func json() {
        #expect(throws: JOSEError.json(.notAnObject)) { try JSONWebKeySet(parsing: Array("[]".utf8)) }
        #expect(throws: JOSEError.json(.duplicateMember("keys"))) {
            try JSONWebKeySet(parsing: Array("{\"keys\":[],\"keys\":[]}".utf8))
        }
        #expect(throws: JOSEError.json(.duplicateMember("kty"))) {
            try JSONWebKeySet(parsing: Array("{\"keys\":[{\"kty\":\"RSA\",\"kty\":\"EC\"}]}".utf8))
        }
        #expect(throws: JOSEError.json(.tooLarge)) {
            try JSONWebKeySet(parsing: Array("{\"keys\":[]\(String(repeating: " ", count: 131_072))}".utf8))
        }
    }

    @Test("An empty key set and unknown members are accepted")
    func unknownMembers() throws {
        #expect(try JSONWebKeySet(parsing: Array("{\"x\":1,\"keys\":[]}".utf8)).keys.isEmpty)
    }

    @Test("A key set with more keys than allowed is rejected")
    func maximumKeys() throws {
        let keys = [JSONObject](repeating: ["kty": "unknown"], count: 101)
        #expect(throws: JOSEError.tooLarge) { try JSONWebKeySet(parsing: Fixtures.document(keys)) }
        #expect(try JSONWebKeySet(parsing: Fixtures.document(Array(keys.dropLast()))).ignoredKeys.count == 100)
        #expect(throws: JOSEError.tooLarge) {
            try JSONWebKeySet(parsing: Fixtures.document(Array(keys.prefix(3))), maximumKeys: 2)
        }
    }

    @Test("A key ID selects the keys with exactly this key ID")
    func byKeyID() throws {
        let set = JSONWebKeySet([
            try JSONWebKey(Self.publicKey(.es256, [("kid", "a")])),
            try JSONWebKey(Self.publicKey(.es256, [("kid", "K")])),
            try JSONWebKey(Self.publicKey(.es256, [("kid", nil)])),
        ])
        #expect(set.candidates(keyID: "a", algorithm: .es256).map(\.keyID) == ["a"])
        #expect(set.candidates(keyID: "A", algorithm: .es256).isEmpty)
        #expect(set.candidates(keyID: "\u{212A}", algorithm: .es256).isEmpty)
        #expect(set.candidates(keyID: "", algorithm: .es256).isEmpty)
        #expect(set.candidates(keyID: nil, algorithm: .es256).count == 3)
    }

    @Test("Keys of another type, curve, algorithm or use are no candidates for a token")
    func suitability() throws {
        let set = JSONWebKeySet([
            try JSONWebKey(Self.publicKey(.rs256, [("kid", "a")])),
            try JSONWebKey(Self.publicKey(.es256, [("kid", "a"), ("alg", nil)])),
            try JSONWebKey(Self.publicKey(.es384, [("kid", "a"), ("alg", nil)])),
            try JSONWebKey(Self.publicKey(.es256, [("kid", "a"), ("use", "enc")])),
            try JSONWebKey(Self.publicKey(.es256, [("kid", "a"), ("key_ops", ["sign"])])),
        ])
        #expect(set.candidates(keyID: "a", algorithm: .rs256) == [set.keys[0]])
        #expect(set.candidates(keyID: "a", algorithm: .ps256).isEmpty)
        #expect(set.candidates(keyID: "a", algorithm: .es256) == [set.keys[1]])
        #expect(set.candidates(keyID: nil, algorithm: .es384) == [set.keys[2]])
        #expect(set.candidates(keyID: nil, algorithm: .edDSA).isEmpty)
    }
}

extension String {
    fileprivate var asValue: JSONValue { .string(self) }
}
