import OstiaryJOSE
import Testing

@Suite("Verification")
struct VerificationTests {
    static func publicKey(
        _ algorithm: SignatureAlgorithm,
        _ changes: [(String, JSONValue?)] = []
    ) throws -> JSONWebKey {
        try JSONWebKey(JSONWebKeySetTests.publicKey(algorithm, changes))
    }

    @Test("A signed token is verified with the key that its kid names", arguments: SignatureAlgorithm.allCases)
    func roundTrip(algorithm: SignatureAlgorithm) throws {
        let keys = JSONWebKeySet(try SignatureAlgorithm.allCases.map { try Self.publicKey($0) })
        let token = try Fixtures.signingKey(algorithm).sign(claims: Fixtures.claims)
        let verified = try UnverifiedJWT(token).verified(by: keys, algorithms: Fixtures.allAlgorithms)
        #expect(verified.claims == Fixtures.claims)
        #expect(verified.algorithm == algorithm)
        #expect(verified.header.type == "JWT")
        #expect(verified.compact == token)
    }

    @Test(
        "A token with any spelling of none as alg is rejected, with or without a signature",
        arguments: ["none", "None", "NONE", "nOnE", "noNe", "nonE", "NoNe", ""]
    )
    func none(name: String) throws {
        let key = try Fixtures.signingKey(.es256)
        let signed = try Fixtures.token(header: #"{"alg":"\#(name)"}"#, payload: "{}", key: key)
        let unsigned = signed.split(separator: ".").prefix(2).joined(separator: ".") + "."
        for token in [signed, unsigned] {
            #expect(throws: JOSEError.unsupportedAlgorithm(name)) {
                try UnverifiedJWT(token).verified(by: key.publicKey, algorithms: Fixtures.allAlgorithms)
            }
            #expect(throws: JOSEError.unsupportedAlgorithm(name)) {
                try UnverifiedJWT(token).verified(
                    by: JSONWebKeySet([key.publicKey]),
                    algorithms: Fixtures.allAlgorithms
                )
            }
        }
    }

    @Test(
        "A token's algorithm name is compared exactly",
        arguments: ["es256", "ES256 ", "RS1", "ES256K", "HS256", "A128KW", "dir"]
    )
    func unsupported(name: String) throws {
        let key = try Fixtures.signingKey(.es256)
        let token = try Fixtures.token(header: #"{"alg":"\#(name)"}"#, payload: "{}", key: key)
        #expect(throws: JOSEError.unsupportedAlgorithm(name)) {
            try UnverifiedJWT(token).verified(by: key.publicKey, algorithms: Fixtures.allAlgorithms)
        }
    }

    @Test("A token with an algorithm that the caller does not accept is rejected before a key is selected")
    func notAllowed() throws {
        let key = try Fixtures.signingKey(.es256)
        let token = try UnverifiedJWT(key.sign(claims: Fixtures.claims))
        #expect(throws: JOSEError.algorithmNotAllowed("ES256")) {
            try token.verified(by: JSONWebKeySet([]), algorithms: [.rs256])
        }
        #expect(throws: JOSEError.algorithmNotAllowed("ES256")) {
            try token.verified(by: key.publicKey, algorithms: [])
        }
    }

    @Test("A key of another type, curve or algorithm does not verify a token")
    func keyAndAlgorithm() throws {
        // The signature is valid, but the header names another algorithm than the key's.
        let ec = try Fixtures.signingKey(.es256)
        let crossed = try Fixtures.token(header: #"{"alg":"RS256"}"#, payload: "{}", key: ec)
        let rsa = try Fixtures.signingKey(.ps256)
        let downgraded = try Fixtures.token(header: #"{"alg":"RS256"}"#, payload: "{}", key: rsa)
        for (token, key) in [(crossed, ec), (downgraded, rsa)] {
            #expect(throws: JOSEError.noMatchingKey(keyID: nil)) {
                try UnverifiedJWT(token).verified(by: key.publicKey, algorithms: Fixtures.allAlgorithms)
            }
            #expect(throws: JOSEError.noMatchingKey(keyID: nil)) {
                try UnverifiedJWT(token).verified(
                    by: JSONWebKeySet([key.publicKey]),
                    algorithms: Fixtures.allAlgorithms
                )
            }
        }
        let free = try Self.publicKey(.ps256, [("alg", nil)])
        #expect(throws: JOSEError.invalidSignature) {
            try UnverifiedJWT(downgraded).verified(by: free, algorithms: Fixtures.allAlgorithms)
        }
    }

    @Test("A token with an unknown kid matches no key, not even a key without a kid")
    func unknownKeyID() throws {
        let token = try UnverifiedJWT(Fixtures.signingKey(.es256).sign(claims: Fixtures.claims))
        let unnamed = try Self.publicKey(.es256, [("kid", nil)])
        let renamed = try Self.publicKey(.es256, [("kid", "other")])
        for keys in [JSONWebKeySet([]), JSONWebKeySet([unnamed]), JSONWebKeySet([renamed])] {
            #expect(throws: JOSEError.noMatchingKey(keyID: "ES256")) {
                try token.verified(by: keys, algorithms: [.es256])
            }
        }
        #expect(throws: JOSEError.noMatchingKey(keyID: "ES256")) {
            try token.verified(by: renamed, algorithms: [.es256])
        }
        #expect(throws: Never.self) { try token.verified(by: unnamed, algorithms: [.es256]) }
    }

    @Test("A key that is not for signature verification verifies no token")
    func keyUse() throws {
        let token = try UnverifiedJWT(Fixtures.signingKey(.es256).sign(claims: Fixtures.claims))
        for change in [("use", "enc"), ("key_ops", ["sign"])] as [(String, JSONValue?)] {
            let key = try Self.publicKey(.es256, [change])
            #expect(throws: JOSEError.noMatchingKey(keyID: "ES256")) {
                try token.verified(by: key, algorithms: [.es256])
            }
            #expect(throws: JOSEError.noMatchingKey(keyID: "ES256")) {
                try token.verified(by: JSONWebKeySet([key]), algorithms: [.es256])
            }
        }
    }

    @Test("Among keys that share one kid the signing key is found")
    func decoys() throws {
        let decoy = try SigningKey.generate(.es256, keyID: "ES256").publicKey
        let keys = JSONWebKeySet([
            try Self.publicKey(.rs256, [("kid", "ES256")]), decoy, try Self.publicKey(.es256),
        ])
        let token = try UnverifiedJWT(Fixtures.signingKey(.es256).sign(claims: Fixtures.claims))
        #expect(try token.verified(by: keys, algorithms: Fixtures.allAlgorithms).claims == Fixtures.claims)
        #expect(throws: JOSEError.invalidSignature) {
            try token.verified(by: JSONWebKeySet([decoy]), algorithms: Fixtures.allAlgorithms)
        }
    }

    @Test("A token without a kid is tried with up to four fitting keys, and is ambiguous with five")
    func withoutKeyID() throws {
        let signer = try Fixtures.signingKey(.es256)
        let token = try UnverifiedJWT(Fixtures.token(header: #"{"alg":"ES256"}"#, payload: "{}", key: signer))
        let others = try (0..<4).map { _ in try SigningKey.generate(.es256).publicKey }
        let four = JSONWebKeySet(Array(others.dropLast()) + [signer.publicKey, try Self.publicKey(.rs256)])
        #expect(throws: Never.self) { try token.verified(by: four, algorithms: [.es256]) }
        let five = JSONWebKeySet(others + [signer.publicKey])
        #expect(throws: JOSEError.ambiguousKey) { try token.verified(by: five, algorithms: [.es256]) }
    }

    @Test("Keys in a token's header are not used", arguments: ["jwk", "jku", "x5u", "x5c"])
    func embeddedKeys(name: String) throws {
        let attacker = try SigningKey.generate(.es256)
        var header: JSONObject = ["alg": "ES256"]
        header[name] = name == "jwk" ? .object(attacker.publicKey.jsonObject) : "https://attacker.example"
        let token = try Fixtures.token(header: header.encoded(), payload: Array("{}".utf8), key: attacker)
        #expect(throws: JOSEError.invalidSignature) {
            try UnverifiedJWT(token).verified(by: JSONWebKeySet([Self.publicKey(.es256)]), algorithms: [.es256])
        }
    }

    @Test("A kid and an algorithm name in an error have at most 64 characters")
    func cappedErrors() throws {
        let long = String(repeating: "k", count: 100)
        let capped = String(repeating: "k", count: 64)
        let unknown = try UnverifiedJWT(UnverifiedJWTTests.unsigned(#"{"alg":"\#(long)"}"#))
        #expect(throws: JOSEError.unsupportedAlgorithm(capped)) {
            try unknown.verified(by: JSONWebKeySet([]), algorithms: [.es256])
        }
        let token = try UnverifiedJWT(UnverifiedJWTTests.unsigned(#"{"alg":"ES256","kid":"\#(long)"}"#))
        #expect(throws: JOSEError.noMatchingKey(keyID: capped)) {
            try token.verified(by: JSONWebKeySet([]), algorithms: [.es256])
        }
    }

    @Test("A stored verified token is restored without a key")
    func restored() throws {
        let token = try Fixtures.signingKey(.es256).sign(claims: Fixtures.claims)
        let verified = try UnverifiedJWT(token).verified(by: Self.publicKey(.es256), algorithms: [.es256])
        #expect(try VerifiedJWT.restored(compact: token) == verified)
        #expect(throws: JOSEError.unsupportedAlgorithm("none")) {
            try VerifiedJWT.restored(compact: UnverifiedJWTTests.unsigned(#"{"alg":"none"}"#))
        }
    }
}
