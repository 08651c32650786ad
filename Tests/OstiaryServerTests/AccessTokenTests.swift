import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("An access token against a policy")
struct AccessTokenTests {
    private func verdict(
        _ token: String,
        policy: AccessTokenPolicy = Fixtures.policy(),
        keys: JSONWebKeySet = Fixtures.keys,
        now: Date = Fixtures.now
    ) -> AccessTokenVerdict {
        AccessTokenVerifier(policy).verify(token, by: keys, now: now)
    }

    /// The check that rejects a token which is valid but for the changes; `nil` when it is accepted.
    private func refusal(
        policy: AccessTokenPolicy = Fixtures.policy(),
        _ change: (inout JSONObject) -> Void
    ) -> AccessTokenRefusal.Check? {
        verdict(Fixtures.token(changing: change), policy: policy).check
    }

    @Test("A valid access token is accepted, with its subject, client, scopes and times")
    func good() throws {
        let token = try #require(verdict(Fixtures.token()).token)
        #expect(token.issuer == Fixtures.issuerText)
        #expect(token.subject == "alice" && token.clientID == "app" && token.tokenID == "token-1")
        #expect(token.scopes == ["orders:read", "profile"])
        #expect(token.issuedAt == Fixtures.now && token.expiry == Fixtures.now.addingTimeInterval(300))
        #expect(token.principal == .resourceOwner("alice"))
    }

    @Test("An access token whose subject is its client belongs to the client")
    func client() throws {
        let token = try #require(verdict(Fixtures.token { $0["sub"] = "app" }).token)
        #expect(token.principal == .client("app"))
    }

