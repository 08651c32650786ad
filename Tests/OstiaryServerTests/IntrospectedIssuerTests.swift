import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("The issuer of an introspected token")
struct IntrospectedIssuerTests {
    private static let endpoint = "/introspect"
    private static let other = try! Issuer("https://other.example.com")
    private let asked = ScriptedTransport()
    private let clock = MovedClock()

    /// The other issuer's response for a token of its own.
    private static let good: JSONObject = [
        "active": true, "aud": .string(Fixtures.audience), "sub": "alice", "client_id": "app", "jti": "token-9",
        "scope": "orders:read", "exp": .integer(Fixtures.time + 300),
    ]

    init() {
        asked.answer(
            ScriptedTransport.openIDConnect,
            ScriptedTransport.json([
                "issuer": .string(Self.other.description),
                "introspection_endpoint": .string(Self.other.description + Self.endpoint),
            ])
        )
        answer { _ in }
    }

    private func answer(_ change: (inout JSONObject) -> Void) {
        var object = Self.good
        change(&object)
        asked.answer(Self.endpoint, ScriptedTransport.json(object))
    }

    private func introspector(of issuer: Issuer = other) throws -> TokenIntrospector {
        try TokenIntrospector(
            keys: KeySource(issuer: issuer, transport: asked, clock: clock.device),
            clientID: "api",
            authentication: .clientSecretBasic(Secret("secret")),
            transport: asked,
            clock: clock.device
        )
    }

    /// Takes the tokens of two issuers: one whose keys are cached, and one that introspects them.
    private func both(_ revoked: RevokedTokens? = nil) throws -> ProtectedResource {
        let keys = try KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport(), clock: clock.device)
        let server = ResourceServer(
            keys: [keys],
            introspectors: [try introspector()],
            revoked: revoked,
            clock: clock.device
        )
        return try server.resource(policy([Fixtures.issuer, Self.other]))
    }

    /// Takes the tokens of one issuer, which is asked.
    private func one() throws -> ProtectedResource {
        try ResourceServer(introspectors: [introspector()], clock: clock.device).resource(policy([Self.other]))
    }

    private func policy(_ issuers: [Issuer]) throws -> AccessTokenPolicy {
        try AccessTokenPolicy(issuers: issuers, audience: Fixtures.audience, requiredScopes: ["orders:read"])
    }

    private func token(of issuer: Issuer) -> String {
        Fixtures.token { $0["iss"] = .string(issuer.description) }
    }

    private func granted(_ resource: ProtectedResource, _ token: String) async -> VerifiedAccessToken? {
        if case .granted(let token, _) = await resource.authorize(fields: Fixtures.bearer(token)) { token } else { nil }
    }

    private func check(_ resource: ProtectedResource, _ token: String) async -> AccessTokenRefusal.Check? {
        guard case .refused(let refusal) = await resource.authorize(fields: Fixtures.bearer(token)),
            case .token(let reason) = refusal.reason
        else { return nil }
        return reason.check
    }

    // MARK: What it may say

    @Test("An introspection response cannot name another issuer of the policy")
    func another() async throws {
        answer { ($0["iss"], $0["sub"]) = (.string(Fixtures.issuerText), "admin") }
        #expect(await check(try both(), "opaque") == .issuer)
    }

    @Test("An introspection response may name its own issuer, and any other iss is rejected")
    func itself() async throws {
        answer { $0["iss"] = .string(Self.other.description) }
        #expect(await granted(try both(), "opaque")?.issuer == Self.other.description)
        answer { $0["iss"] = .null }
        #expect(await check(try both(), "opaque") == .issuer)
        answer { $0["iss"] = .string(Self.other.description + "/") }
        #expect(await check(try both(), "opaque") == .issuer)
    }

    @Test("An introspection response without iss gives the introspected issuer")
    func nameless() async throws {
        let token = await granted(try both(), "opaque")
        #expect(token?.issuer == Self.other.description)
        #expect(token?.claims["iss"] == .string(Self.other.description))
    }

    @Test("A revoked token is rejected, although its introspection response has no iss")
    func revoked() async throws {
        let revoked = RevokedTokens(longestLifetime: .seconds(300), clock: clock.device)
        let resource = try both(revoked)
        #expect(await granted(resource, "opaque") != nil)
        revoked.revoke(tokenID: "token-9", of: Self.other)
        #expect(await check(resource, "opaque") == .active)
    }

    @Test("A policy with two introspected issuers is refused")
    func two() throws {
        let server = ResourceServer(
            introspectors: [try introspector(), try introspector(of: Fixtures.issuer)],
            clock: clock.device
        )
        #expect(
            throws: SignInError(
                .introspection,
                .configuration(
                    "An opaque token does not name its issuer, https://id.example.com or "
                        + "https://other.example.com: give each of them its own policy."
                )
            )
        ) { try server.resource(policy([Fixtures.issuer, Self.other])) }
        #expect(throws: Never.self) { try server.resource(policy([Self.other])) }
    }

    // MARK: Whom to ask

    @Test(
        "A token that is no signed JWT is introspected, whatever dots it has",
        arguments: [
            "opaque", "ory_at_key.signature", "a.b.c", "one.two.three.four", ".", "..", "e30.e30.e30",
            "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..aXY.Y2lwaGVy.dGFn",
        ]
    )
    func dots(_ text: String) async throws {
        #expect(await granted(try both(), text) != nil)
        #expect(asked.last(Self.endpoint)?.form["token"] == text)
    }

    @Test("A JWT of an issuer without keys is introspected")
    func signed() async throws {
        let token = token(of: Self.other)
        #expect(await granted(try one(), token) != nil)
        #expect(await granted(try both(), token) != nil)
        #expect(asked.count(Self.endpoint) == 2)
    }

    @Test("A JWT of an issuer with keys is verified locally, and one of an unknown issuer is rejected")
    func local() async throws {
        let resource = try both()
        #expect(await granted(resource, Fixtures.token())?.issuer == Fixtures.issuerText)
        #expect(await check(resource, Fixtures.token { $0["iss"] = "https://evil.example" }) == .issuer)
        #expect(await check(resource, Fixtures.token(by: Fixtures.newKey)) == .key)
        let header: JSONObject = ["alg": "ES256", "typ": "at+jwt", "crit": ["x"], "x": 1]
        #expect(await check(resource, Base64URL.encode(header.encoded()) + ".e30.AA") == .critical)
        #expect(asked.count(Self.endpoint) == 0)
    }

    @Test("A token of more than 16 KiB is rejected without introspection")
    func large() async throws {
        let token = String(repeating: "a", count: 16_385)
        #expect(await granted(try one(), token) == nil)
        #expect(asked.count(Self.endpoint) == 0)
    }
}
