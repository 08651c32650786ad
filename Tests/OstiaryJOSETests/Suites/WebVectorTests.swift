import OstiaryJOSE
import Testing

/// Wycheproof's JSON Web vectors: tokens and keys as they are sent.
@Suite("Public vectors of JSON Web Signatures and keys", .enabled(if: VectorFolder.wycheproof != nil))
struct WebVectorTests {
    /// Whether a valid vector is rejected on purpose.
    private static func isRefusedOnPurpose(_ error: JOSEError, _ comment: String) -> Bool {
        switch error {
        // HMAC: no public key can be taken for a shared secret. RFC 7520's figure 27 with a key for ES521, which no
        // registry has.
        case .symmetricKey, .unsupportedAlgorithm: true
        // A character outside the alphabet, which some decoders skip. (RFC 7515 section 2)
        case .base64URL: comment == "InvalidCharacterInsertedInHeader"
        // A token with PS384 under a key that is for PS256 alone. (RFC 7517 section 4.4)
        case .noMatchingKey: comment == "Figure20"
        default: false
        }
    }

    @Test(
        "A JOSE vector is accepted exactly where it is valid, and never with a symmetric key",
        arguments: ["json_web_signature", "json_web_key", "json_web_crypto"]
    )
    func tokens(file: String) throws {
        let folder = try #require(VectorFolder.wycheproof)
        var counts: [String: Int] = [:]
        for group in try folder.object("testvectors_v1/\(file)_test.json").objects("testGroups") {
            for vector in try group.objects("tests") {
                // Encrypted tokens are out of scope: the library has no JSON Web Encryption.
                guard let token = vector["jws"]?.string else {
                    counts["encrypted", default: 0] += 1
                    continue
                }
                let isValid = vector["result"]?.string == "valid"
                let outcome = Self.outcome(of: token, under: try Self.keys(of: group))
                let comment = vector["comment"]?.string ?? ""
                let label = "\(file) \(vector["tcId"]?.integer ?? 0): \(comment), \(outcome)"
                switch outcome {
                case .accepted:
                    #expect(isValid, Comment(rawValue: label))
                    counts["accepted", default: 0] += 1
                case .rejected(let error) where isValid:
                    #expect(Self.isRefusedOnPurpose(error, comment), Comment(rawValue: label))
                    counts["valid and rejected", default: 0] += 1
                case .rejected:
                    counts["rejected", default: 0] += 1
                }
            }
        }
        print("\(file): \(counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))")
        #expect(counts["accepted", default: 0] > 0 && counts["rejected", default: 0] > 0)
    }

    enum Outcome {
        case accepted
        case rejected(JOSEError)
    }

    /// The keys that the verifier has: the public ones, or, for a symmetric vector, the only ones there are.
    private static func keys(of group: JSONObject) throws -> [JSONObject] {
        let source = try #require((group["public"] ?? group["private"])?.object)
        return source["keys"] == nil ? [source] : try source.objects("keys")
    }

    /// Verifies the signature of a token; its payload is not always a set of claims, and that is looked at last.
    private static func outcome(of token: String, under members: [JSONObject]) -> Outcome {
        do throws(JOSEError) {
            let unverified = try UnverifiedJWT(token)
            var keys: [JSONWebKey] = []
            for key in members { keys.append(try JSONWebKey(key)) }
            guard keys.count == 1, let key = keys.first else { return .rejected(.ambiguousKey) }
            do throws(JOSEError) {
                _ = try unverified.verified(by: key, algorithms: Fixtures.allAlgorithms)
            } catch .json {
                // Reached only with a valid signature: the payload is text instead of claims.
                return .accepted
            }
            return .accepted
        } catch {
            return .rejected(error)
        }
    }
}
