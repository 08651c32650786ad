import Foundation
import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("Tokens that their issuer is asked about")
struct IntrospectionTests {
    private static let endpoint = "/introspect"
    private let transport = ScriptedTransport()
    private let clock = MovedClock()

    private static let good: JSONObject = [
        "active": true, "iss": .string(Fixtures.issuerText), "aud": .string(Fixtures.audience), "sub": "alice",
        "client_id": "app", "scope": "orders:read", "exp": .integer(Fixtures.time + 300),
    ]

    init() {
        transport.answer(
            ScriptedTransport.openIDConnect,
            ScriptedTransport.json([
                "issuer": .string(Fixtures.issuerText), "jwks_uri": .string(Fixtures.issuerText + "/jwks"),
                "introspection_endpoint": .string(Fixtures.issuerText + Self.endpoint),
            ])
        )
        transport.answer(Self.endpoint, ScriptedTransport.json(Self.good))
    }

    private func resource(
        _ form: TokenIntrospector.Form = .json,
        over other: (any HTTPTransport)? = nil
    ) throws -> ProtectedResource {
        let keys = try KeySource(issuer: Fixtures.issuer, transport: transport, clock: clock.device)
        let introspector = try TokenIntrospector(
            keys: keys,
            clientID: "api",
            authentication: .clientSecretBasic(Secret("secret")),
            form: form,
            transport: other ?? transport,
            clock: clock.device
        )
        let server = ResourceServer(keys: [keys], introspectors: [introspector], clock: clock.device)
        return try server.resource(Fixtures.policy())
    }

    private func answer(_ change: (inout JSONObject) -> Void) {
        var object = Self.good
        change(&object)
        transport.answer(Self.endpoint, ScriptedTransport.json(object))
    }

    private func reason(_ resource: ProtectedResource, _ token: String = "opaque") async -> Authorization.Refusal
        .Reason?
    {
        if case .refused(let refusal) = await resource.authorize(fields: Fixtures.bearer(token)) {
            refusal.reason
        } else {
            nil
        }
    }

    private func check(_ resource: ProtectedResource, _ token: String = "opaque") async -> AccessTokenRefusal.Check? {
        if case .token(let refusal)? = await reason(resource, token) { refusal.check } else { nil }
    }

    @Test("An active token is granted, and introspected once a minute")
    func granted() async throws {
        let resource = try resource()
        guard case .granted(let token, _) = await resource.authorize(fields: Fixtures.bearer("opaque")) else {
            Issue.record("The request was refused.")
            return
        }
        #expect(token.subject == "alice" && token.clientID == "app" && token.scopes == ["orders:read"])
        clock.advance(by: .seconds(59))
        #expect(await reason(resource) == nil)
        #expect(resource.authorizeWithoutWaiting(fields: Fixtures.bearer("opaque")) != nil)
        #expect(transport.count(Self.endpoint) == 1)
        clock.advance(by: .seconds(1))
        #expect(await reason(resource) == nil)
        #expect(transport.count(Self.endpoint) == 2)
        let asked = try #require(transport.last(Self.endpoint))
        #expect(asked.form["token"] == "opaque" && asked.form["token_type_hint"] == "access_token")
        #expect(asked.fields[.authorization]?.hasPrefix("Basic ") == true)
    }

    @Test("An introspection response is not cached beyond the token's expiry")
    func expiry() async throws {
        answer { $0["exp"] = .integer(Fixtures.time + 10) }
        let resource = try resource()
        _ = await reason(resource)
        clock.advance(by: .seconds(11))
        _ = await reason(resource)
        #expect(transport.count(Self.endpoint) == 2)
    }

