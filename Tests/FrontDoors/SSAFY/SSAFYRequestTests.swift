import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryProvider
import OstiarySSAFY
import OstiaryTesting
import Testing

@Suite("SSAFY Verify: the page that is opened", .timeLimit(.minutes(5)))
struct SSAFYRequestTests {
    /// The page that a verification opens.
    private func page(
        scopes: [Scope] = [],
        change: (inout SSAFYConfiguration) -> Void = { _ in }
    ) async throws -> URL {
        let opened = Lock<URL?>(nil)
        let verifier = try SSAFYWorld().verifier(
            scopes: scopes,
            userAgent: ScriptedUserAgent { url, _ throws(SignInError) in
                opened.withLock { $0 = url }
                throw SignInError(.authorization, .cancelled)
            },
            change: change
        )
        _ = await thrownError { () throws(VerificationError) in try await verifier.verify() }
        return try #require(opened.withLock { $0 })
    }

    @Test("The verification page lies below the canonical issuer", .covers(.ssafy, rows: 3))
    func place() async throws {
        let page = try await page()
        #expect(page.absoluteString.hasPrefix("https://verify.myknow.xyz/verify/authorize?"))
    }

    @Test(
        "The authorization request has six parameters, without response_type, nonce, prompt or hints",
        .covers(.ssafy, rows: 4, 5, 6, 7, 9, 10, 11)
    )
    func parameters() async throws {
        let query = SSAFYWorld.query(try await page(scopes: [.ssafyAffiliation]))
        #expect(
            Set(query.names) == [.clientID, .redirectURI, .scope, .state, .codeChallenge, .codeChallengeMethod]
        )
        #expect(query[.clientID] == "ssafy-partner")
        #expect(query[.redirectURI] == SSAFYWorld.callback)
        #expect(query[.scope] == "ssafy.verify ssafy.affiliation")
        #expect(query[.codeChallengeMethod] == "S256")
    }

    @Test("A response_type is sent when the configuration sets it", .covers(.ssafy, rows: 7))
    func responseType() async throws {
        let query = SSAFYWorld.query(try await page { $0.responseType = .code })
        #expect(query[.responseType] == "code")
    }

    @Test("The scope ssafy.verify is requested once, whatever scopes the app requests", .covers(.ssafy, rows: 3))
    func mandatoryScope() async throws {
        #expect(
            SSAFYWorld.query(try await page(scopes: [.ssafyName, .ssafyVerify]))[.scope] == "ssafy.verify ssafy.name"
        )
        #expect(SSAFYWorld.query(try await page())[.scope] == "ssafy.verify")
    }

    @Test(
        "State and challenge are 32 bytes each, and new each time",
        .covers(.ssafy, rows: 4, 5, cites: "V-1", "V-5")
    )
    func randomness() async throws {
        let first = SSAFYWorld.query(try await page())
        let second = SSAFYWorld.query(try await page())
        for query in [first, second] {
            #expect(try Base64URL.decode(try #require(query[.state])).count == 32)
            #expect(try Base64URL.decode(try #require(query[.codeChallenge])).count == 32)
        }
        #expect(first[.state] != second[.state])
        #expect(first[.codeChallenge] != second[.codeChallenge])
    }

    @Test(
        "The verifier is 43 characters of base64url and matches the challenge",
        .covers(.ssafy, rows: 4, cites: "V-1")
    )
    func verifierBelongs() async throws {
        let world = try SSAFYWorld()
        _ = try await world.verifier().verify()
        let body = try JSONObject(parsing: try #require(world.partner.requests.first?.body))
        let verifier = try #require(body["codeVerifier"]?.string)
        #expect(verifier.utf8.count == 43)
        #expect(try Base64URL.decode(verifier).count == 32)
        // The service compared it with the challenge, or there would be no token.
        #expect(world.partner.verifiedClaims.count == 1)
    }
}
