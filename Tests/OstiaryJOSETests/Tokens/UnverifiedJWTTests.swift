import OstiaryJOSE
import Testing

@Suite("Form of a token")
struct UnverifiedJWTTests {
    static let threeParts = JOSEError.malformed("a compact token has three parts")

    /// A token with this header and without a signature.
    static func unsigned(_ header: String) -> String {
        Base64URL.encode(Array(header.utf8)) + ".e30.AAAA"
    }

    @Test("A token with three parts of any length is split at its dots, and one with a third dot anywhere is rejected")
    func everyPlaceOfTheDots() throws {
        let header = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
        for length in 0..<80 where length % 4 != 1 {
            let token = header + "." + String(repeating: "A", count: length) + "."
            for signature in ["", "AA", String(repeating: "A", count: 40)] {
                let split = try UnverifiedJWT(token + signature)
                #expect(split.header.algorithmName == "none")
                #expect(throws: Self.threeParts) { try UnverifiedJWT(token + signature + ".") }
                #expect(throws: Self.threeParts) { try UnverifiedJWT(token + "." + signature) }
                #expect(throws: Self.threeParts) { try UnverifiedJWT("." + token + signature) }
            }
        }
    }

    @Test("A token with more or fewer than three parts is rejected")
    func parts() throws {
        let token = try Fixtures.signingKey(.es256).sign(claims: Fixtures.claims)
        let parts = token.split(separator: ".").map(String.init)
        for wrong in [
            "", ".", parts[0], parts[0] + "." + parts[1], token + ".", "." + token, token + "." + parts[2],
            token + ".a.b", parts[0] + "." + parts[1] + parts[2], "....",
        ] {
            #expect(throws: Self.threeParts) { try UnverifiedJWT(wrong) }
        }
    }

    @Test("A token longer than the limit is rejected")
    func size() throws {
        let token = try Fixtures.signingKey(.es256).sign(claims: Fixtures.claims)
        #expect(throws: Never.self) { try UnverifiedJWT(token, maximumBytes: token.utf8.count) }
        #expect(throws: JOSEError.tooLarge) { try UnverifiedJWT(token, maximumBytes: token.utf8.count - 1) }
        #expect(throws: JOSEError.tooLarge) { try UnverifiedJWT(String(repeating: "a", count: 65_537)) }
        #expect(throws: JOSEError.tooLarge) { try UnverifiedJWT(String(repeating: ".", count: 10_000_000)) }
    }

    @Test("A token whose header or signature is no strict base64url is rejected")
    func base64() throws {
        let token = try Fixtures.signingKey(.es256).sign(claims: Fixtures.claims)
        let parts = token.split(separator: ".").map(String.init)
        for wrong in [parts[0] + "=", parts[0] + "\n", " " + parts[0], parts[0] + "+", "eyJhbGciOiJFUzI1NiJ9é"] {
            #expect(throws: JOSEError.base64URL) {
                try UnverifiedJWT([wrong, parts[1], parts[2]].joined(separator: "."))
            }
        }
        for wrong in [parts[2] + "==", parts[2] + "\n", "/" + parts[2].dropFirst(), "A"] {
            #expect(throws: JOSEError.base64URL) {
                try UnverifiedJWT([parts[0], parts[1], wrong].joined(separator: "."))
            }
        }
    }

    @Test("A token whose signature has unused bits that are not zero is rejected")
    func trailingBits() throws {
        let token = try Fixtures.signingKey(.es256).sign(claims: Fixtures.claims)
        // 64 bytes leave four bits of the last character unused: the characters that are not A, Q, g or w set them.
        for character in "BCDERSTUhixyz0" {
            #expect(throws: JOSEError.base64URL) { try UnverifiedJWT(token.dropLast() + String(character)) }
        }
    }

    @Test("A token whose header is no JSON object, or repeats a member, is rejected")
    func headerJSON() {
        #expect(throws: JOSEError.json(.malformed(offset: 0))) { try UnverifiedJWT(".e30.AAAA") }
        #expect(throws: JOSEError.json(.notAnObject)) { try UnverifiedJWT(Self.unsigned("[]")) }
        #expect(throws: JOSEError.json(.duplicateMember("alg"))) {
            try UnverifiedJWT(Self.unsigned(#"{"alg":"ES256","alg":"none"}"#))
        }
        #expect(throws: JOSEError.json(.duplicateMember("kid"))) {
            try UnverifiedJWT(Self.unsigned(#"{"alg":"ES256","jwk":{"kid":"a","kid":"b"}}"#))
        }
        #expect(throws: JOSEError.json(.tooDeep)) {
            try UnverifiedJWT(Self.unsigned("{\"a\":" + String(repeating: "[", count: 8_000)))
        }
        #expect(throws: JOSEError.json(.tooLarge)) {
            try UnverifiedJWT(Self.unsigned("{\"a\":\"" + String(repeating: "a", count: 8_192) + "\"}"))
        }
    }

    @Test("A token without alg, or with a header parameter that is no string, is rejected")
    func headerParameters() {
        #expect(throws: JOSEError.malformed("alg")) { try UnverifiedJWT(Self.unsigned("{}")) }
        #expect(throws: JOSEError.malformed("alg")) { try UnverifiedJWT(Self.unsigned(#"{"alg":null}"#)) }
        #expect(throws: JOSEError.malformed("alg")) { try UnverifiedJWT(Self.unsigned(#"{"alg":["ES256"]}"#)) }
        for name in ["kid", "typ", "cty"] {
            #expect(throws: JOSEError.malformed(name)) {
                try UnverifiedJWT(Self.unsigned(#"{"alg":"ES256","\#(name)":1}"#))
            }
        }
    }

    @Test(
        "A token with a critical extension is rejected, whatever it names",
        arguments: [
            #""crit":["exp"]"#, #""crit":[]"#, #""crit":["b64"],"b64":false"#, #""b64":false"#, #""b64":true"#,
            #""crit":null"#,
        ]
    )
    func critical(member: String) {
        #expect(throws: JOSEError.criticalHeader) { try UnverifiedJWT(Self.unsigned(#"{"alg":"ES256",\#(member)}"#)) }
    }

    @Test("A token's payload is not decoded before the signature is verified")
    func payload() {
        #expect(throws: Never.self) { try UnverifiedJWT(Self.unsigned(#"{"alg":"ES256"}"#)) }
        #expect(throws: Never.self) { try UnverifiedJWT("eyJhbGciOiJFUzI1NiJ9.!not base64!.AAAA") }
    }

    @Test("A token's header shows the parameters unchanged")
    func header() throws {
        let header = try UnverifiedJWT(Self.unsigned(#"{"alg":"x","kid":"k","typ":"t","cty":"c","jwk":{"kty":"EC"}}"#))
            .header
        #expect(header.algorithmName == "x")
        #expect(header.keyID == "k")
        #expect(header.type == "t")
        #expect(header.contentType == "c")
        #expect(header.parameters["jwk"] == ["kty": "EC"])
    }
}
