import Foundation
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("The ID token of a sign-in")
struct IDTokenTests {
    private let time = Int(Fixtures.now.timeIntervalSince1970)

    private func failure(
        _ request: AuthorizationRequest = AuthorizationRequest(),
        policy: Client.ValidationPolicy = Client.ValidationPolicy(),
        _ change: (inout JSONObject) -> Void
    ) -> SignInError? {
        signInError { _ = try Fixtures.signIn(request, client: Fixtures.client(validation: policy), changing: change) }
    }

    @Test("A valid ID token is accepted, with its subject and issuer")
    func good() throws {
        let tokens = try Fixtures.signIn()
        #expect(tokens.identity?.subject == "alice")
        #expect(tokens.identity?.issuer == Fixtures.issuerText)
        #expect(tokens.accessToken.reveal() == Fixtures.accessToken)
        #expect(tokens.expiry == Fixtures.now.addingTimeInterval(900))
    }

    @Test("The profile claims of an ID token are read by name")
    func profile() throws {
        let user = try Fixtures.signIn(changing: {
            $0["name"] = "Alice"
            $0["preferred_username"] = "al"
            $0["email"] = "alice@example.com"
            $0["email_verified"] = "true"
            $0["picture"] = "https://example.com/alice.png"
        }).identity
        #expect(user?.name == "Alice" && user?.preferredUsername == "al" && user?.email == "alice@example.com")
        #expect(user?.isEmailVerified == true && user?.picture?.absoluteString == "https://example.com/alice.png")
        let other = try Fixtures.signIn(changing: {
            $0["name"] = 1
            $0["email_verified"] = "yes"
            $0["picture"] = "javascript:alert(1)"
        }).identity
        #expect(other?.name == nil && other?.preferredUsername == nil && other?.email == nil)
        #expect(other?.isEmailVerified == false && other?.picture == nil)
    }

    @Test(
        "An ID token of another issuer is rejected",
        arguments: [.string("https://id.example.com1"), .string("https://id.example.com/"), nil, .integer(1)]
            as [JSONValue?]
    )
    func issuer(_ value: JSONValue?) { #expect(failure { $0["iss"] = value } == mismatch(.identity, .issuer)) }

    @Test(
        "An ID token whose audience lacks this client is rejected",
        arguments: [
            .string("app1"), nil, .array([]), .integer(1), .array([.string("other")]),
            .array([.string("app"), .integer(1)]),
        ] as [JSONValue?]
    )
    func audience(_ value: JSONValue?) { #expect(failure { $0["aud"] = value } == mismatch(.identity, .audience)) }

    @Test("An ID token for this client alone, as an array, is accepted")
    func audienceArray() { #expect(failure { $0["aud"] = .array(["app"]) } == nil) }

    @Test("An ID token with another audience beside this client is rejected, with azp and without")
    func otherAudience() {
        #expect(failure { $0["aud"] = .array(["app", "app1"]) } == mismatch(.identity, .audience))
        #expect(
            failure {
                $0["aud"] = .array(["app", "app1"])
                $0["azp"] = "app"
            } == mismatch(.identity, .audience)
        )
    }

    @Test("An ID token with a trusted audience beside this client needs azp")
    func trustedAudience() {
        let policy = Client.ValidationPolicy(trustedAudiences: ["api"])
        #expect(
            failure(policy: policy) { $0["aud"] = .array(["app", "api"]) } == mismatch(.identity, .authorizedParty)
        )
        #expect(
            failure(policy: policy) {
                $0["aud"] = .array(["app", "api"])
                $0["azp"] = "app"
            } == nil
        )
    }

    @Test(
        "An ID token whose azp is another client is rejected, also with one audience",
        arguments: ["other", .integer(1), .null] as [JSONValue]
    )
    func authorizedParty(_ value: JSONValue) {
        #expect(failure { $0["azp"] = value } == mismatch(.identity, .authorizedParty))
    }

