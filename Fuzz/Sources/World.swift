import Foundation
import OstiaryJOSE
import OstiaryOAuth

/// The issuer, the client, the keys and the moment that every target shares; all of them are fixed, so that an input
/// that was kept does the same again.
enum World {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let issuerText = "https://id.example"
    static let issuer = made { try Issuer(issuerText) }

    /// The key of RFC 8037 appendix A.1: Ed25519 signs the same input alike.
    static let signer = made {
        try SigningKey(
            privateJWK: [
                "kty": "OKP", "crv": "Ed25519", "kid": "ed",
                "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
                "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
            ],
            algorithm: .edDSA
        )
    }

    /// The signer's key, and one of each other kind, of RFC 7515 appendix A.
    static let keys = made {
        let ec: JSONObject = [
            "kty": "EC", "crv": "P-256", "kid": "ec",
            "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        ]
        let rsa: JSONObject = [
            "kty": "RSA", "kid": "rsa", "e": "AQAB",
            "n":
                "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
        ]
        return JSONWebKeySet([signer.publicKey, try JSONWebKey(ec), try JSONWebKey(rsa)])
    }

    static let server = AuthorizationServer(
        issuer: issuer,
        authorizationEndpoint: URL(string: issuerText + "/authorize"),
        tokenEndpoint: URL(string: issuerText + "/token"),
        jwksURI: URL(string: issuerText + "/jwks")
    )

    static func client(redirectURI: String = "com.example.app:/callback") -> Client {
        made { try Client(id: "app", redirectURI: RedirectURI(redirectURI)) }
    }

    /// A request whose state, nonce and verifier are the same in every run.
    static func pending(for client: Client) -> PendingAuthorization {
        made {
            var random = CountingGenerator()
            return try AuthorizationRequest().prepared(for: client, at: server, using: &random)
        }
    }

    private struct CountingGenerator: RandomNumberGenerator {
        var word: UInt64 = 0
        mutating func next() -> UInt64 {
            word &+= 0x9E37_79B9_7F4A_7C15
            return word
        }
    }

    private static func made<Value>(_ make: () throws -> Value) -> Value {
        do { return try make() } catch { fatalError("The fixed values do not hold: \(error)") }
    }
}

/// The text of an input; broken UTF-8 is put right, as a transport that hands out strings does.
func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Array(bytes), as: UTF8.self)
}