    @Test(
        "An access token's typ is accepted in both spellings and any case",
        arguments: ["at+jwt", "AT+JWT", "application/at+jwt"]
    )
    func type(_ type: String) { #expect(verdict(Fixtures.token(type: type)).check == nil) }

    @Test(
        "An ID token, logout token, proof or token without typ is rejected as an access token",
        arguments: ["JWT", nil, "logout+jwt", "dpop+jwt", "secevent+jwt", "at+jwt+x", ""]
    )
    func otherType(_ type: String?) { #expect(verdict(Fixtures.token(type: type)).check == .type) }

    @Test("Text that is no signed access token is rejected", arguments: ["", "x", "a.b", "e30.e30.e30", "a.b.c.d.e"])
    func form(_ text: String) { #expect(verdict(text).check == .form) }

    @Test("An access token of more than 16 KiB is rejected")
    func size() {
        #expect(verdict(Fixtures.token { $0["x"] = .string(String(repeating: "x", count: 16_384)) }).check == .form)
    }

    @Test("An access token with an algorithm that the policy does not name is rejected, although the key exists")
    func algorithm() {
        let token = Fixtures.token(by: Fixtures.rsaKey)
        #expect(verdict(token).check == nil)
        #expect(verdict(token, policy: Fixtures.policy(algorithms: [.es256])).check == .algorithm)
    }

    @Test(
        "An access token that is unsigned, or signed with a shared secret, is rejected",
        arguments: ["none", "HS256"]
    )
    func unsupportedAlgorithm(_ name: String) {
        let header: JSONObject = ["alg": .string(name), "typ": "at+jwt"]
        let token = [header.encoded(), Fixtures.claims.encoded(), name == "none" ? [] : [1]].map(Base64URL.encode)
        #expect(verdict(token.joined(separator: ".")).check == .algorithm)
    }

    @Test("An access token with a critical header extension is rejected")
    func critical() {
        let header: JSONObject = ["alg": "ES256", "typ": "at+jwt", "crit": ["exp"]]
        let token = [header.encoded(), Fixtures.claims.encoded(), [1]].map(Base64URL.encode)
        #expect(verdict(token.joined(separator: ".")).check == .critical)
    }

    @Test("An access token signed by an unknown key is rejected")
    func key() { #expect(verdict(Fixtures.token(by: Fixtures.newKey)).check == .key) }

    @Test("An access token that was changed after signing is rejected")
    func signature() {
        var parts = Fixtures.token().split(separator: ".")
        let other = Fixtures.token { $0["sub"] = "mallory" }.split(separator: ".")
        parts[1] = other[1]
        #expect(verdict(parts.joined(separator: ".")).check == .signature)
    }

    @Test(
        "An access token of another issuer is rejected",
        arguments: ["https://id.example.com/", "https://ID.example.com", "https://evil.example.com", nil, 1]
            as [JSONValue?]
    )
    func issuer(_ value: JSONValue?) { #expect(refusal { $0["iss"] = value } == .issuer) }

    @Test(
        "An access token for another resource server is rejected",
        arguments: [
            "https://api.example.com/", "app", nil, 1, [], ["https://other.example.com"],
            ["https://api.example.com", 1],
        ] as [JSONValue?]
    )
    func audience(_ value: JSONValue?) { #expect(refusal { $0["aud"] = value } == .audience) }

    @Test("An access token for several resource servers is accepted by each")
    func audienceArray() {
        #expect(refusal { $0["aud"] = ["https://other.example.com", .string(Fixtures.audience)] } == nil)
    }

    @Test(
        "An access token that is expired, beyond the tolerance, or without an expiry is rejected",
        arguments: [0.0, 30, 60]
    )
    func expiry(tolerance: Double) {
        let policy = Fixtures.policy(tolerance: .seconds(tolerance))
        let token = Fixtures.token()
        let end = Fixtures.now.addingTimeInterval(300 + tolerance)
        #expect(verdict(token, policy: policy, now: end).check == .expiry)
        #expect(verdict(token, policy: policy, now: end.addingTimeInterval(-1)).check == nil)
        #expect(refusal { $0["exp"] = nil } == .expiry)
        #expect(refusal { $0["exp"] = "1900000000" } == .expiry)
    }

    @Test("An access token that is not valid yet is rejected")
    func notBefore() {
        #expect(refusal { $0["nbf"] = .integer(Fixtures.time + 31) } == .notBefore)
        #expect(refusal { $0["nbf"] = .integer(Fixtures.time + 30) } == nil)
        #expect(refusal { $0["nbf"] = "now" } == .notBefore)
    }

    @Test("An access token from the future, or without iat, is rejected")
    func issuedAt() {
        #expect(refusal { $0["iat"] = .integer(Fixtures.time + 31) } == .issuedAt)
        #expect(refusal { $0["iat"] = .number(Double(Fixtures.time) + 30) } == nil)
        #expect(refusal { $0["iat"] = nil } == .issuedAt)
        #expect(refusal { $0["iat"] = "now" } == .issuedAt)
    }

    @Test(
        "An access token without sub, client_id or jti is rejected",
        arguments: [("sub", .subject), ("client_id", .clientID), ("jti", .tokenID)]
            as [(String, AccessTokenRefusal.Check)]
    )
    func identifiers(_ name: String, _ check: AccessTokenRefusal.Check) {
        for value in [nil, "", 1, .null] as [JSONValue?] { #expect(refusal { $0[name] = value } == check) }
    }

    @Test("A bound access token is rejected as a bearer token")
    func confirmation() {
        #expect(refusal { $0["cnf"] = ["jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"] } == .confirmation)
        #expect(refusal { $0["cnf"] = .null } == .confirmation)
    }

    @Test(
        "An access token without every required scope is rejected with 403",
        arguments: [nil, "", "orders", "orders:read:all", "ORDERS:READ", ["orders:read"], 1] as [JSONValue?]
    )
    func scope(_ value: JSONValue?) {
        let refused = verdict(Fixtures.token { $0["scope"] = value }).refusal
        #expect(refused?.check == .scope && refused?.code == .insufficientScope && refused?.status == .forbidden)
    }

    @Test("A policy without required scopes accepts any token, and one with two scopes requires both")
    func scopes() throws {
        #expect(refusal(policy: Fixtures.policy(scopes: [])) { $0["scope"] = nil } == nil)
        let both = try Fixtures.policy().requiring(["orders:write"])
        #expect(refusal(policy: both) { _ in } == .scope)
        #expect(refusal(policy: both) { $0["scope"] = "orders:write orders:read" } == nil)
    }

    @Test("A scope that only looks like the required one is rejected")
    func scopeLookalike() {
        #expect(refusal(policy: Fixtures.policy(scopes: ["K"])) { $0["scope"] = "\u{212A}" } == .scope)
    }

    @Test("An access token with several faults is rejected with 401, not with the missing scopes")
    func order() {
        let refused = verdict(
            Fixtures.token {
                $0["scope"] = nil
                $0["exp"] = 1
            }
        ).refusal
        #expect(refused?.check == .expiry && refused?.code == .invalidToken && refused?.status == .unauthorized)
    }

    @Test("An invalid access token policy is refused when it is made")
    func configuration() {
        func isRefused(_ make: () throws(SignInError) -> AccessTokenPolicy) -> Bool {
            do throws(SignInError) {
                _ = try make()
                return false
            } catch {
                if case .configuration = error.reason { return error.stage == .token }
                return false
            }
        }
        let issuer = Fixtures.issuer
        #expect(isRefused { () throws(SignInError) in try AccessTokenPolicy(issuer: issuer, audience: "") })
        for scope in ["", "a b", "\"", "\\", "é"] as [Scope] {
            #expect(
                isRefused { () throws(SignInError) in
                    try AccessTokenPolicy(issuer: issuer, audience: "a", requiredScopes: [scope])
                }
            )
        }
        #expect(
            isRefused { () throws(SignInError) in try AccessTokenPolicy(issuer: issuer, audience: "a", algorithms: []) }
        )
        for tolerance in [Duration.seconds(-1), .seconds(61)] {
            #expect(
                isRefused { () throws(SignInError) in
                    try AccessTokenPolicy(issuer: issuer, audience: "a", clockTolerance: tolerance)
                }
            )
        }
    }

    @Test("Printing an access token shows no claim")
    func description() throws {
        let token = try #require(verdict(Fixtures.token()).token)
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped, "\(AccessTokenVerdict.accepted(token))"] {
            #expect(!text.contains("alice") && !text.contains(token.compact.reveal()))
        }
    }
}

extension AccessTokenVerdict {
    var token: VerifiedAccessToken? { if case .accepted(let token) = self { token } else { nil } }
    var refusal: AccessTokenRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
    var check: AccessTokenRefusal.Check? { refusal?.check }
}