    @Test("An inactive token is cached for five seconds")
    func inactive() async throws {
        transport.answer(Self.endpoint, ScriptedTransport.json(["active": false]))
        let resource = try resource()
        for _ in 0..<3 { #expect(await check(resource) == .active) }
        #expect(transport.count(Self.endpoint) == 1)
        clock.advance(by: .seconds(5))
        transport.answer(Self.endpoint, ScriptedTransport.json(Self.good))
        #expect(await reason(resource) == nil)
    }

    @Test("A failed introspection is not cached, and does not reject the token")
    func failure() async throws {
        transport.fail(Self.endpoint)
        let resource = try resource()
        #expect(
            await reason(resource)
                == .introspectionUnavailable(SignInError(.introspection, .transport(.unreachable)))
        )
        transport.answer(Self.endpoint, ScriptedTransport.json(["active": "yes"]))
        #expect(
            await reason(resource)
                == .introspectionUnavailable(SignInError(.introspection, .malformed("the response's active")))
        )
        transport.answer(Self.endpoint, ScriptedTransport.json(Self.good))
        #expect(await reason(resource) == nil)
    }

    @Test("While the issuer's metadata is read anew, tokens are asked about at the endpoint that is known")
    func metadata() async throws {
        let network = Switched(transport)
        let resource = try resource(over: network)
        answer { $0["exp"] = .integer(Fixtures.time + 10_000) }
        #expect(await reason(resource) == nil)
        let slow = HeldTransport(over: transport, path: ScriptedTransport.openIDConnect)
        network.use(slow)
        clock.advance(by: .seconds(3601))
        #expect(await reason(resource) == nil)
        // The metadata has been asked for, and is not there yet.
        await slow.answered()
        slow.open()
    }

    /// One transport after the other.
    private final class Switched: HTTPTransport {
        private let current: Lock<any HTTPTransport>
        init(_ first: any HTTPTransport) { current = Lock(first) }
        func use(_ next: any HTTPTransport) { current.withLock { $0 = next } }
        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            try await current.withLock { $0 }.send(request)
        }
    }

    @Test("Tokens that an attacker makes up have 64 requests under way, and further ones wait a second")
    func bounded() async throws {
        let gate = Gate(transport, path: Self.endpoint)
        let resource = try resource(over: gate)
        let refused = await withTaskGroup(of: Authorization.Refusal.Reason?.self) { group in
            for number in 0..<64 { group.addTask { await self.reason(resource, "made-up-\(number)") } }
            while gate.count < 64 { await Task.yield() }
            let refused = await self.reason(resource, "one-more")
            gate.open()
            await group.waitForAll()
            return refused
        }
        #expect(
            refused
                == .introspectionUnavailable(SignInError(.introspection, .server(status: 503), retryAfter: .seconds(1)))
        )
        #expect(await reason(resource, "one-more") == nil)
    }

    /// Holds requests to a path until it is open.
    private final class Gate: HTTPTransport {
        private let next: any HTTPTransport
        private let path: String
        private let waiting = Lock<[CheckedContinuation<Void, Never>]?>([])

        init(_ next: any HTTPTransport, path: String) {
            self.next = next
            self.path = path
        }

        /// The number of requests that wait.
        var count: Int { waiting.withLock { $0?.count ?? 0 } }

        func open() {
            let all = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting ?? []
            }
            for continuation in all { continuation.resume() }
        }

        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            if request.url.path() == path {
                await withCheckedContinuation { continuation in
                    let isOpen = waiting.withLock { waiting -> Bool in
                        waiting?.append(continuation)
                        return waiting == nil
                    }
                    if isOpen { continuation.resume() }
                }
            }
            return try await next.send(request)
        }
    }

    @Test("Concurrent requests with one token cause one introspection")
    func singleFlight() async throws {
        let held = HeldTransport(over: transport, path: Self.endpoint)
        let resource = try resource(over: held)
        async let first = reason(resource)
        await held.answered()
        async let second = reason(resource)
        async let third = reason(resource)
        for _ in 0..<50 { await Task.yield() }
        held.open()
        #expect(await [first, second, third] == [nil, nil, nil])
        #expect(transport.count(Self.endpoint) == 1)
    }

    @Test(
        "An introspection response is checked against the policy",
        arguments: [
            ("iss", JSONValue.string("https://evil.example"), AccessTokenRefusal.Check.issuer),
            ("aud", "other", .audience), ("aud", nil, .audience), ("aud", ["other"], .audience),
            ("exp", 1, .expiry), ("exp", "soon", .expiry), ("nbf", .integer(Fixtures.time + 31), .notBefore),
            ("scope", "profile", .scope), ("scope", nil, .scope), ("cnf", ["jkt": "x"], .confirmation),
        ] as [(String, JSONValue?, AccessTokenRefusal.Check)]
    )
    func policy(_ name: String, _ value: JSONValue?, _ expected: AccessTokenRefusal.Check) async throws {
        answer { $0[name] = value }
        #expect(await check(try resource()) == expected)
    }

    // MARK: Answers without an audience

    /// The check that refuses what the issuer says of an opaque token, by a policy that says what stands for an audience.
    private func check(
        _ absent: AbsentAudience,
        _ profile: AccessTokenProfile,
        _ description: JSONObject
    ) async throws -> AccessTokenRefusal.Check? {
        transport.answer(Self.endpoint, ScriptedTransport.json(description))
        let keys = try KeySource(issuer: Fixtures.issuer, transport: transport, clock: clock.device)
        let introspector = try TokenIntrospector(
            keys: keys,
            clientID: "api",
            authentication: .clientSecretBasic(Secret("secret")),
            transport: transport,
            clock: clock.device
        )
        let policy = try AccessTokenPolicy(
            issuer: Fixtures.issuer,
            audience: Fixtures.audience,
            withoutAudience: absent,
            profile: profile
        )
        let server = ResourceServer(keys: [keys], introspectors: [introspector], clock: clock.device)
        return await check(try server.resource(policy))
    }

    private func check(
        _ absent: AbsentAudience,
        _ description: JSONObject
    ) async throws -> AccessTokenRefusal.Check? {
        try await check(absent, .rfc9068, description)
    }

    /// Logto 1.37.1 and node-oidc-provider 9.13.3, as recorded (introspection.jsonl).
    private static let withoutAudience: JSONObject = [
        "active": true, "sub": "281mp42f9lxt", "client_id": "app", "exp": .integer(Fixtures.time + 3600),
        "iat": .integer(Fixtures.time), "iss": .string(Fixtures.issuerText), "scope": "openid orders",
        "token_type": "Bearer",
    ]

    @Test("An introspection response without aud is accepted for a listed client, or for the server's scope")
    func absentAudience() async throws {
        let answer = Self.withoutAudience
        #expect(try await check(.refused, answer) == .audience)
        #expect(try await check(.clients(["app"]), answer) == nil)
        #expect(try await check(.clients(["other"]), answer) == .audience)
        #expect(try await check(.scope("orders"), answer) == nil)
        #expect(try await check(.scope("order"), answer) == .audience)
        var nameless = answer
        nameless["client_id"] = nil
        #expect(try await check(.clients(["app"]), nameless) == .audience)
    }

    @Test("An introspection response with an empty aud counts as one without")
    func emptyAudience() async throws {
        var answer = Self.withoutAudience
        answer["aud"] = []
        #expect(try await check(.refused, answer) == .audience)
        #expect(try await check(.clients(["app"]), answer) == nil)
        answer["aud"] = ["other"]
        #expect(try await check(.clients(["app"]), answer) == .audience)
    }

    @Test(
        "An introspection response without aud must have an access token's token_type",
        arguments: [(nil, .type), ("refresh_token", .type), ("", .type), (1, .type), ("DPoP", nil), ("bearer", nil)]
            as [(JSONValue?, AccessTokenRefusal.Check?)]
    )
    func tokenType(_ type: JSONValue?, _ expected: AccessTokenRefusal.Check?) async throws {
        var answer = Self.withoutAudience
        answer["token_type"] = type
        #expect(try await check(.clients(["app"]), answer) == expected)
    }

    @Test("An introspection response that describes a refresh token is rejected, also with aud")
    func refreshToken() async throws {
        for (name, value) in [("token_use", "refresh_token"), ("token_type", "refresh_token")] as [(String, JSONValue)]
        {
            answer { $0[name] = value }
            #expect(await check(try resource()) == .type)
        }
        answer { $0["token_use"] = "access_token" }
        #expect(await check(try resource()) == nil)
    }

    @Test("An introspection response that describes an ID token is rejected by the profile's mark")
    func describedMark() async throws {
        var answer = Self.good
        answer["typ"] = "ID"
        #expect(try await check(.refused, .keycloak, answer) == .type)
        answer["typ"] = "Bearer"
        #expect(try await check(.refused, .keycloak, answer) == nil)
        answer["typ"] = nil
        #expect(try await check(.refused, .keycloak, answer) == nil)
    }

    @Test("A JWT is verified locally without introspection")
    func local() async throws {
        let resource = try resource()
        #expect(await reason(resource, Fixtures.token()) == nil)
        #expect(await check(resource, Fixtures.token(type: "JWT")) == .type)
        #expect(transport.count(Self.endpoint) == 0)
    }

    // MARK: Signed answers

    private func sign(
        type: String = "token-introspection+jwt",
        by key: SigningKey = Fixtures.key,
        mediaType: String = "application/token-introspection+jwt",
        _ change: (inout JSONObject) -> Void = { _ in }
    ) throws {
        var claims: JSONObject = [
            "iss": .string(Fixtures.issuerText), "aud": "api", "iat": .integer(Fixtures.time),
            "token_introspection": .object(Self.good),
        ]
        change(&claims)
        let token = try key.sign(claims: claims, type: type)
        transport.answer(
            Self.endpoint,
            EndpointResponse(fields: [.contentType: mediaType], body: Array(token.utf8))
        )
    }

    @Test("A signed introspection response is requested and accepted")
    func signed() async throws {
        try sign()
        #expect(await reason(try resource(.signed([.es256]))) == nil)
        #expect(transport.last(Self.endpoint)?.fields[.accept] == "application/token-introspection+jwt")
    }

    @Test("A signed introspection response with a wrong type, algorithm, key or issuer is rejected, and so is JSON")
    func signedChecks() async throws {
        func expect(_ expected: SignInError.Reason) async throws {
            let found = await reason(try resource(.signed([.es256])))
            #expect(found == .introspectionUnavailable(SignInError(.introspection, expected)))
        }
        try sign(type: "JWT")
        try await expect(.mismatch(.type))
        try sign(by: Fixtures.rsaKey)
        try await expect(.mismatch(.algorithm))
        try sign(by: Fixtures.newKey)
        try await expect(.mismatch(.key))
        try sign { $0["iss"] = "https://evil.example" }
        try await expect(.mismatch(.issuer))
        try sign { $0["aud"] = "another-api" }
        try await expect(.mismatch(.audience))
        try sign { $0["iat"] = .integer(Fixtures.time - 61) }
        try await expect(.mismatch(.issuedAt))
        try sign { $0["token_introspection"] = nil }
        try await expect(.malformed("the response's token_introspection"))
        transport.answer(Self.endpoint, ScriptedTransport.json(Self.good))
        try await expect(.malformed("the response is not signed"))
        try sign(mediaType: "application/jwt")
        try await expect(.malformed("the response is not signed"))
    }
}
