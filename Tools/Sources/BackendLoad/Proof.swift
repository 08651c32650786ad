import Foundation
import OstiaryJOSE
import OstiaryOAuth

extension SigningKey {
    /// Returns a proof of this key for one request to the service's public name.
    ///
    /// (RFC 9449 section 4.2)
    func proof(_ method: String, _ url: String, for token: String? = nil) -> String? {
        var publicKey = JSONObject()
        for name in ["kty", "crv", "x", "y"] { publicKey[name] = self.publicKey.jsonObject[name] }
        var claims: JSONObject = [
            "jti": .string(randomText(bytes: 16)), "htm": .string(method), "htu": .string(url),
            "iat": .integer(Int(Date.now.timeIntervalSince1970)),
        ]
        if let token { claims["ath"] = .string(Base64URL.encode(HashAlgorithm.sha256.hash(Array(token.utf8)))) }
        return try? sign(claims: claims, type: "dpop+jwt", extraHeader: ["jwk": .object(publicKey)])
    }
}

/// Random bits as text that can stand in a URL.
func randomText(bytes: Int = 32) -> String {
    var random = SystemRandomNumberGenerator()
    return Base64URL.encode((0..<bytes).map { _ in UInt8.random(in: .min ... .max, using: &random) })
}

/// The challenge of a verifier. (RFC 7636 section 4.2)
func challenge(of verifier: String) -> String {
    Base64URL.encode(HashAlgorithm.sha256.hash(Array(verifier.utf8)))
}
