import OstiaryJOSE
import Testing

/// Wycheproof's vectors of the signature algorithms that the library has.
@Suite("Public vectors of signatures", .enabled(if: VectorFolder.signatures != nil))
struct SignatureVectorTests {
    /// A file of vectors, and the algorithm that they are about.
    struct File: Sendable, CustomTestStringConvertible {
        let name: String
        let algorithm: SignatureAlgorithm

        var testDescription: String { name }

        init(_ name: String, _ algorithm: SignatureAlgorithm) {
            self.name = name
            self.algorithm = algorithm
        }
    }

    static let files: [File] = [
        File("ecdsa_secp256r1_sha256_p1363", .es256), File("ecdsa_secp384r1_sha384_p1363", .es384),
        File("ecdsa_secp521r1_sha512_p1363", .es512), File("ed25519", .ed25519),
        File("rsa_signature_2048_sha256", .rs256), File("rsa_signature_3072_sha256", .rs256),
        File("rsa_signature_4096_sha256", .rs256), File("rsa_signature_8192_sha256", .rs256),
        File("rsa_signature_2048_sha384", .rs384), File("rsa_signature_3072_sha384", .rs384),
        File("rsa_signature_4096_sha384", .rs384), File("rsa_signature_8192_sha384", .rs384),
        File("rsa_signature_2048_sha512", .rs512), File("rsa_signature_3072_sha512", .rs512),
        File("rsa_signature_4096_sha512", .rs512), File("rsa_signature_8192_sha512", .rs512),
        File("rsa_pss_2048_sha256_mgf1_32", .ps256), File("rsa_pss_3072_sha256_mgf1_32", .ps256),
        File("rsa_pss_4096_sha256_mgf1_32", .ps256), File("rsa_pss_2048_sha384_mgf1_48", .ps384),
        File("rsa_pss_4096_sha384_mgf1_48", .ps384), File("rsa_pss_4096_sha512_mgf1_64", .ps512),
    ]

    /// Vectors with the key of an algorithm and another hash, salt or encoding than the algorithm's.
    static let foreign: [File] = [
        File("ecdsa_secp256r1_sha256", .es256), File("ecdsa_secp384r1_sha384", .es384),
        File("ecdsa_secp521r1_sha512", .es512), File("ecdsa_secp256r1_sha512_p1363", .es256),
        File("ecdsa_secp384r1_sha512_p1363", .es384), File("rsa_pss_2048_sha256_mgf1_0", .ps256),
        File("rsa_pss_2048_sha256_mgf1sha1_20", .ps256), File("rsa_pss_2048_sha512_256_mgf1_32", .ps512),
        File("rsa_pss_4096_sha512_mgf1_32", .ps512), File("rsa_signature_2048_sha512_256", .rs512),
        File("rsa_signature_2048_sha3_256", .rs256),
    ]

    @Test("A signature is accepted exactly where the vector calls it valid", arguments: files)
    func signatures(file: File) throws {
        var seen: [String: Int] = [:]
        try forEach(file) { group, vector, key in
            let result = try #require(vector["result"]?.string)
            let isValid = try key.isValidSignature(
                vector.hexadecimal("sig"),
                for: vector.hexadecimal("msg"),
                algorithm: file.algorithm
            )
            seen[result, default: 0] += 1
            // "acceptable" leaves the outcome open. An encoding without its NULL is rejected; a key with a small
            // component beside its point of prime order is accepted, as RFC 8032 section 5.1.7 allows.
            let hasMixedKey = vector["comment"]?.string?.hasPrefix("prime-order point") == true
            #expect(
                isValid == (result == "valid" || result == "acceptable" && hasMixedKey),
                "\(file.name) \(vector["tcId"]?.integer ?? 0): \(vector["comment"]?.string ?? "")"
            )
        }
        #expect(seen["valid", default: 0] > 0 && seen["invalid", default: 0] > 0)
    }

    @Test("A signature that is valid with another hash, salt or encoding is rejected", arguments: foreign)
    func foreignSignatures(file: File) throws {
        var count = 0
        try forEach(file) { group, vector, key in
            guard vector["result"]?.string == "valid" else { return }
            let isValid = try key.isValidSignature(
                vector.hexadecimal("sig"),
                for: vector.hexadecimal("msg"),
                algorithm: file.algorithm
            )
            count += 1
            #expect(!isValid, "\(file.name) \(vector["tcId"]?.integer ?? 0): \(vector["comment"]?.string ?? "")")
        }
        #expect(count > 0)
    }

    @Test("A vector's signature under another token's header and claims is rejected", arguments: files)
    func tokens(file: File) throws {
        try forEach(file) { group, vector, key in
            let signature = Base64URL.encode(try vector.hexadecimal("sig"))
            let header = Base64URL.encode(Array(#"{"alg":"\#(file.algorithm.rawValue)"}"#.utf8))
            let token = "\(header).\(Base64URL.encode(Array("{}".utf8))).\(signature)"
            #expect(throws: JOSEError.invalidSignature) {
                try UnverifiedJWT(token).verified(by: key, algorithms: [file.algorithm])
            }
        }
    }

    @Test("A key of fewer than 2048 bits is rejected as weak")
    func shortKeys() throws {
        let folder = try #require(VectorFolder.signatures)
        for name in ["rsa_pkcs1_1024_sig_gen", "rsa_pkcs1_1536_sig_gen"] {
            for group in try folder.object("\(name)_test.json").objects("testGroups") {
                let key = try #require(group["privateKey"]?.object)
                #expect(throws: JOSEError.weakKey) {
                    try JSONWebKey([
                        "kty": "RSA", "n": .string(try key.hexadecimal("modulus").unsignedInteger()),
                        "e": .string(try key.hexadecimal("publicExponent").unsignedInteger()),
                    ])
                }
            }
        }
    }

    /// Visits each vector of a file whose key the library reads; a key that it does not read is in no valid vector.
    private func forEach(
        _ file: File,
        _ body: (_ group: JSONObject, _ vector: JSONObject, _ key: JSONWebKey) throws -> Void
    ) throws {
        let folder = try #require(VectorFolder.signatures)
        for group in try folder.object("\(file.name)_test.json").objects("testGroups") {
            let vectors = try group.objects("tests")
            let key: JSONWebKey
            do {
                key = try JSONWebKey(Self.members(of: try #require(group["publicKey"]?.object), file.algorithm))
            } catch {
                for vector in vectors {
                    #expect(
                        vector["result"]?.string != "valid",
                        "\(file.name) \(vector["tcId"]?.integer ?? 0): \(error)"
                    )
                }
                continue
            }
            for vector in vectors { try body(group, vector, key) }
        }
    }

    private static func members(of key: JSONObject, _ algorithm: SignatureAlgorithm) throws -> JSONObject {
        switch algorithm.keyType {
        case .rsa:
            return [
                "kty": "RSA", "n": .string(try key.hexadecimal("modulus").unsignedInteger()),
                "e": .string(try key.hexadecimal("publicExponent").unsignedInteger()),
            ]
        case .ec:
            let point = try key.hexadecimal("uncompressed").dropFirst()
            let half = point.count / 2
            return [
                "kty": "EC", "crv": .string(try #require(algorithm.curve).rawValue),
                "x": .string(Base64URL.encode(Array(point.prefix(half)))),
                "y": .string(Base64URL.encode(Array(point.suffix(half)))),
            ]
        case .okp:
            return ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(try key.hexadecimal("pk")))]
        }
    }
}
