import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("Requirements of routes")
struct PolicyTests {
    private let transport = ScriptedTransport()
    private let clock = MovedClock()

    private func server(_ cache: VerifiedTokenCache? = VerifiedTokenCache()) throws -> ResourceServer {
        ResourceServer(
            keys: [try KeySource(issuer: Fixtures.issuer, transport: transport, clock: clock.device)],
            cache: cache,
            metadata: try ResourceMetadataDocument.Place("https://api.example.com/v1"),
            clock: clock.device
        )
    }

    private func policy(_ contexts: [String] = [], _ age: Duration? = nil) throws -> AccessTokenPolicy {
        try AccessTokenPolicy(
            issuer: Fixtures.issuer,
            audience: Fixtures.audience,
            authenticationContexts: contexts,
            maximumAge: age
        )
    }

    private func check(_ authorization: Authorization) -> AccessTokenRefusal.Check? {
        if case .refused(let refusal) = authorization, case .token(let token) = refusal.reason {
            token.check
        } else {
            nil
        }
    }

    @Test("A sign-in with another acr or too old auth_time is challenged with the policy's values")
    func stepUp() async throws {
        let resource = try server().resource(try policy(["urn:mfa", "urn:key"], .seconds(300)))
        let weak = await resource.authorize(fields: Fixtures.bearer(Fixtures.token { $0["acr"] = "urn:pwd" }))
        #expect(check(weak) == .authenticationContext)
        #expect(
            weak.challenges == [
                #"Bearer error="insufficient_user_authentication", error_description="The user must authenticate by another method.", acr_values="urn:mfa urn:key", max_age="300", resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/v1""#
            ]
        )
        func token(_ age: Int?) -> HTTPFields {
            Fixtures.bearer(
                Fixtures.token {
                    $0["acr"] = "urn:key"
                    $0["auth_time"] = age.map { .integer(Fixtures.time - $0) }
                }
            )
        }
        #expect(check(await resource.authorize(fields: token(nil))) == .authenticationTime)
        #expect(check(await resource.authorize(fields: token(331))) == .authenticationTime)
        #expect(check(await resource.authorize(fields: token(-31))) == .authenticationTime)
        #expect(check(await resource.authorize(fields: token(330))) == nil)
        guard case .refused(let refusal) = weak else { return }
        #expect(refusal.status == .unauthorized)
    }

    @Test("A cached token is still checked in everything but its signature")
    func cache() async throws {
        let cache = VerifiedTokenCache()
        let server = try server(cache)
        let open = try server.resource(policy())
        let fields = Fixtures.bearer()
        #expect(check(await open.authorize(fields: fields)) == nil && cache.count == 1)
        let strict = try open.requiring(["orders:write"])
        #expect(check(await strict.authorize(fields: fields)) == .scope)
        let other = try server.resource(AccessTokenPolicy(issuer: Fixtures.issuer, audience: "other"))
        #expect(check(await other.authorize(fields: fields)) == .audience)
        let algorithms = try server.resource(
            AccessTokenPolicy(issuer: Fixtures.issuer, audience: Fixtures.audience, algorithms: [.rs256])
        )
        #expect(check(await algorithms.authorize(fields: fields)) == .algorithm)
        clock.advance(by: .seconds(330))
        #expect(check(await open.authorize(fields: fields)) == .expiry)
    }

    @Test("A token with a bad signature is not cached, and a valid one is cached for five minutes")
    func cacheLimits() async throws {
        let cache = VerifiedTokenCache()
        let resource = try server(cache).resource(policy())
        var parts = Fixtures.token().split(separator: ".")
        parts[1] = Fixtures.token { $0["sub"] = "mallory" }.split(separator: ".")[1]
        #expect(check(await resource.authorize(fields: Fixtures.bearer(parts.joined(separator: ".")))) == .signature)
        #expect(cache.count == 0)
        let long = Fixtures.bearer(Fixtures.token { $0["exp"] = .integer(Fixtures.time + 86_400) })
        _ = await resource.authorize(fields: long)
        transport.publish(JSONWebKeySet([Fixtures.newKey.publicKey]), validity: "max-age=300")
        clock.advance(by: .seconds(299))
        #expect(check(await resource.authorize(fields: long)) == nil)
        let hits = cache.hits
        #expect(hits == 1)
        clock.advance(by: .seconds(2))
        _ = await resource.authorize(fields: long)
        #expect(cache.hits == hits)
    }

    @Test("The token cache stays within its size, and keeps tokens in use")
    func room() async throws {
        let cache = VerifiedTokenCache(maximumBytes: 20_000)
        let resource = try server(cache).resource(policy())
        let used = Fixtures.bearer(Fixtures.token { $0["jti"] = "used" })
        for number in 0..<60 {
            _ = await resource.authorize(fields: used)
            _ = await resource.authorize(fields: Fixtures.bearer(Fixtures.token { $0["jti"] = .string("\(number)") }))
            #expect(cache.bytes <= 20_000)
        }
        #expect((5...30).contains(cache.count))
    }

    @Test("With several issuers each one's keys verify its own tokens only, also from the cache")
    func issuers() async throws {
        let other = ScriptedTransport()
        let otherIssuer = try Issuer("https://other.example.com")
        let otherKey = try SigningKey.generate(.es256, keyID: "key-1")
        other.publish(JSONWebKeySet([otherKey.publicKey]), at: "/other")
        let cache = VerifiedTokenCache()
        let server = ResourceServer(
            keys: [
                try KeySource(issuer: Fixtures.issuer, transport: transport, clock: clock.device),
                try KeySource(
                    issuer: otherIssuer,
                    server: AuthorizationServer(
                        issuer: otherIssuer,
                        jwksURI: URL(string: "https://other.example.com/other")
                    ),
                    transport: other,
                    clock: clock.device
                ),
            ],
            cache: cache,
            clock: clock.device
        )
        let both = try server.resource(
            AccessTokenPolicy(issuers: [Fixtures.issuer, otherIssuer], audience: Fixtures.audience)
        )
        #expect(check(await both.authorize(fields: Fixtures.bearer())) == nil)
        let own = Fixtures.bearer(Fixtures.token(by: otherKey) { $0["iss"] = "https://other.example.com" })
        #expect(check(await both.authorize(fields: own)) == nil)
        // The other issuer's key does not make tokens of this one, in either order of the checks.
        let forged = Fixtures.bearer(Fixtures.token(by: otherKey) { $0["jti"] = "forged" })
        let onlyOther = try server.resource(AccessTokenPolicy(issuer: otherIssuer, audience: Fixtures.audience))
        #expect(check(await onlyOther.authorize(fields: forged)) == .issuer)
        #expect(check(await both.authorize(fields: forged)) == .signature)
        let stranger = Fixtures.bearer(Fixtures.token { $0["iss"] = "https://evil.example" })
        #expect(check(await both.authorize(fields: stranger)) == .issuer)
        #expect(cache.count == 2)
    }

    @Test("A resource of an issuer without keys is refused")
    func unknownIssuer() throws {
        let server = try server()
        let policy = try AccessTokenPolicy(issuer: try Issuer("https://other.example.com"), audience: "a")
        #expect(throws: SignInError.self) { try server.resource(policy) }
    }

    @Test("A policy with contradictory values is refused when it is made")
    func configuration() throws {
        #expect(throws: SignInError.self) { try AccessTokenPolicy(issuers: [], audience: "a") }
        #expect(throws: SignInError.self) {
            try AccessTokenPolicy(issuers: [Fixtures.issuer, Fixtures.issuer], audience: "a")
        }
        #expect(throws: SignInError.self) { try self.policy(["a b"]) }
        #expect(throws: SignInError.self) { try self.policy([], .seconds(-1)) }
    }

    @Test("The resource metadata follows from the resource's policies")
    func metadata() async throws {
        let proofs = try ProofChecking(
            origins: [ExternalOrigin("https://api.example.com")],
            replays: LocalReplayStore(),
            algorithms: [.es256]
        )
        let place = try ResourceMetadataDocument.Place("https://api.example.com/v1")
        let server = ResourceServer(
            keys: [try KeySource(issuer: Fixtures.issuer, transport: transport)],
            dpop: proofs,
            metadata: place
        )
        let read = try server.resource(Fixtures.policy())
        let write = try read.requiring(["orders:write"], binding: .dpop)
        let document = ResourceMetadataDocument(at: place, of: [read, write], name: "Orders")
        #expect(
            document.members == [
                "resource": "https://api.example.com/v1", "authorization_servers": ["https://id.example.com"],
                "scopes_supported": ["orders:read", "orders:write"], "bearer_methods_supported": ["header"],
                "dpop_signing_alg_values_supported": ["ES256"], "dpop_bound_access_tokens_required": false,
                "tls_client_certificate_bound_access_tokens": false, "resource_name": "Orders",
            ]
        )
        let response = await document.respond(to: ServerRequest(target: place.path))
        #expect(response.status == .ok && response.fields[.contentType] == "application/json")
        #expect(place.path == "/.well-known/oauth-protected-resource/v1")
        #expect(
            try ResourceMetadataDocument.Place("https://api.example.com").path
                == "/.well-known/oauth-protected-resource"
        )
    }
}
