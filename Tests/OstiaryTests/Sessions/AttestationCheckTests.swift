import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("The provider's checks of client attestation")
struct AttestationCheckTests {
    private let clock = TestClock()
    private let attester: Attester
    private let instance = try! SigningKey.generate(.es256)
    private let world: World

    init() throws {
        let attester = Attester(clock: clock)
        self.attester = attester
        world = try World(
            client: { $0.authenticationMethod = .attestation(attesterKeys: attester.keys) },
            provider: { $0.attestation.requiresChallenge = false },
            clock: clock
        )
    }

    private var now: Int { Int(clock.now.timeIntervalSince1970) }
    private var attestationClaims: JSONObject { attester.claims(for: instance.publicKey) }
    private var proofClaims: JSONObject {
        ["aud": .string(World.issuer), "jti": "one", "iat": .integer(now)]
    }

    private func proof(
        _ change: (inout JSONObject) -> Void = { _ in },
        type: String? = "oauth-client-attestation-pop+jwt",
        key: SigningKey? = nil
    ) throws -> String {
        var claims = proofClaims
        change(&claims)
        return try (key ?? instance).sign(claims: claims, type: type)
    }

    private func attestation(
        _ change: (inout JSONObject) -> Void = { _ in },
        type: String? = "oauth-client-attestation+jwt",
        key: SigningKey? = nil
    ) throws -> String {
        var claims = attestationClaims
        change(&claims)
        return try (key ?? attester.key).sign(claims: claims, type: type)
    }

    /// The answer to a token request with an unknown code: `invalid_grant` once the client is known.
    private func answer(_ attestations: [String], _ proofs: [String], in world: World? = nil) async -> String? {
        var fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        for value in attestations { fields.append(HTTPField(name: .clientAttestation, value: value)) }
        for value in proofs { fields.append(HTTPField(name: .clientAttestationProof, value: value)) }
        let verifier = String(repeating: "v", count: 43)
        let form = Parameters([
            .grantType: "authorization_code", .clientID: "app", .code: "unknown", .codeVerifier: verifier,
            .redirectURI: "com.example.app:/callback",
        ])
        let provider = (world ?? self.world).provider
        let response = await provider.respond(
            to: ProviderRequest(
                method: .post,
                path: "/token",
                query: nil,
                fields: fields,
                body: Array(FormURLEncoding.encode(form).utf8)
            )
        )
        return (try? JSONObject(parsing: provider.body(of: response)))?["error"]?.string
    }

    @Test("A valid attestation and proof are accepted, and a replayed proof is rejected")
    func accepted() async throws {
        let (attestation, proof) = (try attestation(), try proof())
        #expect(await answer([attestation], [proof]) == "invalid_grant")
        #expect(await answer([attestation], [proof]) == "invalid_client")
        #expect(await answer([attestation], [try self.proof { $0["jti"] = "two" }]) == "invalid_grant")
    }

    @Test("A request with more or fewer than one attestation and one proof is rejected")
    func count() async throws {
        let (attestation, proof) = (try attestation(), try proof())
        #expect(await answer([], []) == "invalid_client")
        #expect(await answer([attestation], []) == "invalid_client")
        #expect(await answer([], [proof]) == "invalid_client")
        #expect(await answer([attestation, attestation], [proof]) == "invalid_client")
        #expect(await answer([attestation], [proof, proof]) == "invalid_client")
    }

    @Test(
        "An attestation with a wrong or missing claim is rejected",
        arguments: [
            "sub", "sub missing", "exp", "exp missing", "iat", "nbf", "cnf missing", "cnf private", "cnf symmetric",
        ]
    )
    func attestationClaim(name: String) async throws {
        let now = now
        let instance = instance
        let changed = try attestation { claims in
            switch name {
            case "sub": claims["sub"] = "another"
            case "sub missing": claims["sub"] = nil
            case "exp": claims["exp"] = .integer(now)
            case "exp missing": claims["exp"] = nil
            case "iat": claims["iat"] = .integer(now + 11)
            case "nbf": claims["nbf"] = .integer(now + 11)
            case "cnf missing": claims["cnf"] = nil
            case "cnf private": claims["cnf"] = ["jwk": .object(try! instance.privateJWK())]
            default: claims["cnf"] = ["jwk": ["kty": "oct", "k": "c2VjcmV0"]]
            }
        }
        #expect(await answer([changed], [try proof()]) == "invalid_client")
    }

