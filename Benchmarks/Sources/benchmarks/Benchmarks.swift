import Crypto
import CryptoExtras
import Foundation
import JWTKit
import Ostiary
import OstiaryJOSE

/// Ratios, each measured side by side in one run.
@main
enum Benchmarks {
    static func main() async throws {
        try await verifyRS256()
        try await verifyES256()
        try await encodeForm()
    }

    static let claims: JSONObject = [
        "iss": "https://id.example.com", "sub": "248289761001", "aud": "s6BhdRkqt3", "nonce": "n-0S6_WzA2Mj",
        "exp": 4_000_000_000, "iat": 1_800_000_000, "auth_time": 1_799_999_000, "acr": "urn:example:silver",
        "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "preferred_username": "j.doe",
        "email": "janedoe@example.com", "email_verified": true, "zoneinfo": "Europe/Berlin", "locale": "de-DE",
        "phone_number": "+49 30 123456", "phone_number_verified": false, "sid": "08a5019c-17e1-4977-8f42-65a12843ea02",
        "azp": "s6BhdRkqt3",
    ]

    struct Claims: JWTPayload {
        var iss: String
        var sub: String
        var aud: String
        var nonce: String
        var exp: Int
        var iat: Int
        var auth_time: Int
        var acr: String
        var name: String
        var given_name: String
        var family_name: String
        var preferred_username: String
        var email: String
        var email_verified: Bool
        var zoneinfo: String
        var locale: String
        var phone_number: String
        var phone_number_verified: Bool
        var sid: String
        var azp: String
        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    static func verifyRS256() async throws {
        let key = try SigningKey.generate(.rs256, keyID: "k")
        let token = try key.sign(claims: claims)
        let keys = JSONWebKeySet([key.publicKey])
        let (input, signature) = try split(token)
        let members = key.publicKey.jsonObject
        let modulus = try Base64URL.decode(members["n"]?.string ?? "")
        let raw = try _RSA.Signing.PublicKey(n: modulus, e: try Base64URL.decode(members["e"]?.string ?? ""))
        let kit = JWTKeyCollection()
        try await kit.add(
            jwk: .rsa(.rs256, identifier: "k", modulus: members["n"]?.string, exponent: members["e"]?.string)
        )
        Measurement.show(
            "Verify an RS256 token of 20 claims",
            try await Measurement.compare(
                iterations: 2000,
                [
                    (
                        "swift-crypto alone: hash and signature",
                        {
                            let digest = SHA256.hash(data: input)
                            let parsed = _RSA.Signing.RSASignature(rawRepresentation: signature)
                            precondition(raw.isValidSignature(parsed, for: digest, padding: .insecurePKCS1v1_5))
                        }
                    ),
                    (
                        "ostiary: parse, key, signature, claims",
                        { _ = try UnverifiedJWT(token).verified(by: keys, algorithms: [.rs256]) }
                    ),
                    ("jwt-kit", { _ = try await kit.verify(token, as: Claims.self) }),
                ]
            )
        )
    }

    static func verifyES256() async throws {
        let key = try SigningKey.generate(.es256, keyID: "k")
        let token = try key.sign(claims: claims)
        let keys = JSONWebKeySet([key.publicKey])
        let (input, signature) = try split(token)
        let members = key.publicKey.jsonObject
        let x = try Base64URL.decode(members["x"]?.string ?? "")
        let y = try Base64URL.decode(members["y"]?.string ?? "")
        let raw = try P256.Signing.PublicKey(x963Representation: [4] + x + y)
        let kit = JWTKeyCollection()
        try await kit.add(
            jwk: .ecdsa(.es256, identifier: "k", x: members["x"]?.string, y: members["y"]?.string, curve: .p256)
        )
        Measurement.show(
            "Verify an ES256 token of 20 claims",
            try await Measurement.compare(
                iterations: 1000,
                [
                    (
                        "swift-crypto alone: hash and signature",
                        {
                            let digest = SHA256.hash(data: input)
                            let parsed = try P256.Signing.ECDSASignature(rawRepresentation: signature)
                            precondition(raw.isValidSignature(parsed, for: digest))
                        }
                    ),
                    (
                        "ostiary: parse, key, signature, claims",
                        { _ = try UnverifiedJWT(token).verified(by: keys, algorithms: [.es256]) }
                    ),
                    ("jwt-kit", { _ = try await kit.verify(token, as: Claims.self) }),
                ]
            )
        )
    }

    static func encodeForm() async throws {
        let parameters: Parameters = [
            "grant_type": "authorization_code", "code": "SplxlOBeZQQYbYS6WxSbIA",
            "redirect_uri": "https://client.example.com/cb",
            "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "client_id": "s6BhdRkqt3",
        ]
        Measurement.show(
            "Write a token request's form",
            try await Measurement.compare(
                iterations: 5000,
                [
                    (
                        "URLComponents (leaves + and / as they are)",
                        {
                            var components = URLComponents()
                            components.queryItems = parameters.pairs.map {
                                URLQueryItem(name: $0.name.rawValue, value: $0.value)
                            }
                            precondition(components.percentEncodedQuery != nil)
                        }
                    ),
                    ("ostiary", { precondition(!FormURLEncoding.encode(parameters).isEmpty) }),
                ]
            )
        )
    }

    private static func split(_ token: String) throws -> (input: [UInt8], signature: [UInt8]) {
        let dot = token.lastIndex(of: ".") ?? token.endIndex
        return (Array(token[..<dot].utf8), try Base64URL.decode(token[token.index(after: dot)...]))
    }
}
