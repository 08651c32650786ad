import Foundation
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("Verification of ID tokens")
struct IDTokenVerifierTests {
    private static let claims: JSONObject = [
        "iss": .string(Fixtures.issuerText), "aud": "app", "sub": "alice", "exp": .integer(Fixtures.time + 60),
        "iat": .integer(Fixtures.time), "auth_time": .integer(Fixtures.time - 10), "client_id": "app", "verified": true,
        "amr": ["otp", "pwd"], "acr": "urn:strong",
    ]

    private func failure(
        type: String? = "JWT",
        by key: SigningKey = Fixtures.key,
        time: IDTokenPolicy.AuthenticationTimeRule = .within(.seconds(60)),
        _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> IDTokenFailure? {
        let policy = try IDTokenPolicy(
            issuer: Fixtures.issuer,
            audiences: ["app", "app-2"],
            algorithms: [.es256],
            claims: ["verified": true, "acr": "urn:strong"],
            methods: ["otp"],
            authenticationTime: time
        )
        let verifier = try IDTokenVerifier(
            policy: policy,
            keys: KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport())
        )
        var claims = Self.claims
        change(&claims)
        let compact = Secret(try key.sign(claims: claims, type: type))
        do throws(IDTokenFailure) {
            let identity = try verifier.verify(compact, by: Fixtures.keys, now: Fixtures.now)
            #expect(identity.subject == "alice")
            return nil
        } catch {
            return error
        }
    }

    @Test("A valid ID token is accepted, with or without a typ", arguments: ["JWT", nil, "jwt"])
    func good(_ type: String?) throws { #expect(try failure(type: type) == nil) }

    @Test("A token of another typ is rejected as an ID token", arguments: ["at+jwt", "logout+jwt", "dpop+jwt"])
    func type(_ type: String) throws { #expect(try failure(type: type) == .refused(.type)) }

    @Test(
        "An ID token with a wrong claim is rejected with the claim's check",
        arguments: [
            ("iss", JSONValue.string("https://evil.example"), IDTokenFailure.Check.issuer),
            ("aud", "other", .audience),
            ("aud", nil, .audience), ("azp", "other", .party), ("client_id", "other", .party),
            ("exp", .integer(Fixtures.time - 31), .expiry), ("exp", nil, .expiry), ("exp", "x", .expiry),
            ("nbf", .integer(Fixtures.time + 31), .notBefore), ("iat", .integer(Fixtures.time + 31), .issuedAt),
            ("sub", "", .subject), ("sub", nil, .subject), ("verified", "true", .claim), ("verified", nil, .claim),
            ("acr", "urn:weak", .claim), ("amr", ["pwd"], .method), ("amr", "otp", .method), ("amr", nil, .method),
            ("auth_time", nil, .authenticationTime), ("auth_time", .integer(Fixtures.time - 91), .authenticationTime),
            ("auth_time", .integer(Fixtures.time + 31), .authenticationTime),
        ] as [(String, JSONValue?, IDTokenFailure.Check)]
    )
    func claims(_ name: String, _ value: JSONValue?, _ expected: IDTokenFailure.Check) throws {
        #expect(try failure { $0[name] = value } == .refused(expected))
    }

    @Test("An ID token with several audiences must name one as its party")
    func audiences() throws {
        #expect(try failure { $0["aud"] = ["other", "app"] } == nil)
        #expect(
            try failure {
                $0["aud"] = ["other", "app"]
                $0["client_id"] = nil
            } == .refused(.party)
        )
    }

    @Test("An ID token with a wrong algorithm, key or signature is rejected")
    func signature() throws {
        #expect(try failure(by: Fixtures.rsaKey) == .refused(.algorithm))
        #expect(try failure(by: Fixtures.newKey) == .refused(.key))
    }

    @Test("An ID token with an algorithm that the policy excludes is rejected without a request for keys")
    func algorithmBeforeKeys() async throws {
        let transport = ScriptedTransport()
        let verifier = try IDTokenVerifier(
            policy: IDTokenPolicy(issuer: Fixtures.issuer, audiences: ["app"], algorithms: [.es256]),
            keys: KeySource(issuer: Fixtures.issuer, transport: transport)
        )
        let token = Secret(try Fixtures.rsaKey.sign(claims: Self.claims, type: "JWT"))
        await #expect(throws: IDTokenFailure.refused(.algorithm)) { _ = try await verifier.verify(token) }
        #expect(transport.count(ScriptedTransport.jwks) == 0)
    }

    @Test("An ID token's auth_time is checked where the policy requires it")
    func authenticationTime() throws {
        #expect(try failure(time: .unchecked) { $0["auth_time"] = nil } == nil)
        #expect(try failure(time: .stated) { $0["auth_time"] = nil } == .refused(.authenticationTime))
        #expect(try failure(time: .stated) { $0["auth_time"] = 1 } == nil)
        #expect(
            try failure(time: .stated) { $0["auth_time"] = .integer(Fixtures.time + 31) }
                == .refused(.authenticationTime)
        )
    }

    @Test("Any of the client's identifiers is accepted as audience and as party")
    func identifiers() throws {
        #expect(try failure { $0["aud"] = "app-2" } == nil)
        #expect(try failure { $0["azp"] = "app-2" } == nil)
        #expect(try failure { $0["aud"] = "app-3" } == .refused(.audience))
    }

    @Test(
        "An access token or a logout token is rejected as an ID token",
        arguments: [("typ", "Bearer"), ("typ", "Logout"), ("token_use", "access")]
    )
    func kind(_ name: String, _ value: String) throws {
        #expect(try failure { $0[name] = .string(value) } == .refused(.type))
    }

    // MARK: ID tokens that an app sends