    @Test("An attestation with another typ, an unknown key or no signature is rejected")
    func attestationForm() async throws {
        let stranger = try SigningKey.generate(.es256, keyID: "attester")
        for wrong in [
            try attestation(type: "JWT"), try attestation(type: nil), try attestation(key: stranger), "a.b.c", "",
            try attestation(type: "oauth-client-attestation-pop+jwt"),
        ] {
            #expect(await answer([wrong], [try proof()]) == "invalid_client")
        }
        let parts = try attestation().split(separator: ".")
        #expect(await answer(["\(parts[0]).\(parts[1])."], [try proof()]) == "invalid_client")
    }

    @Test(
        "An attestation proof with a wrong audience, jti or time is rejected",
        arguments: [
            "aud", "aud list", "aud missing", "jti missing", "jti empty", "jti long", "iat missing", "iat old",
            "iat future",
            "iss", "challenge",
        ]
    )
    func proofClaim(name: String) async throws {
        let now = now
        let changed = try proof { claims in
            switch name {
            case "aud": claims["aud"] = "https://other.example.test"
            case "aud list": claims["aud"] = [.string(World.issuer)]
            case "aud missing": claims["aud"] = nil
            case "jti missing": claims["jti"] = nil
            case "jti empty": claims["jti"] = ""
            case "jti long": claims["jti"] = .string(String(repeating: "j", count: 257))
            case "iat missing": claims["iat"] = nil
            case "iat old": claims["iat"] = .integer(now - 302)
            case "iat future": claims["iat"] = .integer(now + 12)
            case "iss": claims["iss"] = "another"
            default: claims["challenge"] = 1
            }
        }
        #expect(await answer([try attestation()], [changed]) == "invalid_client")
    }

    @Test("An attestation proof of another type or by another key is rejected")
    func proofForm() async throws {
        let stranger = try SigningKey.generate(.es256)
        for wrong in [
            try proof(type: "JWT"), try proof(type: nil), try proof(type: "dpop+jwt"), try proof(key: stranger),
            try proof(key: attester.key), "a.b.c",
        ] {
            #expect(await answer([try attestation()], [wrong]) == "invalid_client")
        }
    }

    @Test("An attestation older than the policy gets use_fresh_attestation")
    func age() async throws {
        let attestation = try attestation { [now] in
            $0["iat"] = .integer(now - 86_401)
        }
        #expect(await answer([attestation], [try proof()]) == "use_fresh_attestation")
    }

    @Test("A required attestation challenge that is missing, wrong or old gets a new one")
    func challenge() async throws {
        let attester = attester
        let strict = try World(
            client: { $0.authenticationMethod = .attestation(attesterKeys: attester.keys) },
            clock: clock
        )
        #expect(await answer([try attestation()], [try proof()], in: strict) == "use_attestation_challenge")
        let guessed = try proof { $0["challenge"] = "guessed" }
        #expect(await answer([try attestation()], [guessed], in: strict) == "use_attestation_challenge")
        let given = try await challenge(of: strict)
        let right = try proof { $0["challenge"] = .string(given) }
        #expect(await answer([try attestation()], [right], in: strict) == "invalid_grant")
        clock.advance(by: .seconds(601))
        let late = try proof { $0["challenge"] = .string(given) }
        #expect(await answer([try attestation()], [late], in: strict) == "use_attestation_challenge")
    }

    @Test("The metadata names attestation, its algorithms and the challenge endpoint")
    func metadata() async throws {
        let strict = try World(client: { [attester] in
            $0.authenticationMethod = .attestation(attesterKeys: attester.keys)
        })
        let response = await strict.provider.respond(
            to: ProviderRequest(
                method: .get,
                path: "/.well-known/openid-configuration",
                query: nil,
                fields: [:],
                body: []
            )
        )
        let metadata = try JSONObject(parsing: strict.provider.body(of: response))
        let methods = metadata["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string) ?? []
        #expect(methods.contains("attest_jwt_client_auth"))
        #expect(metadata["challenge_endpoint"]?.string == World.issuer + "/challenge")
        #expect(metadata["client_attestation_pop_signing_alg_values_supported"]?.array?.isEmpty == false)
    }

    private func challenge(of world: World) async throws -> String {
        let response = await world.provider.respond(
            to: ProviderRequest(method: .post, path: "/challenge", query: nil, fields: [:], body: [])
        )
        let object = try JSONObject(parsing: world.provider.body(of: response))
        return try #require(object["attestation_challenge"]?.string)
    }
}
