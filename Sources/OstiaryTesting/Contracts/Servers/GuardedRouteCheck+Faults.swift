import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// A valid token, and one with each fault.
extension GuardedRouteCheck {
    struct Fault {
        /// Goes on after "A token".
        let name: String
        let token: String
        var status: HTTPResponse.Status = .unauthorized
        var code = "invalid_token"
    }

    /// Makes a token that is valid except for the changes.
    func token(
        type: String? = "at+jwt",
        by key: SigningKey? = nil,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        let time = Int(now().timeIntervalSince1970)
        var claims: JSONObject = [
            "iss": .string(issuer.description), "aud": .string(audience), "sub": "somebody", "client_id": "a-client",
            "jti": .string(UUID().uuidString), "iat": .integer(time), "exp": .integer(time + 300),
            "scope": .string(scopes.map(\.rawValue).joined(separator: " ")),
        ]
        change(&claims)
        return try (key ?? self.key).sign(claims: claims, type: type)
    }

    func faults() throws -> [Fault] {
        try ofClaims() + ofTimes() + ofSignature() + ofAuthority()
    }

    private func ofClaims() throws -> [Fault] {
        [
            Fault(name: "of another issuer", token: try token { $0["iss"] = "https://other.example" }),
            Fault(name: "of an issuer with a slash more", token: try token { $0["iss"] = .string("\(issuer)/") }),
            Fault(name: "without an issuer", token: try token { $0["iss"] = nil }),
            Fault(name: "for another server", token: try token { $0["aud"] = "https://other.example" }),
            Fault(name: "for a server with a longer name", token: try token { $0["aud"] = .string(audience + "2") }),
            Fault(name: "without an audience", token: try token { $0["aud"] = nil }),
            Fault(name: "without a subject", token: try token { $0["sub"] = nil }),
            Fault(name: "without a client", token: try token { $0["client_id"] = nil }),
            Fault(name: "without jti", token: try token { $0["jti"] = nil }),
            Fault(
                name: "that is bound to a key and comes without its proof",
                token: try token { $0["cnf"] = ["jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"] }
            ),
        ]
    }

    private func ofTimes() throws -> [Fault] {
        let time = Int(now().timeIntervalSince1970)
        return [
            // More than a clock may be wrong by.
            Fault(name: "that has expired", token: try token { $0["exp"] = .integer(time - 61) }),
            Fault(name: "that does not expire", token: try token { $0["exp"] = nil }),
            Fault(name: "whose expiry is a text", token: try token { $0["exp"] = .string(String(time + 300)) }),
            Fault(name: "that is not valid yet", token: try token { $0["nbf"] = .integer(time + 61) }),
            Fault(name: "of the future", token: try token { $0["iat"] = .integer(time + 61) }),
            Fault(name: "without iat", token: try token { $0["iat"] = nil }),
        ]
    }

    private func ofSignature() throws -> [Fault] {
        let good = try token()
        let parts = good.split(separator: ".").map(String.init)
        let other = try token { $0["sub"] = "somebody-else" }.split(separator: ".").map(String.init)
        let stranger = try SigningKey.generate(key.algorithm, keyID: key.publicKey.keyID)
        let none = Base64URL.encode((["alg": "none", "typ": "at+jwt"] as JSONObject).encoded())
        return [
            Fault(
                name: "that was changed after signing",
                token: [parts[0], other[1], parts[2]].joined(separator: ".")
            ),
            Fault(name: "by another key with the same kid", token: try token(by: stranger)),
            Fault(name: "by an unknown key", token: try token(by: .generate(.es256, keyID: "unknown"))),
            Fault(name: "that is not signed", token: "\(none).\(parts[1]).\(parts[2])"),
            Fault(name: "that is an ID token", token: try token(type: "JWT")),
            Fault(name: "that is a logout token", token: try token(type: "logout+jwt")),
            Fault(name: "without a type", token: try token(type: nil)),
            Fault(name: "that is not a JWT", token: "a.b.c"),
        ]
    }

    private func ofAuthority() throws -> [Fault] {
        guard let first = scopes.first else { return [] }
        return [
            Fault(
                name: "without a scope that is needed",
                token: try token { $0["scope"] = .string(scopes.dropFirst().map(\.rawValue).joined(separator: " ")) },
                status: .forbidden,
                code: "insufficient_scope"
            ),
            Fault(
                name: "with a scope that begins like the needed one",
                token: try token { $0["scope"] = .string(first.rawValue + "x") },
                status: .forbidden,
                code: "insufficient_scope"
            ),
        ]
    }
}
