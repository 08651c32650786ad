import Crypto
import OstiaryJOSE
import Testing

@Suite("Tampering")
struct TamperingTests {
    /// Verifies with every key and algorithm that there is.
    static func verify(_ token: String) throws -> VerifiedJWT {
        let keys = JSONWebKeySet(try SignatureAlgorithm.allCases.map { try Fixtures.signingKey($0).publicKey })
        return try UnverifiedJWT(token).verified(by: keys, algorithms: Fixtures.allAlgorithms)
    }

    @Test("A token with a changed signature is rejected", arguments: SignatureAlgorithm.allCases)
    func signature(algorithm: SignatureAlgorithm) throws {
        let token = try Fixtures.signingKey(algorithm).sign(claims: Fixtures.claims)
        let parts = token.split(separator: ".").map(String.init)
        let signature = try Base64URL.decode(parts[2])
        var oneBit = signature
        oneBit[signature.count / 2] ^= 0x01
        for wrong in [
            signature.map { $0 ^ 0x5A }, oneBit, signature.reversed(), [], Array(signature.dropLast()), signature + [0],
            [0] + signature, [UInt8](repeating: 0, count: signature.count),
        ] {
            #expect(throws: JOSEError.invalidSignature) {
                try Self.verify([parts[0], parts[1], Base64URL.encode(wrong)].joined(separator: "."))
            }
        }
    }

    @Test("A token with a changed payload or header is rejected", arguments: SignatureAlgorithm.allCases)
    func content(algorithm: SignatureAlgorithm) throws {
        let token = try Fixtures.signingKey(algorithm).sign(claims: Fixtures.claims)
        let parts = token.split(separator: ".").map(String.init)
        var claims = Fixtures.claims
        claims["sub"] = "mallory"
        let header: JSONObject = ["alg": .string(algorithm.rawValue), "kid": .string(algorithm.rawValue)]
        for (first, second) in [
            (parts[0], Base64URL.encode(claims.encoded())), (Base64URL.encode(header.encoded()), parts[1]),
            (parts[0], parts[1] + "="), (parts[0], ""), (parts[0], parts[1] + "A"),
        ] {
            #expect(throws: JOSEError.invalidSignature) { try Self.verify("\(first).\(second).\(parts[2])") }
        }
    }

    @Test("A token with a swapped algorithm matches no key")
    func swappedAlgorithm() throws {
        for algorithm in SignatureAlgorithm.allCases {
            let parts = try Fixtures.signingKey(algorithm).sign(claims: Fixtures.claims).split(separator: ".")
            for other in SignatureAlgorithm.allCases where other != algorithm {
                let header: JSONObject = ["alg": .string(other.rawValue), "kid": .string(algorithm.rawValue)]
                #expect(throws: JOSEError.noMatchingKey(keyID: algorithm.rawValue)) {
                    try Self.verify("\(Base64URL.encode(header.encoded())).\(parts[1]).\(parts[2])")
                }
            }
        }
    }

    @Test("A token with an HMAC keyed by a public key is rejected", arguments: ["HS256", "RS256"])
    func publicKeyAsSecret(name: String) throws {
        let key = try Fixtures.signingKey(.rs256).publicKey
        let modulus = try Base64URL.decode(try #require(key.jsonObject["n"]?.string))
        for secret in [modulus, key.jsonObject.encoded()] {
            let header: JSONObject = ["alg": .string(name), "kid": "RS256"]
            let input = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(Fixtures.claims.encoded())
            let code = HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: SymmetricKey(data: secret))
            let expected: JOSEError = name == "HS256" ? .unsupportedAlgorithm("HS256") : .invalidSignature
            #expect(throws: expected) { try Self.verify(input + "." + Base64URL.encode(Array(code))) }
        }
    }

    @Test("A signed token whose payload is no strict JSON object is rejected")
    func signedNonsense() throws {
        let key = try Fixtures.signingKey(.es256)
        let header = #"{"alg":"ES256","kid":"ES256"}"#
        let cases: [([UInt8], JSONError)] = [
            (Array("[]".utf8), .notAnObject),
            (Array("".utf8), .malformed(offset: 0)),
            (Array("Example of Ed25519 signing".utf8), .malformed(offset: 0)),
            (Array(#"{"sub":"a","sub":"b"}"#.utf8), .duplicateMember("sub")),
            (Array(#"{"a":{"sub":"a","s\u0075b":"b"}}"#.utf8), .duplicateMember("sub")),
            (Array("{\"sub\":\"".utf8) + [0xC0, 0xAF] + Array("\"}".utf8), .notUTF8),
            (Array(#"{"sub":"\uD800"}"#.utf8), .notUTF8),
            (Array(("{\"a\":" + String(repeating: "[", count: 40_000)).utf8), .tooDeep),
        ]
        for (payload, error) in cases {
            let token = try Fixtures.token(header: Array(header.utf8), payload: payload, key: key)
            #expect(throws: JOSEError.json(error)) { try Self.verify(token) }
        }
    }

    @Test("A signed token whose payload is no strict base64url is rejected")
    func signedPadding() throws {
        let key = try Fixtures.signingKey(.es256)
        let header = Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8))
        for payload in ["e30=", "e31", "e30\n", "e+0"] {
            let input = "\(header).\(payload)"
            let token = input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)))
            #expect(throws: JOSEError.base64URL) { try Self.verify(token) }
        }
    }
}
