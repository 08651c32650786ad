import OstiaryJOSE
import Testing

@Suite("Every example that the RFCs print")
struct VectorsRFCTests {
    @Test(
        "Every RFC token is verified, or rejected with its expected error",
        arguments: VectorCase.all("tokens", in: ["rfc7515", "rfc7519", "rfc7520", "rfc7797", "rfc8037"])
            + VectorCase.all("proofs", in: "rfc9449")
    )
    func tokens(vector: VectorCase) throws {
        let token = try #require(vector.string("token"))
        var keys: [JSONWebKey] = []
        if let key = vector.members["key"]?.object {
            #expect(refusal { () throws(JOSEError) in keys = [try JSONWebKey(key)] } == vector.string("keyError"))
        }
        var claims: JSONObject?
        let algorithms = try vector.algorithms()
        let outcome = refusal { () throws(JOSEError) in
            claims = try UnverifiedJWT(token).verified(by: JSONWebKeySet(keys), algorithms: algorithms).claims
        }
        #expect(outcome == vector.string("error"))
        #expect(claims == vector.members["claims"]?.object)
    }

    @Test(
        "Every RFC token's signature is valid, whatever its payload is",
        arguments: VectorCase.all("tokens", in: ["rfc7515", "rfc7520", "rfc8037"]).filter {
            $0.string("algorithm") != nil
        }
    )
    func signatures(vector: VectorCase) throws {
        let (input, signature) = try Self.parts(try #require(vector.string("token")))
        let key = try JSONWebKey(vector.object("key"))
        let algorithm = try #require(vector.algorithms().first)
        #expect(key.isValidSignature(signature, for: input, algorithm: algorithm))
    }

    @Test(
        "Every RFC key set lists the usable keys, and gives the reason for each ignored one",
        arguments: VectorCase.all("keySets", in: ["rfc7517", "rfc7520", "rfc8037"])
    )
    func keySets(vector: VectorCase) throws {
        let keys = try JSONWebKeySet(parsing: vector.object("document").encoded())
        #expect(keys.keys.map { .string($0.keyID ?? "") } == vector.members["keyIDs"]?.array)
        let ignored = keys.ignoredKeys.map { JSONValue.string("\($0.index): \($0.reason)") }
        #expect(ignored == vector.members["ignored"]?.array)
    }

    @Test(
        "Every RFC private key signs a token that its public key verifies",
        arguments: VectorCase.all("privateKeys", in: ["rfc7515", "rfc7517", "rfc7520", "rfc8037"])
    )
    func privateKeys(vector: VectorCase) throws {
        let members = try vector.object("key")
        let algorithm = try #require(vector.algorithms().first)
        let key = try SigningKey(privateJWK: members, algorithm: algorithm)
        for name in ["n", "e", "crv", "x", "y"] {
            #expect(key.publicKey.jsonObject[name] == members[name])
        }
        let token = try key.sign(claims: Fixtures.claims)
        let verified = try UnverifiedJWT(token).verified(by: key.publicKey, algorithms: [algorithm])
        #expect(verified.claims == Fixtures.claims)
    }

    @Test(
        "Every RFC private key makes the printed signature where the algorithm is deterministic",
        arguments: VectorCase.all("privateKeys", in: ["rfc7515", "rfc7517", "rfc7520", "rfc8037"]).filter {
            $0.string("signs") != nil
        }
    )
    func printedSignatures(vector: VectorCase) throws {
        let (input, signature) = try Self.parts(try #require(vector.string("signs")))
        let key = try SigningKey(privateJWK: vector.object("key"), algorithm: vector.algorithms().first)
        let made = try key.signature(for: input)
        #expect(key.publicKey.isValidSignature(made, for: input, algorithm: key.algorithm))
        #if canImport(CryptoKit)
            // CryptoKit makes another signature with Ed25519 on every call.
            if [.edDSA, .ed25519].contains(key.algorithm) { return }
        #endif
        #expect(made == signature)
    }

    @Test("Every RFC private key is rejected as a public key", arguments: VectorCase.all("privateKeys", in: "rfc7517"))
    func privateAsPublic(vector: VectorCase) throws {
        let key = try vector.object("key")
        #expect(throws: JOSEError.privateKeyMaterial) { try JSONWebKey(key) }
    }

    @Test(
        "Every RFC key has the printed thumbprint",
        arguments: VectorCase.all("thumbprints", in: ["rfc7638", "rfc8037", "rfc9449"])
    )
    func thumbprints(vector: VectorCase) throws {
        #expect(try JSONWebKey(vector.object("key")).thumbprint() == vector.string("thumbprint"))
    }

    @Test(
        "Every RFC DPoP proof is verified by the key in its header",
        arguments: VectorCase.all("proofs", in: "rfc9449")
    )
    func proofs(vector: VectorCase) throws {
        let proof = try UnverifiedJWT(try #require(vector.string("token")))
        #expect(proof.header.type == "dpop+jwt")
        let key = try JSONWebKey(try #require(proof.header.parameters["jwk"]?.object))
        #expect(key.thumbprint() == vector.string("thumbprint"))
        let claims = try proof.verified(by: key, algorithms: [.es256]).claims
        #expect(claims == vector.members["claims"]?.object)
        if let accessToken = vector.string("accessToken") {
            let hash = HashAlgorithm.sha256.hash(Array(accessToken.utf8))
            #expect(claims["ath"]?.string == Base64URL.encode(hash))
        }
    }

    /// The signed octets, and the signature.
    private static func parts(_ token: String) throws -> ([UInt8], [UInt8]) {
        let dot = try #require(token.lastIndex(of: "."))
        return (Array(token[..<dot].utf8), try Base64URL.decode(token[token.index(after: dot)...]))
    }
}
