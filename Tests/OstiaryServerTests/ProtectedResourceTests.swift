import HTTPTypes
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("A protected resource")
struct ProtectedResourceTests {
    private let transport = ScriptedTransport()
    private let clock = MovedClock()

    private func resource(
        _ policy: AccessTokenPolicy = Fixtures.policy(),
        realm: String? = "api"
    ) throws -> ProtectedResource {
        let keys = try KeySource(issuer: Fixtures.issuer, transport: transport, clock: clock.device)
        return try ProtectedResource(policy: policy, keys: keys, realm: realm, clock: clock.device)
    }

    private func refusal(_ fields: HTTPFields, realm: String? = "api") async throws -> Authorization.Refusal? {
        if case .refused(let refusal) = await (try resource(realm: realm)).authorize(fields: fields) {
            refusal
        } else {
            nil
        }
    }

    @Test("A request with a valid token is granted")
    func granted() async throws {
        let authorization = await (try resource()).authorize(fields: Fixtures.bearer())
        guard case .granted(let token, _) = authorization else {
            Issue.record("The request was refused.")
            return
        }
        #expect(token.subject == "alice")
    }

    @Test("A token whose key is cached is decided without waiting, and an unknown key waits for a fetch")
    func withoutWaiting() async throws {
        let resource = try resource()
        #expect(resource.authorizeWithoutWaiting(fields: Fixtures.bearer()) == nil)
        let waited = await resource.authorize(fields: Fixtures.bearer())
        guard case .granted(let token, _) = resource.authorizeWithoutWaiting(fields: Fixtures.bearer()) else {
            Issue.record("The request was refused.")
            return
        }
        #expect(token.subject == "alice")
        guard case .granted = waited else {
            Issue.record("The request was refused.")
            return
        }
        let unknown = Fixtures.bearer(Fixtures.token(by: Fixtures.newKey))
        #expect(resource.authorizeWithoutWaiting(fields: unknown) == nil)
        #expect(transport.count(ScriptedTransport.jwks) == 1)
    }

    @Test("A refusal that needs no keys is decided without waiting")
    func refusedWithoutWaiting() throws {
        let resource = try resource()
        guard case .refused(let refusal) = resource.authorizeWithoutWaiting(fields: [:]) else {
            Issue.record("The request waits.")
            return
        }
        #expect(refusal.reason == .noToken)
        let idToken = Fixtures.bearer(Fixtures.token(type: "JWT"))
        guard case .refused(let refusal) = resource.authorizeWithoutWaiting(fields: idToken) else {
            Issue.record("The request waits.")
            return
        }
        #expect(refusal.reason == .token(try expected(.type)))
    }

    @Test("A request without a token gets 401, and a challenge without an error")
    func noToken() async throws {
        let refusal = try #require(await refusal([:]))
        #expect(refusal.reason == .noToken && refusal.status == .unauthorized)
        #expect(refusal.fields[.wwwAuthenticate] == #"Bearer realm="api", scope="orders:read""#)
        #expect(transport.count(ScriptedTransport.jwks) == 0)
    }

    @Test("Malformed credentials get 400")
    func malformed() async throws {
        let refusal = try #require(await refusal([.authorization: "Bearer a b"]))
        #expect(refusal.reason == .malformedCredentials && refusal.status == .badRequest)
        #expect(refusal.fields[.wwwAuthenticate]?.contains(#"error="invalid_request""#) == true)
    }

