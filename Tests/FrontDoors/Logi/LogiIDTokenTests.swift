import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryLogi
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

/// One way in which an ID token is made, and what comes of it; the names are those of the vendor's own list.
struct LogiTokenCase: Sendable, CustomTestStringConvertible {
    let name: String
    let check: SignInError.Check?
    let code: String?
    let scenario: Scenario

    init(
        _ name: String,
        _ check: SignInError.Check? = nil,
        _ code: String? = nil,
        _ change: @escaping @Sendable (inout TokenDraft) -> Void
    ) {
        self.name = name
        self.check = check
        self.code = code
        scenario = Scenario(name: name) { $0.idToken = change }
    }

    var testDescription: String { name }

    static let other = try! SigningKey.generate(.rs256, keyID: "other-key")

    static let all: [LogiTokenCase] = [
        .init("valid") { _ in },
        .init("missing_kid", .key, "unknown_kid") { $0.header["kid"] = nil },
        .init("unknown_kid", .key, "unknown_kid") { $0.header["kid"] = "nobody's" },
        .init("bad_signature", .signature, "bad_signature") { $0.signature = .damaged },
        .init("wrong_key", .signature, "bad_signature") { draft in
            draft.signature = .other { (try? other.signature(for: $0)) ?? [] }
        },
        .init("aud_mismatch", .audience, "aud_mismatch") { $0.claims["aud"] = "logi_other" },
        .init("iss_mismatch", .issuer, "iss_mismatch") { $0.claims["iss"] = "logi" },
        .init("expired", .expiry, "expired") { $0.claims["exp"] = .integer(1_800_000_000 - 61) },
        .init("nonce_mismatch", .nonce, "nonce_mismatch") { $0.claims["nonce"] = "another" },
        .init("nonce_missing", .nonce, "nonce_mismatch") { $0.claims["nonce"] = nil },
        .init("wrong_alg", .algorithm, "bad_signature") { $0.header["alg"] = "RS384" },
        .init("alg_none", .algorithm, "bad_signature") { draft in
            draft.header["alg"] = "none"
            draft.signature = .absent
        },
        .init("alg_hs256", .algorithm, "bad_signature") { $0.header["alg"] = "HS256" },
        .init("alg_es256", .algorithm, "bad_signature") { $0.header["alg"] = "ES256" },
        .init("azp_mismatch", .authorizedParty, "aud_mismatch") { $0.claims["azp"] = "logi_other" },
        .init("multi_aud_no_azp", .authorizedParty, "aud_mismatch") {
            $0.claims["aud"] = [.string(LogiDevelopment.clientID), "https://trusted.example"]
        },
        .init("multi_aud_valid_azp") {
            $0.claims["aud"] = [.string(LogiDevelopment.clientID), "https://trusted.example"]
            $0.claims["azp"] = .string(LogiDevelopment.clientID)
        },
        .init("multi_aud_untrusted", .audience, "aud_mismatch") {
            $0.claims["aud"] = [.string(LogiDevelopment.clientID), "https://stranger.example"]
            $0.claims["azp"] = .string(LogiDevelopment.clientID)
        },
        .init("at_hash_valid") { #expect($0.claims["at_hash"] != nil) },
        .init("at_hash_mismatch", .accessTokenHash, "at_hash_mismatch") {
            $0.claims["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA"
        },
        .init("at_hash_absent") { $0.claims["at_hash"] = nil },
        .init("sub_missing", .subject, "missing_claim") { $0.claims["sub"] = nil },
        .init("sub_empty", .subject, "missing_claim") { $0.claims["sub"] = "" },
        .init("iat_missing", .issuedAt, "malformed") { $0.claims["iat"] = nil },
        .init("iat_future", .issuedAt, "malformed") { $0.claims["iat"] = .integer(1_800_000_000 + 61) },
        .init("iat_within_skew") { $0.claims["iat"] = .integer(1_800_000_000 + 59) },
        .init("exp_within_skew") { draft in
            draft.claims["iat"] = .integer(1_800_000_000 - 300)
            draft.claims["exp"] = .integer(1_800_000_000 - 59)
        },
        .init("exp_missing", .expiry, "expired") { $0.claims["exp"] = nil },
        .init("crit", .critical, "bad_signature") { draft in
            draft.header["crit"] = ["b64"]
            draft.header["b64"] = true
        },
    ]
}

@Suite("An ID token of logi")
struct LogiIDTokenTests {
    @Test(
        "Every ID token of the vendor's list ends in its check before anything is stored",
        .covers(.logi, rows: 6, 27, 28, 29, 30, cites: "L-2"),
        arguments: LogiTokenCase.all
    )
    func vector(token: LogiTokenCase) async throws {
        let world = try LogiWorld(scenario: token.scenario)
        var configuration = try world.configuration()
        configuration.trustedAudiences = ["https://trusted.example"]
        let logi = try world.logi(configuration)
        let error = await thrownError { () async throws(SignInError) in _ = try await logi.signIn() }
        #expect(error == token.check.map { SignInError(.identity, .mismatch($0)) })
        #expect(error.map { LogiAuthError($0) } == token.code.map { .idTokenInvalid(code: $0) })
        #expect((try await logi.restoreSession() == nil) == (error != nil))
    }

    @Test("Every faulty ID token is rejected with its error", .covers(.logi, rows: 27), arguments: SignInFault.idToken)
    func fault(_ fault: SignInFault) async throws {
        let logi = try LogiWorld(scenario: fault.scenario).logi()
        try await fault.check { _ = try await logi.signIn() }
        #expect(try await logi.restoreSession() == nil)
    }

    @Test(
        "A token response without an ID token fails as missingIdToken",
        .covers(.logi, rows: 6, 27, cites: "L-2")
    )
    func missing() async throws {
        let world = try LogiWorld(
            scenario: Scenario(name: "no-id-token") { $0.tokenResponse = { answer, _ in answer["id_token"] = nil } }
        )
        let logi = try world.logi()
        let error = try #require(await thrownError { () async throws(SignInError) in _ = try await logi.signIn() })
        #expect(error.reason == .mismatch(.idToken))
        #expect(LogiAuthError(error) == .missingIdToken)
    }

    @Test("An ID token that does not have three parts is malformed", .covers(.logi, rows: 27))
    func shape() async throws {
        let world = try LogiWorld(
            scenario: Scenario(name: "no-jwt") { $0.tokenResponse = { answer, _ in answer["id_token"] = "a.b" } }
        )
        let logi = try world.logi()
        let error = try #require(await thrownError { () async throws(SignInError) in _ = try await logi.signIn() })
        #expect(LogiAuthError(error) == .idTokenInvalid(code: "malformed"))
    }

    @Test(
        "Unknown keys and keys of other types are ignored, even one with the same kid",
        .covers(.logi, rows: 27, 31)
    )
    func otherKeys() async throws {
        let curve = try SigningKey.generate(.es256, keyID: LogiWorld.key.keyID).publicKey.jsonObject
        let world = try LogiWorld(
            scenario: Scenario(name: "other-keys") {
                $0.keySet = { document in
                    let keys = document["keys"]?.array ?? []
                    let unknown: JSONValue = ["kty": "XYZ", "kid": "strange"]
                    document["keys"] = .array([unknown, .object(curve)] + keys)
                }
            }
        )
        _ = try await world.logi().signIn()
    }

    @Test(
        "The key set is read once an hour, and once more for an unknown key",
        .covers(.logi, rows: 31)
    )
    func rotation() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let session = try await logi.signIn()
        try await session.refresh()
        #expect(world.wire.requests(to: "/.well-known/jwks.json").count == 1)
        try await world.provider.rotateSigningKeys()
        world.clock.advance(by: .seconds(600))
        try await session.refresh()
        #expect(world.wire.requests(to: "/.well-known/jwks.json").count == 2)
        try await session.refresh()
        #expect(world.wire.requests(to: "/.well-known/jwks.json").count == 2)
    }

    @Test(
        "An unknown key is rejected after at most one more read of the key set",
        .covers(.logi, rows: 31)
    )
    func unknown() async throws {
        let world = try LogiWorld(
            scenario: Scenario(name: "unknown") { $0.idToken = { $0.header["kid"] = "nobody's" } }
        )
        let logi = try world.logi()
        _ = await thrownError { () async throws(SignInError) in _ = try await logi.signIn() }
        #expect(world.wire.requests(to: "/.well-known/jwks.json").count <= 2)
    }

    @Test("A key set that cannot be read fails the sign-in with its status", .covers(.logi, rows: 31))
    func noKeys() async throws {
        let world = try LogiWorld()
        world.wire.answer { $0.url.path() == "/.well-known/jwks.json" ? EndpointResponse(status: .badGateway) : nil }
        let logi = try world.logi()
        let error = try #require(await thrownError { () async throws(SignInError) in _ = try await logi.signIn() })
        #expect(error == SignInError(.keys, .server(status: 502)))
        #expect(LogiAuthError(error) == .jwksFetchFailed(status: 502))
    }

    @Test("A requested maximum age is checked, although the vendor does not document it", .covers(.logi, rows: 6))
    func maximumAge() async throws {
        let world = try LogiWorld(scenario: .missingAuthenticationTime)
        let logi = try world.logi()
        let request = AuthorizationRequest(scopes: LogiPreset.scopes, maximumAge: .seconds(60))
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await logi.signIn(request) }
                == SignInError(.identity, .mismatch(.authenticationTime))
        )
        #expect(try await logi.signIn().identity != nil)
    }
}
