import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A refusal names the rules that serve the request only if they do.
@Suite("Hints at other rules")
struct HintTests {
    /// A request, sent to a provider with these rules.
    struct Sent: Sendable, CustomTestStringConvertible {
        var name: String
        var testDescription: String { name }
        var send: @Sendable (World) async throws -> ProviderResponse
    }

    private static func authorization(_ name: String, _ parameters: Parameters) -> Sent {
        Sent(name: name) { await $0.browser().authorize(parameters) }
    }

    private static func assertion(_ name: String, type: String = "JWT", _ change: JSONObject) -> Sent {
        Sent(name: name) { world in
            let now = Int(world.clock.now.timeIntervalSince1970)
            var claims: JSONObject = [
                "iss": "signer", "sub": "signer", "aud": .string(Fixtures.issuer), "jti": "1",
                "exp": .integer(now + 60),
            ]
            for (name, value) in change.members {
                claims[name] = value.integer.map { .integer(now + $0) } ?? (value.isNull ? nil : value)
            }
            let form: Parameters = [
                .grantType: "authorization_code", .code: "unknown",
                .clientAssertion: try Fixtures.signerKeys[0].sign(claims: claims, type: type),
                .clientAssertionType: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ]
            return await world.post("/token", form)
        }
    }

    private static let endpoint = JSONValue.string(Fixtures.issuer + "/token")

    @Test(
        "A request that is refused with a hint is served by the rules that the hint names",
        arguments: [
            authorization("no code_challenge", .webAuthorization { $0[.codeChallenge] = nil }),
            authorization("no scope", .authorization { $0[.scope] = nil }),
            authorization("an unknown scope", .authorization { $0[.scope] = "openid groups" }),
            authorization("form_post", .authorization { $0[.responseMode] = "form_post" }),
            assertion("an endpoint as aud", ["aud": endpoint]),
            assertion("an hour", ["exp": 3600]),
            assertion("an endpoint as aud, for an hour", ["aud": endpoint, "exp": 3600]),
        ]
    )
    func served(sent: Sent) async throws {
        let strict = try World()
        _ = try await sent.send(strict)
        let rule = try #require(strict.log.refusal?.rule)
        let rules = try #require(rule.lenientRules.flatMap(ProviderRules.named))
        let world = try World { $0.rules = rules }
        _ = try await sent.send(world)
        #expect(world.log.admitted.contains(rule))
        #expect(world.log.refusal?.error ?? "invalid_grant" == "invalid_grant")
    }

    @Test(
        "A request that no rules serve is refused without a hint",
        arguments: [
            authorization("unknown scopes alone", .authorization { $0[.scope] = "groups" }),
            authorization("an unreadable request object", .authorization { $0["request"] = "a.b.c" }),
            assertion("expired", ["exp": -1]),
            assertion("no exp", ["exp": .null]),
            assertion("for two hours", ["exp": 7200]),
            assertion("another server as aud", ["aud": "https://other.example"]),
            assertion("an endpoint as aud, expired", ["aud": endpoint, "exp": -1]),
            assertion("an endpoint as aud, without jti", ["aud": endpoint, "jti": .null]),
            Sent(name: "an unknown token in a form") { await $0.post("/userinfo", ["access_token": "unknown"]) },
        ]
    )
    func refused(sent: Sent) async throws {
        for rules in ProviderRules.all {
            let world = try World { $0.rules = rules }
            _ = try await sent.send(world)
            #expect(world.log.refusal != nil)
            #expect(world.log.refusal?.rule == nil || world.log.refusal?.rule == .pushedRequests)
        }
    }

    @Test("A request without a scope of a client without usable scopes is refused without a hint")
    func noUsableScope() async throws {
        let world = try World { $0.clients[0].allowedScopes = [.offlineAccess] }
        #expect(await world.browser().authorize(.authorization { $0[.scope] = nil }).redirectError == "invalid_scope")
        #expect(world.log.refusal?.rule == nil)
    }

    @Test("A client assertion whose algorithm no rule set accepts is rejected without a hint")
    func unknownAlgorithm() async throws {
        let world = try World { $0.rules = .fapi2 }
        let header: JSONObject = ["alg": "HS256"]
        let claims: JSONObject = ["iss": "signer", "sub": "signer"]
        let form: Parameters = [
            .grantType: "authorization_code", .code: "unknown",
            .clientAssertion: "\(Base64URL.encode(header.encoded())).\(Base64URL.encode(claims.encoded())).AAAA",
            .clientAssertionType: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        ]
        #expect(await world.post("/token", form).error == "invalid_client")
        #expect(world.log.refusal?.rule == nil)
    }
}