    @Test(
        "An ID token without a subject, or with an invalid one, is rejected",
        arguments: [nil, "", .integer(7), .string(String(repeating: "x", count: 256))] as [JSONValue?]
    )
    func subject(_ value: JSONValue?) { #expect(failure { $0["sub"] = value } == mismatch(.identity, .subject)) }

    @Test("An ID token's names are compared by code points, so similar ones differ")
    func canonicalEquivalence() throws {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        let client = Fixtures.client(id: composed)
        func failure(_ change: (inout JSONObject) -> Void) -> SignInError? {
            signInError { _ = try Fixtures.signIn(client: client, changing: change) }
        }
        #expect(failure { $0["aud"] = .string(composed) } == nil)
        #expect(failure { $0["aud"] = .string(decomposed) } == mismatch(.identity, .audience))
        #expect(
            failure { $0["aud"] = .array([.string(composed), .string(decomposed)]) } == mismatch(.identity, .audience)
        )
        #expect(
            failure {
                $0["aud"] = .string(composed)
                $0["azp"] = .string(decomposed)
            } == mismatch(.identity, .authorizedParty)
        )
        let tokens = try Fixtures.signIn(changing: { $0["sub"] = .string(composed) })
        let error = signInError { _ = try Fixtures.refresh(tokens, changing: { $0["sub"] = .string(decomposed) }) }
        #expect(error == mismatch(.identity, .subject))
    }

    @Test("An ID token that is expired, or without an expiry, is rejected")
    func expiry() {
        #expect(failure { $0["exp"] = nil } == mismatch(.identity, .expiry))
        #expect(failure { $0["exp"] = "soon" } == mismatch(.identity, .expiry))
        #expect(
            failure {
                $0["iat"] = .integer(time - 100)
                $0["exp"] = .integer(time - 30)
            } == mismatch(.identity, .expiry)
        )
        #expect(
            failure {
                $0["iat"] = .integer(time - 100)
                $0["exp"] = .integer(time - 29)
            } == nil
        )
    }

    @Test("An ID token that expires before it was issued is rejected")
    func expiryBeforeIssue() {
        #expect(
            failure {
                $0["iat"] = .integer(time + 20)
                $0["exp"] = .integer(time + 10)
            } == mismatch(.identity, .expiry)
        )
    }

    @Test("An ID token that is not valid yet is rejected")
    func notBefore() {
        #expect(failure { $0["nbf"] = .integer(time + 31) } == mismatch(.identity, .notBefore))
        #expect(failure { $0["nbf"] = "now" } == mismatch(.identity, .notBefore))
        #expect(failure { $0["nbf"] = .integer(time + 30) } == nil)
    }

    @Test("An ID token without iat, from the future, or too old is rejected")
    func issuedAt() {
        #expect(failure { $0["iat"] = nil } == mismatch(.identity, .issuedAt))
        #expect(failure { $0["iat"] = .integer(time + 31) } == mismatch(.identity, .issuedAt))
        #expect(failure { $0["iat"] = .integer(time - 631) } == mismatch(.identity, .issuedAt))
        #expect(failure { $0["iat"] = .integer(time - 7 * 86_400) } == mismatch(.identity, .issuedAt))
        #expect(failure { $0["iat"] = .integer(time - 630) } == nil)
    }

    @Test("An ID token's dates with a fraction are read")
    func floatDates() {
        #expect(
            failure {
                $0["iat"] = .number(Double(time) + 0.25)
                $0["exp"] = .number(Double(time) + 300.75)
            } == nil
        )
    }

    @Test("An ID token with another or a missing nonce is rejected")
    func nonce() {
        #expect(failure { $0["nonce"] = .string(($0["nonce"]?.string ?? "") + "1") } == mismatch(.identity, .nonce))
        #expect(failure { $0["nonce"] = nil } == mismatch(.identity, .nonce))
        #expect(failure { $0["nonce"] = .integer(1) } == mismatch(.identity, .nonce))
    }

    @Test("An ID token with a nonce that was not sent is rejected")
    func unexpectedNonce() {
        #expect(failure(AuthorizationRequest(scopes: ["api"])) { $0["nonce"] = "x" } == mismatch(.identity, .nonce))
        #expect(failure(AuthorizationRequest(scopes: ["api"])) { _ in } == nil)
    }

    @Test("With max_age an ID token needs an auth_time that is recent enough")
    func authenticationTime() {
        let request = AuthorizationRequest(maximumAge: .seconds(60))
        #expect(failure(request) { _ in } == mismatch(.identity, .authenticationTime))
        #expect(failure(request) { $0["auth_time"] = .integer(time - 91) } == mismatch(.identity, .authenticationTime))
        #expect(failure(request) { $0["auth_time"] = .integer(time - 90) } == nil)
        #expect(failure { $0["auth_time"] = "today" } == mismatch(.identity, .authenticationTime))
    }

    @Test("A required authentication context must be in the ID token, and a preferred one need not")
    func authenticationContext() {
        let required = AuthorizationRequest(authenticationContext: .required(["gold", "silver"]))
        #expect(failure(required) { _ in } == mismatch(.identity, .authenticationContext))
        #expect(failure(required) { $0["acr"] = "bronze" } == mismatch(.identity, .authenticationContext))
        #expect(failure(required) { $0["acr"] = "silver" } == nil)
        #expect(
            failure(AuthorizationRequest(authenticationContext: .preferred(["gold"]))) { $0["acr"] = "bronze" } == nil
        )
    }

    @Test("A client can require at_hash, at sign-in and at refresh")
    func requiredAccessTokenHash() throws {
        let client = Fixtures.client(validation: Client.ValidationPolicy(requiresAccessTokenHash: true))
        #expect(
            signInError { _ = try Fixtures.signIn(client: client) } == mismatch(.identity, .accessTokenHash)
        )
        let right = HashAlgorithm.sha256.leftHalf(of: Fixtures.accessToken)
        let tokens = try Fixtures.signIn(client: client, changing: { $0["at_hash"] = .string(right) })
        #expect(
            signInError { _ = try Fixtures.refresh(tokens, client: client) } == mismatch(.identity, .accessTokenHash)
        )
    }

    @Test("An ID token with another at_hash is rejected, and one with the right or no at_hash is accepted")
    func accessTokenHash() {
        let right = HashAlgorithm.sha256.leftHalf(of: Fixtures.accessToken)
        #expect(failure { $0["at_hash"] = .string(right) } == nil)
        #expect(failure { $0["at_hash"] = .string(right + "1") } == mismatch(.identity, .accessTokenHash))
        #expect(
            failure { $0["at_hash"] = .string(HashAlgorithm.sha512.leftHalf(of: Fixtures.accessToken)) }
                == mismatch(.identity, .accessTokenHash)
        )
        #expect(failure { $0["at_hash"] = .integer(1) } == mismatch(.identity, .accessTokenHash))
    }

    @Test(
        "With EdDSA an at_hash of SHA-512 or SHA-256 is accepted, and no other",
        arguments: [HashAlgorithm.sha512, .sha256]
    )
    func edwardsHash(_ hash: HashAlgorithm) throws {
        let key = try SigningKey.generate(.edDSA, keyID: "ed")
        func attempt(_ token: String) -> SignInError? {
            signInError {
                _ = try Fixtures.signIn(
                    key: key,
                    keys: JSONWebKeySet([key.publicKey]),
                    changing: { $0["at_hash"] = .string(hash.leftHalf(of: token)) }
                )
            }
        }
        #expect(attempt(Fixtures.accessToken) == nil)
        #expect(attempt("another") == mismatch(.identity, .accessTokenHash))
    }

    @Test(
        "A token response without an ID token is rejected when openid was requested",
        arguments: [nil, .null] as [JSONValue?]
    )
    func missing(_ value: JSONValue?) {
        #expect(
            signInError { _ = try Fixtures.signIn(response: { $0["id_token"] = value }) }
                == mismatch(.identity, .idToken)
        )
    }

    @Test("A token response without an ID token is accepted when openid was not requested")
    func notAskedFor() throws {
        let tokens = try Fixtures.signIn(AuthorizationRequest(scopes: ["api"]), response: { $0["id_token"] = nil })
        #expect(tokens.identity == nil)
    }

    @Test(
        "A token of another type that the issuer signed is rejected as an ID token",
        arguments: ["at+jwt", "logout+jwt", "secevent+jwt", "dpop+JWT"]
    )
    func type(_ type: String) {
        #expect(signInError { _ = try Fixtures.signIn(type: type) } == mismatch(.identity, .type))
    }

    @Test("An ID token without typ is accepted, and a nested token is rejected")
    func header() {
        #expect(signInError { _ = try Fixtures.signIn(type: nil) } == nil)
        #expect(signInError { _ = try Fixtures.signIn(extraHeader: ["cty": "JWT"]) } == mismatch(.identity, .type))
    }

    @Test("An ID token with a critical header extension is rejected")
    func critical() {
        let error = signInError {
            _ = try Fixtures.signIn(response: {
                let claims = $0["id_token"]!.string!.split(separator: ".")[1]
                let header: JSONObject = ["alg": "ES256", "kid": "key-1", "crit": .array(["exp"]), "exp": 1]
                let input = Base64URL.encode(header.encoded()) + "." + claims
                let signature = try! Fixtures.key.signature(for: Array(input.utf8))
                $0["id_token"] = .string(input + "." + Base64URL.encode(signature))
            })
        }
        #expect(error == mismatch(.identity, .critical))
    }

    @Test("An ID token signed by a key that is not the issuer's is rejected, whatever its kid")
    func key() throws {
        let impostor = try SigningKey.generate(.es256, keyID: "key-1")
        #expect(signInError { _ = try Fixtures.signIn(key: Fixtures.otherKey) } == mismatch(.identity, .key))
        #expect(signInError { _ = try Fixtures.signIn(key: impostor) } == mismatch(.identity, .signature))
    }

    @Test("An ID token whose signature differs in one bit is rejected")
    func signature() throws {
        let error = signInError {
            _ = try Fixtures.signIn(response: {
                let parts = $0["id_token"]!.string!.split(separator: ".").map(String.init)
                let bytes = try! Base64URL.decode(parts[2]).map { $0 ^ 0x5A }
                $0["id_token"] = .string(parts[0] + "." + parts[1] + "." + Base64URL.encode(bytes))
            })
        }
        #expect(error == mismatch(.identity, .signature))
    }

    @Test("An ID token whose claims were changed after signing is rejected")
    func changedClaims() {
        let error = signInError {
            _ = try Fixtures.signIn(response: {
                let parts = $0["id_token"]!.string!.split(separator: ".").map(String.init)
                var claims = try! JSONObject(parsing: try! Base64URL.decode(parts[1]))
                claims["sub"] = "mallory"
                $0["id_token"] = .string(parts[0] + "." + Base64URL.encode(claims.encoded()) + "." + parts[2])
            })
        }
        #expect(error == mismatch(.identity, .signature))
    }

    @Test(
        "An ID token that is unsigned, or signed with a shared secret, is rejected",
        arguments: ["none", "None", "HS256"]
    )
    func unsigned(_ algorithm: String) {
        let error = signInError {
            _ = try Fixtures.signIn(response: {
                let parts = $0["id_token"]!.string!.split(separator: ".").map(String.init)
                let header: JSONObject = ["alg": .string(algorithm), "kid": "key-1"]
                $0["id_token"] = .string(
                    Base64URL.encode(header.encoded()) + "." + parts[1] + "." + (algorithm == "HS256" ? parts[2] : "")
                )
            })
        }
        #expect(error == mismatch(.identity, .algorithm))
    }

    @Test("An ID token with an algorithm that the client does not allow is rejected, although the key is valid")
    func algorithm() {
        let policy = Client.ValidationPolicy(idTokenAlgorithms: [.ps256, .edDSA])
        #expect(failure(policy: policy) { _ in } == mismatch(.identity, .algorithm))
    }

    @Test("A rejected algorithm's error names the allowed algorithms and the setting that decides")
    func algorithmSentence() {
        let policy = Client.ValidationPolicy(idTokenAlgorithms: [.ps256, .edDSA])
        let error = failure(policy: policy) { _ in }
        #expect(error?.evidence?.expected == "EdDSA PS256")
        #expect(error?.message.hasPrefix("The signature's algorithm is not allowed (alg); found: ") == true)
        #expect(error?.message.contains("Client.ValidationPolicy.idTokenAlgorithms excludes it") == true)
        var server = Fixtures.server
        server.idTokenSigningAlgorithms = [.rs256]
        let contradicting = signInError { _ = try Fixtures.signIn(server: server) }
        #expect(contradicting?.message.hasSuffix("allowed: RS256.") == true, "The client's settings are not at fault.")
        #expect(error != SignInError(.identity, .mismatch(.signature)))
    }

    @Test("An ID token with an algorithm that the metadata does not list is rejected, although the key is valid")
    func metadataAlgorithm() {
        var server = Fixtures.server
        server.idTokenSigningAlgorithms = [.rs256]
        #expect(signInError { _ = try Fixtures.signIn(server: server) } == mismatch(.identity, .algorithm))
    }

    @Test("Text that is no ID token is rejected", arguments: ["a.b", "a.b.c.d", "....", "x"])
    func malformed(_ text: String) {
        let error = signInError { _ = try Fixtures.signIn(response: { $0["id_token"] = .string(text) }) }
        #expect(error?.stage == .identity)
        #expect(error?.reason == .malformed("the token is not a JSON Web Token"))
    }

    @Test("A clock tolerance is limited to the range from 0 to 300 seconds")
    func tolerance() {
        #expect(Client.ValidationPolicy(clockTolerance: .seconds(3600)).clockTolerance == .seconds(300))
        #expect(Client.ValidationPolicy(clockTolerance: .seconds(-5)).clockTolerance == .zero)
        var policy = Client.ValidationPolicy()
        policy.clockTolerance = .seconds(900)
        #expect(policy.clockTolerance == .seconds(300))
    }
}
