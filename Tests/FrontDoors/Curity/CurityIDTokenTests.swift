import Foundation
import Ostiary
import OstiaryCurity
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Curity: ID tokens are checked")
struct CurityIDTokenTests {
    @Test(
        "An ID token that fails a check ends the sign-in, and nothing is stored",
        .covers(.curity, rows: 6, 27, 28, 29, cites: "C-2"),
        arguments: SignInFault.idToken
    )
    func refused(_ fault: SignInFault) async throws {
        let world = try CurityWorld(scenario: fault.scenario)
        let curity = try world.start()
        try await fault.check { _ = try await curity.signIn() }
        #expect(try await world.start().restoreSession() == nil)
    }

    @Test("at_hash need not be there, and azp is this client's", .covers(.curity, rows: 28, 29))
    func accepted() async throws {
        let session = try await CurityWorld(scenario: .missingAccessTokenHash).start().signIn()
        let identity = try #require(session.identity)
        #expect(identity.audience == [identity.claims["azp"]?.string ?? ""])
    }

    @Test("Only the registered algorithm is accepted, though the server has others", .covers(.curity, rows: 27))
    func registeredAlgorithm() async throws {
        let curity = try CurityWorld().start(.describingItself(additional: ["id_token_signed_response_alg": "ES256"]))
        #expect(try await curity.signIn().identity != nil)
        let lying = Scenario(name: "other alg") { $0.registration = { $0["id_token_signed_response_alg"] = "ES256" } }
        let deceived = try CurityWorld(scenario: lying).start()
        let error = await thrownError { () throws(SignInError) in try await deceived.signIn() }
        #expect(error == SignInError(.identity, .mismatch(.algorithm)))
    }

    @Test("A registration that does not say it means RS256", .covers(.curity, rows: 27))
    func defaultAlgorithm() async throws {
        let silent = Scenario(name: "no alg") { $0.registration = { $0["id_token_signed_response_alg"] = nil } }
        #expect(try await CurityWorld(scenario: silent).start().signIn().identity != nil)
    }

    @Test(
        "An ID token expired by 59 seconds is accepted, and one expired by 61 seconds is rejected",
        .covers(.curity, rows: 30),
        arguments: [59, 61]
    )
    func skew(seconds: Int) async throws {
        let late = Scenario(name: "late") { scenario in
            scenario.idToken = { draft in
                guard let made = draft.claims["iat"]?.integer else { return }
                draft.claims["iat"] = .integer(made - 400)
                draft.claims["exp"] = .integer(made - seconds)
            }
        }
        let curity = try CurityWorld(scenario: late).start()
        let error = await thrownError { () throws(SignInError) in try await curity.signIn() }
        #expect(error == (seconds < 60 ? nil : SignInError(.identity, .mismatch(.expiry))))
    }

    @Test("Keys are read once, and once more when one is unknown", .covers(.curity, rows: 31))
    func keys() async throws {
        let path = "/oauth/v2/oauth-anonymous/jwks"
        let world = try CurityWorld()
        let curity = try world.start()
        _ = try await curity.signIn()
        _ = try await curity.signIn()
        #expect(world.network.count(path: path) == 1)
        let rotating = try CurityWorld(scenario: .keyRotation) { $0.signingAlgorithms = [.es256] }
        let session = try await rotating.start(
            .describingItself(additional: ["id_token_signed_response_alg": "ES256"])
        ).signIn()
        #expect(session.identity != nil)
        #expect(rotating.network.count(path: path) == 2)
    }
}
