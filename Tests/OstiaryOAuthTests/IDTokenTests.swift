import Foundation
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("The ID token of a sign-in")
struct IDTokenTests {
    private let time = Int(Fixtures.now.timeIntervalSince1970)

    private func failure(
        _ request: AuthorizationRequest = AuthorizationRequest(),
        policy: ValidationPolicy = ValidationPolicy(),
        _ change: (inout JSONObject) -> Void
    ) -> SignInError? {
        signInError { _ = try Fixtures.signIn(request, client: Fixtures.client(validation: policy), changing: change) }
    }

    @Test("A good ID token is accepted, and tells who signed in")
    func good() throws {
        let tokens = try Fixtures.signIn()
        #expect(tokens.identity?.subject == "alice")
        #expect(tokens.identity?.issuer == Fixtures.issuerText)
        #expect(tokens.accessToken.reveal() == Fixtures.accessToken)
        #expect(tokens.expiry == Fixtures.now.addingTimeInterval(900))
    }

    @Test(
        "Another issuer is refused",
        arguments: [.string("https://id.example.com1"), .string("https://id.example.com/"), nil, .integer(1)]
            as [JSONValue?]
    )
    func issuer(_ value: JSONValue?) { #expect(failure { $0["iss"] = value } == mismatch(.identity, .issuer)) }

    @Test(
        "An audience without this client is refused",
        arguments: [
            .string("app1"), nil, .array([]), .integer(1), .array([.string("other")]),
            .array([.string("app"), .integer(1)]),
        ] as [JSONValue?]
    )
    func audience(_ value: JSONValue?) { #expect(failure { $0["aud"] = value } == mismatch(.identity, .audience)) }

    @Test("An audience of this client alone, as an array, is accepted")
    func audienceArray() { #expect(failure { $0["aud"] = .array(["app"]) } == nil) }

    @Test("Another audience beside this client is refused, with azp and without")
    func otherAudience() {
        #expect(failure { $0["aud"] = .array(["app", "app1"]) } == mismatch(.identity, .audience))
        #expect(
            failure {
                $0["aud"] = .array(["app", "app1"])
                $0["azp"] = "app"
            } == mismatch(.identity, .audience)
        )
    }

    @Test("A trusted audience beside this client needs azp")
    func trustedAudience() {
        let policy = ValidationPolicy(trustedAudiences: ["api"])
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
        "An azp of another client is refused, with one audience, too",
        arguments: ["other", .integer(1), .null] as [JSONValue]
    )
    func authorizedParty(_ value: JSONValue) {
        #expect(failure { $0["azp"] = value } == mismatch(.identity, .authorizedParty))
    }

    @Test(
        "A token about nobody is refused",
        arguments: [nil, "", .integer(7), .string(String(repeating: "x", count: 256))] as [JSONValue?]
    )
    func subject(_ value: JSONValue?) { #expect(failure { $0["sub"] = value } == mismatch(.identity, .subject)) }

    @Test("Names that look alike are not the same: code points are compared")
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

    @Test("An expired token, or one without expiry, is refused")
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

    @Test("An expiry before the time of making is refused")
    func expiryBeforeIssue() {
        #expect(
            failure {
                $0["iat"] = .integer(time + 20)
                $0["exp"] = .integer(time + 10)
            } == mismatch(.identity, .expiry)
        )
    }

    @Test("A token that is not valid yet is refused")
    func notBefore() {
        #expect(failure { $0["nbf"] = .integer(time + 31) } == mismatch(.identity, .notBefore))
        #expect(failure { $0["nbf"] = "now" } == mismatch(.identity, .notBefore))
        #expect(failure { $0["nbf"] = .integer(time + 30) } == nil)
    }

    @Test("A token without a time of making, of the future, or too old is refused")
    func issuedAt() {
        #expect(failure { $0["iat"] = nil } == mismatch(.identity, .issuedAt))
        #expect(failure { $0["iat"] = .integer(time + 31) } == mismatch(.identity, .issuedAt))
        #expect(failure { $0["iat"] = .integer(time - 631) } == mismatch(.identity, .issuedAt))
        #expect(failure { $0["iat"] = .integer(time - 7 * 86_400) } == mismatch(.identity, .issuedAt))
        #expect(failure { $0["iat"] = .integer(time - 630) } == nil)
    }

    @Test("Dates with a fraction are read")
    func floatDates() {
        #expect(
            failure {
                $0["iat"] = .number(Double(time) + 0.25)
                $0["exp"] = .number(Double(time) + 300.75)
            } == nil
        )
    }

    @Test("A nonce of another sign-in, and a missing one, are refused")
    func nonce() {
        #expect(failure { $0["nonce"] = .string(($0["nonce"]?.string ?? "") + "1") } == mismatch(.identity, .nonce))
        #expect(failure { $0["nonce"] = nil } == mismatch(.identity, .nonce))
        #expect(failure { $0["nonce"] = .integer(1) } == mismatch(.identity, .nonce))
    }

    @Test("A nonce that was never sent is refused")
    func unexpectedNonce() {
        #expect(failure(AuthorizationRequest(scopes: ["api"])) { $0["nonce"] = "x" } == mismatch(.identity, .nonce))
        #expect(failure(AuthorizationRequest(scopes: ["api"])) { _ in } == nil)
    }

    @Test("With a maximum age the token has to say when the person authenticated, and recently enough")
    func authenticationTime() {
        let request = AuthorizationRequest(maximumAge: 60)
        #expect(failure(request) { _ in } == mismatch(.identity, .authenticationTime))
        #expect(failure(request) { $0["auth_time"] = .integer(time - 91) } == mismatch(.identity, .authenticationTime))
        #expect(failure(request) { $0["auth_time"] = .integer(time - 90) } == nil)
        #expect(failure { $0["auth_time"] = "today" } == mismatch(.identity, .authenticationTime))
    }

    @Test("A required authentication context has to be in the token; a preferred one need not")
    func authenticationContext() {
        let required = AuthorizationRequest(authenticationContext: .required(["gold", "silver"]))
        #expect(failure(required) { _ in } == mismatch(.identity, .authenticationContext))
        #expect(failure(required) { $0["acr"] = "bronze" } == mismatch(.identity, .authenticationContext))
        #expect(failure(required) { $0["acr"] = "silver" } == nil)
        #expect(
            failure(AuthorizationRequest(authenticationContext: .preferred(["gold"]))) { $0["acr"] = "bronze" } == nil
        )
    }