    private func result(
        _ policy: IDTokenPolicy,
        nonce: Secret? = nil,
        _ claims: JSONObject
    ) throws -> Result<VerifiedIDToken, IDTokenFailure> {
        let verifier = try IDTokenVerifier(
            policy: policy,
            keys: KeySource(issuer: policy.issuer, transport: ScriptedTransport())
        )
        var claims = claims
        claims["iat"] = .integer(Fixtures.time)
        claims["exp"] = .integer(Fixtures.time + 300)
        let compact = Secret(try Fixtures.rsaKey.sign(claims: claims, type: "JWT"))
        do throws(IDTokenFailure) {
            return .success(try verifier.verify(compact, nonce: nonce, by: Fixtures.keys, now: Fixtures.now))
        } catch {
            return .failure(error)
        }
    }

    /// https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload, as an Android app requests it.
    private static let google: JSONObject = [
        "iss": "https://accounts.google.com", "azp": "android.apps.googleusercontent.com",
        "aud": "web.apps.googleusercontent.com", "sub": "10769150350006150715113082367", "hd": "example.com",
        "email": "jsmith@example.com", "email_verified": true, "nonce": "n-1",
    ]

    @Test("Google's ID tokens are accepted with both names of the issuer, for the backend's clients")
    func google() throws {
        let clients = ["web.apps.googleusercontent.com", "android.apps.googleusercontent.com"]
        let policy = try IDTokenPolicy.google(clientIDs: clients, claims: ["hd": "example.com"])
        func check(_ change: (inout JSONObject) -> Void) throws -> IDTokenFailure? {
            var claims = Self.google
            change(&claims)
            switch try result(policy, nonce: Secret("n-1"), claims) {
            case .success(let identity):
                #expect(identity.email == "jsmith@example.com" && identity.isEmailVerified)
                #expect(identity.authenticatedAt == nil)
                return nil
            case .failure(let failure): return failure
            }
        }
        #expect(try check { _ in } == nil)
        #expect(try check { $0["iss"] = "accounts.google.com" } == nil)
        #expect(try check { $0["iss"] = "http://accounts.google.com" } == .refused(.issuer))
        #expect(try check { $0["iss"] = "accounts.google.com.evil.example" } == .refused(.issuer))
        #expect(try check { $0["azp"] = "other.apps.googleusercontent.com" } == .refused(.party))
        #expect(try check { $0["aud"] = "other.apps.googleusercontent.com" } == .refused(.audience))
        #expect(try check { $0["hd"] = nil } == .refused(.claim))
        #expect(try check { $0["nonce"] = "n-2" } == .refused(.nonce))
        #expect(try check { $0["nonce"] = nil } == .refused(.nonce))
    }

    @Test("A nonce that the policy requires must be present")
    func nonce() throws {
        let clients = ["web.apps.googleusercontent.com", "android.apps.googleusercontent.com"]
        func failure(_ rule: IDTokenPolicy.NonceRule, _ nonce: Secret?) throws -> IDTokenFailure? {
            if case .failure(let failure) = try result(
                .google(clientIDs: clients, nonce: rule),
                nonce: nonce,
                Self.google
            ) {
                failure
            } else {
                nil
            }
        }
        #expect(try failure(.required, nil) == .refused(.nonce))
        #expect(try failure(.required, Secret("")) == .refused(.nonce))
        #expect(try failure(.required, Secret("n-1")) == nil)
        #expect(try failure(.unused, nil) == nil)
        #expect(try failure(.unused, Secret("n-2")) == .refused(.nonce))
    }

    @Test(
        "Apple's email_verified is a string or a Boolean",
        arguments: [("true", true), (true, true), ("false", false), (false, false), (1, false)] as [(JSONValue, Bool)]
    )
    func apple(_ value: JSONValue, _ expected: Bool) throws {
        // https://developer.apple.com/documentation/signinwithapple/authenticating-users-with-sign-in-with-apple
        let claims: JSONObject = [
            "iss": "https://appleid.apple.com", "aud": "com.example.app", "sub": "001999.example.0001",
            "nonce": "n-1", "nonce_supported": true, "email": "a@privaterelay.appleid.com", "email_verified": value,
        ]
        let policy = try IDTokenPolicy.apple(clientIDs: ["com.example.app", "com.example.web"])
        let identity = try result(policy, nonce: Secret("n-1"), claims).get()
        #expect(identity.isEmailVerified == expected)
    }

    @Test("Firebase's ID tokens are for one project and say when the user authenticated")
    func firebase() throws {
        // https://firebase.google.com/docs/auth/admin/verify-id-tokens
        let claims: JSONObject = [
            "iss": "https://securetoken.google.com/my-project", "aud": "my-project", "sub": "uid-1", "user_id": "uid-1",
            "auth_time": .integer(Fixtures.time - 86_400), "firebase": ["sign_in_provider": "password"],
        ]
        func failure(_ project: String, _ change: (inout JSONObject) -> Void = { _ in }) throws -> IDTokenFailure? {
            var claims = claims
            change(&claims)
            if case .failure(let failure) = try result(.firebase(projectID: project), claims) { return failure }
            return nil
        }
        #expect(try failure("my-project") == nil)
        #expect(try failure("other-project") == .refused(.issuer))
        #expect(try failure("my-project") { $0["auth_time"] = nil } == .refused(.authenticationTime))
        #expect(
            try failure("my-project") { $0["auth_time"] = .integer(Fixtures.time + 31) }
                == .refused(.authenticationTime)
        )
        for project in ["", "My Project", "a/b"] {
            #expect(throws: SignInError.self) { try IDTokenPolicy.firebase(projectID: project) }
        }
    }
}
