import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryLogi
import Testing

/// The vendor's list of ID tokens, made again: one time, one issuer, one client, one nonce.
struct LogiVector: Sendable, CustomTestStringConvertible {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)
    static let client = "logi_test_client_abc"
    static let accessToken = "an-access-token"
    static let key = try! SigningKey.generate(.rs256, keyID: "key-1")
    static let otherKey = try! SigningKey.generate(.rs256, keyID: "key-1")
    static let curve = try! SigningKey.generate(.es256, keyID: "key-1")

    let name: String
    let expected: IdTokenVerifyError?
    var accessToken: String?
    var change: @Sendable (inout JSONObject) -> Void = { _ in }
    var sign: @Sendable (JSONObject) throws -> String = { try key.sign(claims: $0, type: "JWT") }

    var testDescription: String { name }

    var token: String {
        get throws {
            var claims: JSONObject = [
                "iss": "https://api.1pass.dev", "aud": .string(Self.client), "sub": "subject",
                "iat": 1_700_000_000, "exp": 1_700_000_900, "nonce": "nonce-abc123",
            ]
            change(&claims)
            return try sign(claims)
        }
    }

    /// A token whose header is written by hand.
    static func signed(_ claims: JSONObject, header: JSONObject, by key: SigningKey = key) throws -> String {
        let input = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded())
        return input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)))
    }

    static let all: [LogiVector] = [
        .init(name: "valid", expected: nil),
        .init(name: "missing_kid", expected: .missingKid, sign: { try signed($0, header: ["alg": "RS256"]) }),
        .init(name: "empty_kid", expected: .missingKid, sign: { try signed($0, header: ["alg": "RS256", "kid": ""]) }),
        .init(
            name: "unknown_kid",
            expected: .unknownKid,
            sign: { try signed($0, header: ["alg": "RS256", "kid": "key-2"]) }
        ),
        .init(
            name: "bad_signature",
            expected: .badSignature,
            sign: { String(try key.sign(claims: $0, type: "JWT").dropLast(8)) + "AAAAAAAA" }
        ),
        .init(name: "wrong_key", expected: .badSignature, sign: { try otherKey.sign(claims: $0, type: "JWT") }),
        .init(name: "aud_mismatch", expected: .audMismatch, change: { $0["aud"] = "logi_other" }),
        .init(name: "aud_missing", expected: .audMismatch, change: { $0["aud"] = nil }),
        .init(name: "iss_mismatch", expected: .issMismatch, change: { $0["iss"] = "logi" }),
        .init(name: "expired", expected: .expired, change: { $0["exp"] = 1_699_999_940 }),
        .init(name: "expired_within_skew", expected: nil, change: { $0["exp"] = 1_699_999_941 }),
        .init(name: "exp_text", expected: .expired, change: { $0["exp"] = "1700000900" }),
        .init(name: "iat_future", expected: .malformed, change: { $0["iat"] = 1_700_000_061 }),
        .init(name: "iat_within_skew", expected: nil, change: { $0["iat"] = 1_700_000_060 }),
        .init(name: "iat_missing", expected: .malformed, change: { $0["iat"] = nil }),
        .init(name: "nonce_mismatch", expected: .nonceMismatch, change: { $0["nonce"] = "another" }),
        .init(name: "nonce_missing", expected: .nonceMismatch, change: { $0["nonce"] = nil }),
        .init(name: "wrong_alg", expected: .badSignature, sign: { try curve.sign(claims: $0, type: "JWT") }),
        .init(
            name: "alg_none",
            expected: .badSignature,
            sign: { Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + Base64URL.encode($0.encoded()) + "." }
        ),
        .init(name: "azp_mismatch", expected: .audMismatch, change: { $0["azp"] = "logi_other" }),
        .init(
            name: "multi_aud_no_azp",
            expected: .audMismatch,
            change: { $0["aud"] = [.string(client), "https://other.example"] }
        ),
        .init(
            name: "multi_aud_valid_azp",
            expected: nil,
            change: {
                $0["aud"] = [.string(client), "https://other.example"]
                $0["azp"] = .string(client)
            }
        ),
        .init(name: "sub_missing", expected: .missingClaim, change: { $0["sub"] = nil }),
        .init(
            name: "at_hash_valid",
            expected: nil,
            accessToken: accessToken,
            change: { $0["at_hash"] = .string(HashAlgorithm.sha256.leftHalf(of: accessToken)) }
        ),
        .init(
            name: "at_hash_mismatch",
            expected: .atHashMismatch,
            accessToken: "another",
            change: { $0["at_hash"] = .string(HashAlgorithm.sha256.leftHalf(of: accessToken)) }
        ),
        .init(name: "at_hash_present_no_access_token", expected: nil, change: { $0["at_hash"] = "anything" }),
        .init(name: "at_hash_absent", expected: nil, accessToken: accessToken),
        .init(
            name: "first_of_several",
            expected: .issMismatch,
            change: {
                $0["iss"] = "logi"
                $0["aud"] = "logi_other"
                $0["exp"] = 0
                $0["sub"] = nil
            }
        ),
        .init(name: "two_parts", expected: .malformed, sign: { _ in "a.b" }),
        .init(
            name: "payload_not_json",
            expected: .malformed,
            sign: { _ in
                let input =
                    Base64URL.encode((["alg": "RS256", "kid": "key-1"] as JSONObject).encoded()) + "."
                    + Base64URL.encode(Array("[]".utf8))
                return input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)))
            }
        ),
    ]
}

@Suite("An ID token that came to a backend")
struct LogiVerificationTests {
    @Test(
        "The vendor's ID token vectors end in the results of the other logi SDKs",
        .covers(.logi, rows: 27, 28, 29, 30, 58),
        arguments: LogiVector.all
    )
    func vector(vector: LogiVector) throws {
        let keys = JSONWebKeySet([LogiVector.curve.publicKey, LogiVector.key.publicKey])
        var found: IdTokenVerifyError?
        do throws(IdTokenVerifyError) {
            let token = try? vector.token
            let verified = try verifyIdToken(
                token ?? "",
                jwks: keys,
                expected: VerifyExpected(clientId: LogiVector.client, nonce: "nonce-abc123"),
                now: LogiVector.now,
                accessToken: vector.accessToken
            )
            #expect(verified.sub == "subject")
        } catch {
            found = error
        }
        #expect(found == vector.expected)
    }

    @Test(
        "An absent nonce is not compared, and a clock skew of a minute at most is accepted",
        .covers(.logi, rows: 30, 58)
    )
    func options() throws {
        let keys = JSONWebKeySet([LogiVector.key.publicKey])
        let token = try LogiVector(name: "", expected: nil).token
        let expected = VerifyExpected(clientId: LogiVector.client)
        _ = try verifyIdToken(token, jwks: keys, expected: expected, now: LogiVector.now)
        #expect(throws: IdTokenVerifyError.expired) {
            try verifyIdToken(
                token,
                jwks: keys,
                expected: expected,
                now: LogiVector.now.addingTimeInterval(960),
                clockSkewSec: 3600
            )
        }
    }
}