    @Test("A client may insist on an at_hash, at sign-in and at refresh")
    func requiredAccessTokenHash() throws {
        let client = Fixtures.client(validation: ValidationPolicy(requiresAccessTokenHash: true))
        #expect(
            signInError { _ = try Fixtures.signIn(client: client) } == mismatch(.identity, .accessTokenHash)
        )
        let right = HashAlgorithm.sha256.leftHalf(of: Fixtures.accessToken)
        let tokens = try Fixtures.signIn(client: client, changing: { $0["at_hash"] = .string(right) })
        #expect(
            signInError { _ = try Fixtures.refresh(tokens, client: client) } == mismatch(.identity, .accessTokenHash)
        )
    }

    @Test("An at_hash of another access token is refused; a right one and none are accepted")
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
        "With EdDSA an at_hash of SHA-512 or of SHA-256 is accepted, and no other",
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

    @Test("No ID token is refused when openid was asked for", arguments: [nil, .null] as [JSONValue?])
    func missing(_ value: JSONValue?) {
        #expect(
            signInError { _ = try Fixtures.signIn(response: { $0["id_token"] = value }) }
                == mismatch(.identity, .idToken)
        )
    }

    @Test("No ID token is accepted when openid was not asked for")
    func notAskedFor() throws {
        let tokens = try Fixtures.signIn(AuthorizationRequest(scopes: ["api"]), response: { $0["id_token"] = nil })
        #expect(tokens.identity == nil)
    }

    @Test(
        "A token of another kind is refused though the issuer signed it",
        arguments: ["at+jwt", "logout+jwt", "secevent+jwt", "dpop+JWT"]
    )
    func type(_ type: String) {
        #expect(signInError { _ = try Fixtures.signIn(type: type) } == mismatch(.identity, .type))
    }

    @Test("A token without typ is accepted; one that holds another token is refused")
    func header() {
        #expect(signInError { _ = try Fixtures.signIn(type: nil) } == nil)
        #expect(signInError { _ = try Fixtures.signIn(extraHeader: ["cty": "JWT"]) } == mismatch(.identity, .type))
    }

    @Test("A header extension that has to be understood is refused")
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

    @Test("A key that is not the issuer's is refused, whatever its name")
    func key() throws {
        let impostor = try SigningKey.generate(.es256, keyID: "key-1")
        #expect(signInError { _ = try Fixtures.signIn(key: Fixtures.otherKey) } == mismatch(.identity, .key))
        #expect(signInError { _ = try Fixtures.signIn(key: impostor) } == mismatch(.identity, .signature))
    }

    @Test("A signature with another bit is refused")
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

    @Test("Claims that were changed after signing are refused")
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

    @Test("An unsigned token, and one signed with a shared secret, are refused", arguments: ["none", "None", "HS256"])
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

    @Test("An algorithm that the client does not allow is refused though the key is good")
    func algorithm() {
        let policy = ValidationPolicy(idTokenAlgorithms: [.ps256, .edDSA])
        #expect(failure(policy: policy) { _ in } == mismatch(.identity, .algorithm))
    }

    @Test("A refused algorithm is told with the allowed ones and the setting that decides")
    func algorithmSentence() {
        let policy = ValidationPolicy(idTokenAlgorithms: [.ps256, .edDSA])
        let error = failure(policy: policy) { _ in }
        #expect(error?.evidence?.expected == "EdDSA PS256")
        #expect(error?.message.hasPrefix("The signature's algorithm is not allowed (alg); found: ") == true)
        #expect(error?.message.contains("ValidationPolicy.idTokenAlgorithms excludes it") == true)
        var server = Fixtures.server
        server.idTokenSigningAlgorithms = [.rs256]
        let contradicting = signInError { _ = try Fixtures.signIn(server: server) }
        #expect(contradicting?.message.hasSuffix("allowed: RS256.") == true, "The client's settings are not at fault.")
        #expect(error != SignInError(.identity, .mismatch(.signature)))
    }

    @Test("An algorithm that the metadata does not list is refused though the key is good")
    func metadataAlgorithm() {
        var server = Fixtures.server
        server.idTokenSigningAlgorithms = [.rs256]
        #expect(signInError { _ = try Fixtures.signIn(server: server) } == mismatch(.identity, .algorithm))
    }

    @Test("Text that is no token is refused", arguments: ["a.b", "a.b.c.d", "....", "x"])
    func malformed(_ text: String) {
        let error = signInError { _ = try Fixtures.signIn(response: { $0["id_token"] = .string(text) }) }
        #expect(error?.stage == .identity)
        #expect(error?.reason == .malformed("the token is not a JSON Web Token"))
    }

    @Test("No tolerance is larger than a minute, and none is negative")
    func tolerance() {
        #expect(ValidationPolicy(clockTolerance: 3600).clockTolerance == 300)
        #expect(ValidationPolicy(clockTolerance: -5).clockTolerance == 0)
        var policy = ValidationPolicy()
        policy.clockTolerance = 900
        #expect(policy.clockTolerance == 300)
    }
}