    @Test("An expired token gets 401 invalid_token")
    func expired() async throws {
        clock.advance(by: .seconds(330))
        let refusal = try #require(await refusal(Fixtures.bearer()))
        #expect(refusal.reason == .token(try expected(.expiry)) && refusal.status == .unauthorized)
        #expect(
            refusal.fields[.wwwAuthenticate]
                == #"Bearer realm="api", error="invalid_token", error_description="The access token has expired.", scope="orders:read""#
        )
    }

    @Test("A valid token without the scope gets 403 insufficient_scope with the required scopes")
    func scope() async throws {
        let refusal = try #require(
            await refusal(Fixtures.bearer(Fixtures.token { $0["scope"] = "profile" }), realm: nil)
        )
        #expect(refusal.reason == .token(try expected(.scope)) && refusal.status == .forbidden)
        #expect(
            refusal.fields[.wwwAuthenticate]
                == #"Bearer error="insufficient_scope", error_description="The access token lacks a required scope.", scope="orders:read""#
        )
    }

    @Test("A route that requires more scopes shares the keys")
    func requiring() async throws {
        let resource = try resource()
        let stricter = try resource.requiring(["orders:write"])
        guard case .granted = await resource.authorize(fields: Fixtures.bearer()) else {
            Issue.record("The request was refused.")
            return
        }
        guard case .refused(let refusal) = await stricter.authorize(fields: Fixtures.bearer()) else {
            Issue.record("The request was granted.")
            return
        }
        #expect(refusal.fields[.wwwAuthenticate]?.contains(#"scope="orders:read orders:write""#) == true)
        #expect(transport.count(ScriptedTransport.jwks) == 1)
    }

    @Test("A token of another type or algorithm causes no fetch of keys")
    func noFetch() async throws {
        #expect(try await refusal(Fixtures.bearer(Fixtures.token(type: "JWT")))?.reason == .token(try expected(.type)))
        #expect(try await refusal(Fixtures.bearer("bm90.YQ.dG9rZW4"))?.reason == .token(try expected(.form)))
        let strict = try resource(Fixtures.policy(algorithms: [.es256]))
        let authorization = await strict.authorize(fields: Fixtures.bearer(Fixtures.token(by: Fixtures.rsaKey)))
        guard case .refused(let refusal) = authorization else {
            Issue.record("The request was granted.")
            return
        }
        #expect(refusal.status == .unauthorized)
        #expect(transport.count(ScriptedTransport.openIDConnect) == 0)
    }

    @Test("While the keys are unavailable a valid token gets 503, and is not rejected")
    func keysUnavailable() async throws {
        transport.fail(ScriptedTransport.openIDConnect)
        let refusal = try #require(await refusal(Fixtures.bearer()))
        #expect(refusal.reason == .keysUnavailable(SignInError(.discovery, .transport(.unreachable))))
        #expect(refusal.status == .serviceUnavailable)
        #expect(refusal.fields[.wwwAuthenticate] == nil && refusal.fields[.retryAfter] == "5")
    }

    @Test("A refusal's description shows nothing of the token")
    func noSecret() async throws {
        for claim in ["iss", "aud", "exp", "scope", "cnf"] {
            let token = Fixtures.token {
                $0["sub"] = "mallory"
                $0[claim] = "mallory"
            }
            let refusal = try #require(await refusal(Fixtures.bearer(token)))
            #expect(!"\(refusal)".contains("mallory") && !"\(refusal)".contains(token))
        }
    }

    @Test("A resource with keys of another issuer is refused")
    func twoIssuers() throws {
        let keys = try KeySource(issuer: try Issuer("https://other.example.com"), transport: transport)
        #expect(throws: SignInError.self) { try ProtectedResource(policy: Fixtures.policy(), keys: keys) }
    }

    /// The refusal of a check, as a verifier makes it; there is no other way to get one.
    private func expected(_ check: AccessTokenRefusal.Check) throws -> AccessTokenRefusal {
        let tokens: [AccessTokenRefusal.Check: String] = [
            .expiry: Fixtures.token { $0["exp"] = 1 }, .scope: Fixtures.token { $0["scope"] = nil },
            .type: Fixtures.token(type: "JWT"), .form: "x",
        ]
        let verdict = AccessTokenVerifier(Fixtures.policy())
            .verify(try #require(tokens[check]), by: Fixtures.keys, now: Fixtures.now)
        return try #require(verdict.refusal)
    }
}
