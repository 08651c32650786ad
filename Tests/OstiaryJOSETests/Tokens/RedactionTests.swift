import OstiaryJOSE
import Testing

@Suite("Redaction")
struct RedactionTests {
    /// Everything that printing, dumping and reflecting show.
    static func shown<Value>(_ value: Value) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        var nested = ""
        dump([["key": value]], to: &nested)
        let children = Mirror(reflecting: value).children.map { "\($0.label ?? ""): \($0.value)" }
        return [
            "\(value)", String(describing: value), String(reflecting: value), "\([value])", dumped, nested,
            children.joined(),
        ].joined(separator: "\n")
    }

    @Test("A signing key shows its algorithm and identifier only", arguments: SignatureAlgorithm.allCases)
    func signingKey(algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey.generate(algorithm, keyID: "my-key")
        let text = Self.shown(key)
        #expect("\(key)" == "SigningKey(\(algorithm.rawValue), my-key)")
        for member in try key.privateJWK().members where !["kty", "crv", "kid", "alg", "use"].contains(member.name) {
            let value = try #require(member.value.string)
            #expect(!text.contains(value) || member.name == "e")
        }
        #expect(!text.contains("PrivateKey"))
        #expect(!text.contains("Material"))
    }

    @Test("Tokens show neither their claims nor themselves")
    func tokens() throws {
        let key = try Fixtures.signingKey(.es256)
        let compact = try key.sign(claims: ["sub": "alice-secret", "number": 424_242])
        let parts = compact.split(separator: ".")
        let unverified = try UnverifiedJWT(compact)
        let verified = try unverified.verified(by: key.publicKey, algorithms: [.es256])
        #expect("\(unverified)" == "UnverifiedJWT(ES256)")
        #expect("\(verified)" == "VerifiedJWT(ES256)")
        for text in [Self.shown(unverified), Self.shown(verified)] {
            #expect(!text.contains("alice-secret"))
            #expect(!text.contains("424242"))
            for part in parts { #expect(!text.contains(part)) }
        }
    }
}
