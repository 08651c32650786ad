import Foundation
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("Signed statements about persons")
struct IdentityTests {
    private static let claims: JSONObject = [
        "iss": .string(Fixtures.issuerText), "aud": "app", "sub": "alice", "exp": .integer(Fixtures.time + 60),
        "iat": .integer(Fixtures.time), "auth_time": .integer(Fixtures.time - 10), "client_id": "app", "verified": true,
        "amr": ["otp", "pwd"], "acr": "urn:strong",
    ]

    private func failure(
        type: String? = "JWT",
        by key: SigningKey = Fixtures.key,
        maximumAge: Int? = 60,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> IdentityFailure? {
        let policy = try IdentityPolicy(
            issuer: Fixtures.issuer,
            audience: "app",
            algorithms: [.es256],
            claims: ["verified": true, "acr": "urn:strong"],
            methods: ["otp"],
            maximumAge: maximumAge
        )
        let verifier = try IdentityVerifier(
            policy: policy,
            keys: KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport())
        )
        var claims = Self.claims
        change(&claims)
        let compact = Secret(try key.sign(claims: claims, type: type))
        do throws(IdentityFailure) {
            let identity = try verifier.verify(compact, by: Fixtures.keys, now: Fixtures.now)
            #expect(identity.subject == "alice")
            return nil
        } catch {
            return error
        }
    }

    @Test("One that holds is taken, with or without a type", arguments: ["JWT", nil, "jwt"])
    func good(_ type: String?) throws { #expect(try failure(type: type) == nil) }

    @Test("Tokens of other kinds are refused", arguments: ["at+jwt", "logout+jwt", "dpop+jwt"])
    func type(_ type: String) throws { #expect(try failure(type: type) == .refused(.type)) }

    @Test(
        "A claim that is not right is named",
        arguments: [
            ("iss", JSONValue.string("https://evil.example"), IdentityFailure.Check.issuer),
            ("aud", "other", .audience),
            ("aud", nil, .audience), ("azp", "other", .party), ("client_id", "other", .party),
            ("exp", .integer(Fixtures.time - 31), .expiry), ("exp", nil, .expiry), ("exp", "x", .expiry),
            ("nbf", .integer(Fixtures.time + 31), .notBefore), ("iat", .integer(Fixtures.time + 31), .issuedAt),
            ("sub", "", .subject), ("sub", nil, .subject), ("verified", "true", .claim), ("verified", nil, .claim),
            ("acr", "urn:weak", .claim), ("amr", ["pwd"], .method), ("amr", "otp", .method), ("amr", nil, .method),
            ("auth_time", nil, .authenticationTime), ("auth_time", .integer(Fixtures.time - 91), .authenticationTime),
            ("auth_time", .integer(Fixtures.time + 31), .authenticationTime),
        ] as [(String, JSONValue?, IdentityFailure.Check)]
    )
    func claims(_ name: String, _ value: JSONValue?, _ expected: IdentityFailure.Check) throws {
        #expect(try failure { $0[name] = value } == .refused(expected))
    }

    @Test("For several audiences one has to be named as the party")
    func audiences() throws {
        #expect(try failure { $0["aud"] = ["other", "app"] } == nil)
        #expect(
            try failure {
                $0["aud"] = ["other", "app"]
                $0["client_id"] = nil
            } == .refused(.party)
        )
    }

    @Test("Algorithm, key and signature are checked")
    func signature() throws {
        #expect(try failure(by: Fixtures.rsaKey) == .refused(.algorithm))
        #expect(try failure(by: Fixtures.newKey) == .refused(.key))
    }
}
