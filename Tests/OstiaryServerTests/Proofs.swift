import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryServer

/// Proofs of possession, and requests with them.
enum Proofs {
    static let origin = "https://api.example.com"
    static let key = try! SigningKey.generate(.es256)
    static let otherKey = try! SigningKey.generate(.es256)

    static func hash(_ token: String) -> String {
        Base64URL.encode(HashAlgorithm.sha256.hash(Array(token.utf8)))
    }

    /// A proof for a request that is valid but for the changes.
    static func proof(
        _ token: String?,
        path: String = "/orders",
        method: String = "GET",
        by key: SigningKey = key,
        type: String = "dpop+jwt",
        jti: String = UUID().uuidString,
        now: Date = Fixtures.now,
        header change: (inout JSONObject) -> Void = { _ in },
        claims changeClaims: (inout JSONObject) -> Void = { _ in }
    ) -> String {
        var header: JSONObject = [
            "typ": .string(type), "alg": .string(key.algorithm.rawValue), "jwk": .object(key.publicKey.jsonObject),
        ]
        change(&header)
        var claims: JSONObject = [
            "jti": .string(jti), "htm": .string(method), "htu": .string(origin + path),
            "iat": .integer(Int(now.timeIntervalSince1970)),
        ]
        claims["ath"] = token.map { .string(hash($0)) }
        changeClaims(&claims)
        let input = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded())
        return input + "." + Base64URL.encode(try! key.signature(for: Array(input.utf8)))
    }

    /// A token that is bound to ``key``.
    static func token(to key: SigningKey = key, changing change: (inout JSONObject) -> Void = { _ in }) -> String {
        Fixtures.token {
            $0["cnf"] = ["jkt": .string(key.publicKey.thumbprint())]
            change(&$0)
        }
    }

    static func request(
        _ token: String,
        _ proofs: [String],
        scheme: String = "DPoP",
        target: String = "/orders",
        method: HTTPRequest.Method = .get
    ) -> ServerRequest {
        var fields: HTTPFields = [.authorization: "\(scheme) \(token)"]
        for proof in proofs { fields.append(HTTPField(name: .dpop, value: proof)) }
        return ServerRequest(method: method, target: target, fields: fields)
    }
}
