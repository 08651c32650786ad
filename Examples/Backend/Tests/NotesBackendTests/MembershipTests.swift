import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ostiary
import OstiaryAutomation
import OstiaryJOSE
import OstiaryOAuth
import OstiarySQLite
import OstiarySSAFY
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("A backend of one's own: codes that the app hands over", .timeLimit(.minutes(5)))
struct MembershipTests {
    private static let verifier = String(repeating: "v", count: 43)

    /// A code that SSAFY Verify gave the app.
    private func code(_ world: NotesWorld) async throws -> String {
        let query: OstiaryOAuth.Parameters = [
            .clientID: "ssafy-partner", .redirectURI: NotesWorld.membershipCallback,
            .scope: "ssafy.verify ssafy.affiliation", .state: "state",
            .codeChallenge: Base64URL.encode(HashAlgorithm.sha256.hash(Array(Self.verifier.utf8))),
            .codeChallengeMethod: "S256",
        ]
        let issuer = SSAFYConfiguration.canonicalIssuer
        let page = try #require(URL(string: issuer + "/verify/authorize?" + FormURLEncoding.encode(query)))
        let callback = try await world.person("jiwoo", "mattermost code")
            .attempt(awaiting: try RedirectURI(NotesWorld.membershipCallback)).open(page, accepting: .any)
        let answer = FormURLEncoding.decode(callback.query(percentEncoded: true) ?? "")
        return try #require(answer?[.code])
    }

    @Test(
        "A redeemed code returns the verified member once, and five facts are stored",
        arguments: [TestingSetup.router, .live]
    )
    func handoff(_ setup: TestingSetup) async throws {
        let world = try NotesWorld()
        let body: JSONObject = [
            "code": .string(try await code(world)), "codeVerifier": .string(Self.verifier),
            "redirectUri": .string(NotesWorld.membershipCallback),
            "iss": .string(SSAFYConfiguration.canonicalIssuer),
        ]
        try await world.serve(setup) { client in
            func hand(_ body: JSONObject) async throws -> TestResponse {
                try await client.execute(
                    uri: "/membership",
                    method: .post,
                    headers: [.contentType: "application/json"],
                    body: ByteBuffer(bytes: body.encoded())
                )
            }
            let answer = try await hand(body)
            #expect(answer.status == .ok)
            let result = try answer.json
            #expect(result["verified"] == true && result["cohort"] == "15")
            #expect(try await hand(body).json == result)
            var other = body
            other["codeVerifier"] = .string(String(repeating: "w", count: 43))
            #expect(try await hand(other).status == .unauthorized)
            other["more"] = true
            #expect(try await hand(other).status == .badRequest)
            let subject = try #require(result["sub"]?.string)
            #expect(try await world.store.verification(of: subject)?.campus == "서울 캠퍼스")
        }
    }
}
