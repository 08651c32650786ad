import Foundation
import OstiaryJOSE

/// Operations for callgrind to count, one after the other on the main thread; `scripts/counts.py` makes tables of them.
///
/// It prints a line for each row: its table, its name, and the number of operations between two marks.
@main
enum Counts {
    static func main() throws {
        let rsa = try SigningKey.generate(.rs256).pemRepresentation()
        for algorithm in [SignatureAlgorithm.rs256, .ps256, .es256, .edDSA] {
            let key =
                algorithm == .rs256 || algorithm == .ps256
                ? try SigningKey(pem: rsa, algorithm: algorithm, keyID: "k")
                : try SigningKey.generate(algorithm, keyID: "k")
            try verify(with: key)
        }
        try growKeySets()
    }

    /// Verification of a whole token, beside its minimum: the hash of the signed part, and the check of the signature.
    private static func verify(with key: SigningKey) throws {
        let token = try key.sign(claims: claims)
        let keys = JSONWebKeySet([key.publicKey])
        let accepted: Set<SignatureAlgorithm> = [key.algorithm]
        let raw = try rawCheck(key.algorithm, by: key.publicKey, of: token)
        let title = "Verify \(key.algorithm.rawValue), a token of 20 claims"
        try count(title, "swift-crypto alone: hash and signature") { precondition(raw()) }
        try count(title, "ostiary: parse, key, signature, claims") {
            _ = try UnverifiedJWT(token).verified(by: keys, algorithms: accepted)
        }
    }

    /// The last key of a set with ten and a hundred times as many.
    private static func growKeySets() throws {
        let last = try SigningKey.generate(.es256, keyID: "k")
        let token = try last.sign(claims: claims)
        for count in [1, 10, 100] {
            let others = try (1..<count).map { try SigningKey.generate(.es256, keyID: "\($0)").publicKey }
            let keys = JSONWebKeySet(others + [last.publicKey])
            try self.count("Verify ES256 with the last key of a set", "keys: \(count)") {
                _ = try UnverifiedJWT(token).verified(by: keys, algorithms: [.es256])
            }
        }
    }

    private static func count(_ table: String, _ row: String, _ operation: () throws -> Void) throws {
        let operations = 20
        // Objects that the first use makes are not part of an operation.
        for _ in 0..<2 { try operation() }
        print("\(table)\t\(row)\t\(operations)")
        callgrindMark()
        for _ in 0..<operations { try operation() }
        callgrindMark()
    }

    /// Twenty claims of an ID token.
    private static let claims: JSONObject = [
        "iss": "https://id.example.com", "sub": "248289761001", "aud": "s6BhdRkqt3", "nonce": "n-0S6_WzA2Mj",
        "exp": 4_000_000_000, "iat": 1_800_000_000, "auth_time": 1_799_999_000, "acr": "urn:example:silver",
        "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "preferred_username": "j.doe",
        "email": "janedoe@example.com", "email_verified": true, "zoneinfo": "Europe/Berlin", "locale": "de-DE",
        "phone_number": "+49 30 123456", "phone_number_verified": false, "sid": "08a5019c-17e1-4977-8f42-65a12843ea02",
        "azp": "s6BhdRkqt3",
    ]
}

/// A mark in callgrind's profile: it writes the counts so far when this function is entered.
@inline(never)
private func callgrindMark() { fflush(nil) }
