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

@Suite("Rules of codes")
struct CodeRuleTests {
    private static let credential: HTTPFields = [
        .authorization: "Basic " + Data("web%20app:p%25ss%3A%20%2Bword".utf8).base64EncodedString()
    ]
    private static let request = Parameters.webAuthorization { $0[.codeChallenge] = nil }

    private static func grant(_ code: String) -> Parameters {
        .codeGrant(code, redirectURI: request[.redirectURI]) {
            $0[.clientID] = nil
            $0[.codeVerifier] = nil
        }
    }

    /// Changes the record of the only code.
    private func change(_ storage: MemoryProviderStorage, _ change: (inout JSONObject) -> Void) async throws {
        var record = try #require(await storage.records(.authorizationCode).first)
        change(&record.value)
        await storage.put(record)
    }

    @Test("A stored code that lost its code_challenge is refused, with a verifier and without")
    func lostChallenge() async throws {
        for verifier in [nil, Fixtures.verifier] {
            let storage = MemoryProviderStorage()
            let world = try World(storage: storage) { $0.rules = .oidc }
            let code = try await world.code(.webAuthorization())
            try await change(storage) { $0["code_challenge"] = nil }
            var form = Self.grant(code)
            form[.codeVerifier] = verifier
            #expect(await world.post("/token", form, fields: Self.credential).error == "invalid_grant")
        }
    }

    @Test("A code without PKCE is refused once the rules demand PKCE of its client")
    func otherRules() async throws {
        let storage = MemoryProviderStorage()
        let lenient = try World(storage: storage) { $0.rules = .oidc }
        let code = try await lenient.code(Self.request)
        let strict = try World(storage: storage)
        #expect(await strict.post("/token", Self.grant(code), fields: Self.credential).status == .badRequest)
        #expect(await lenient.post("/token", Self.grant(code), fields: Self.credential).status == .ok)
    }

    @Test("A code without PKCE is rejected once its client is public")
    func publicClient() async throws {
        let storage = MemoryProviderStorage()
        let lenient = try World(storage: storage) { $0.rules = .oidc }
        let code = try await lenient.code(Self.request)
        let other = try World(storage: storage) {
            $0.rules = .oidc
            $0.clients[2].authenticationMethod = .none
        }
        var form = Self.grant(code)
        form[.clientID] = "web app"
        #expect(await other.post("/token", form).status == .badRequest)
    }

    @Test("A token request for an unknown code names a missing parameter where the rules demand it")
    func missingParameters() async throws {
        let cases: [(ProviderRules, Parameters.Name, String)] = [
            (.strict, .redirectURI, "invalid_request"), (.strict, .codeVerifier, "invalid_request"),
            (.oidc, .redirectURI, "invalid_grant"), (.oidc, .codeVerifier, "invalid_request"),
        ]
        for (rules, name, error) in cases {
            let world = try World { $0.rules = rules }
            #expect(await world.post("/token", .codeGrant("unknown") { $0[name] = nil }).error == error)
            #expect(world.log.refusal?.rule == nil)
        }
        let confidential = try World { $0.rules = .oidc }
        let response = await confidential.post("/token", Self.grant("unknown"), fields: Self.credential)
        #expect(response.error == "invalid_grant")
    }
}
