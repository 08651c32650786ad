import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiarySSAFY
import OstiaryTesting
import Testing

@Suite("SSAFY Verify: a verification", .timeLimit(.minutes(5)))
struct SSAFYVerificationTests {
    @Test(
        "The app's backend verifies a member, and the app gets the minimal result",
        .covers(.ssafy, rows: 3, 4, 5, 8, 17, 20, 21)
    )
    func memberIsVerified() async throws {
        let world = try SSAFYWorld()
        let result = try await world.verifier().verify()
        #expect(result.cohort == "15")
        #expect(result.campus == "서울 캠퍼스")
        #expect(result.status == .verified)
        #expect(result.authenticated == world.clock.now)
        #expect(!result.subject.isEmpty)
        #expect(result.additionalMembers.isEmpty)
    }

    @Test(
        "The app sends one request to its backend, and none to the token or key endpoint",
        .covers(.ssafy, rows: 16, 17, 32)
    )
    func appSeesNoToken() async throws {
        let world = try SSAFYWorld()
        let recorded = SSAFYAnswer(200, #"{"ok":true,"verified":true,"sub":"s","authTime":1781740800}"#)
        _ = try await world.verifier(backend: world.backend(over: recorded)).verify()
        #expect(recorded.requests.map(\.url) == [SSAFYPartner.endpoint])
        #expect(world.network.count(path: "/verify/token") == 0)
        #expect(world.network.count(path: "/verify/jwks") == 0)
    }

    @Test("The body is exactly code, codeVerifier, redirectUri and iss", .covers(.ssafy, rows: 17))
    func bodyIsExact() async throws {
        let world = try SSAFYWorld()
        _ = try await world.verifier().verify()
        let request = try #require(world.partner.requests.first)
        let body = try JSONObject(parsing: request.body ?? [])
        #expect(body.names == ["code", "codeVerifier", "redirectUri", "iss"])
        #expect(body["redirectUri"] == .string(SSAFYWorld.callback))
        #expect(body["iss"] == .string(SSAFYWorld.issuer))
        #expect(request.content?.mediaType == "application/json")
        #expect(request.method == .post)
    }

    @Test("A public client's backend redeems the code without a client secret", .covers(.ssafy, rows: 3, 17))
    func publicClient() async throws {
        let world = try SSAFYWorld(clientID: "ssafy-app")
        let result = try await world.verifier(clientID: "ssafy-app").verify()
        #expect(result.cohort == "15")
    }

    @Test("The staff's cohort 0 stays a string", .covers(.ssafy, rows: 3))
    func staffCohort() async throws {
        let world = try SSAFYWorld()
        let result = try await world.verifier(as: "minseo").verify()
        #expect(result.cohort == "0")
    }

    @Test("Without the affiliation there is no cohort and no campus", .covers(.ssafy, rows: 3))
    func withoutAffiliation() async throws {
        let world = try SSAFYWorld()
        let result = try await world.verifier(scopes: []).verify()
        #expect(result.cohort == nil)
        #expect(result.campus == nil)
    }

    @Test("A second verification with other scopes is a re-authentication", .covers(.ssafy, rows: 3))
    func reauthentication() async throws {
        let world = try SSAFYWorld()
        let verifier = try world.verifier()
        let first = try await verifier.verify()
        let second = try await verifier.verify(scopes: [.ssafyMattermostID])
        #expect(first.subject == second.subject)
        #expect(world.partner.verifiedClaims.last?["ssafy_mattermost_user_id"] == "mm-jiwoo")
        #expect(world.partner.verifiedClaims.last?["ssafy_cohort"] == nil)
    }

    @Test("A guest's verification is refused with the service's code", .covers(.ssafy, rows: 56))
    func guestIsRefused() async throws {
        let world = try SSAFYWorld()
        let error = await thrownError { () throws(VerificationError) in try await world.verifyGuest() }
        #expect(error?.reason == .refused)
        #expect(error?.code == .memberNotFound)
        #expect(error?.requestID != nil)
    }

    @Test("A user agent that cannot receive an https redirect uses the fallback scheme", .covers(.ssafy, rows: 22))
    func fallBackScheme() async throws {
        let world = try SSAFYWorld()
        let userAgent = SSAFYSchemesOnly(next: world.person())
        let verifier = try world.verifier(fallback: SSAFYWorld.deepLink, userAgent: userAgent)
        _ = try await verifier.verify()
        let body = try JSONObject(parsing: try #require(world.partner.requests.first?.body))
        #expect(body["redirectUri"] == .string(SSAFYWorld.deepLink))
    }

    @Test("The https redirect is tried before the fallback scheme", .covers(.ssafy, rows: 21, 22))
    func linkComesFirst() async throws {
        let world = try SSAFYWorld()
        _ = try await world.verifier(fallback: SSAFYWorld.deepLink).verify()
        let body = try JSONObject(parsing: try #require(world.partner.requests.first?.body))
        #expect(body["redirectUri"] == .string(SSAFYWorld.callback))
    }

    @Test("Without a fallback scheme the user agent's configuration error is thrown", .covers(.ssafy, rows: 21))
    func noFallBack() async throws {
        let world = try SSAFYWorld()
        let verifier = try world.verifier(userAgent: SSAFYSchemesOnly(next: world.person()))
        let error = await thrownError { () throws(VerificationError) in try await verifier.verify() }
        #expect(error == VerificationError(.configuration("No links here.")))
    }

    @Test(
        "A loopback redirect has the listener's port, in the request to the backend as well",
        .covers(.ssafy, rows: 48)
    )
    func loopback() async throws {
        let world = try SSAFYWorld()
        let person = world.person()
        let verifier = try world.verifier(
            redirectURI: "http://127.0.0.1/ssafy/callback",
            userAgent: ScriptedUserAgent(port: 49152) { page, redirectURI async throws(SignInError) in
                try await person.attempt(awaiting: redirectURI).open(page, accepting: .any)
            }
        )
        _ = try await verifier.verify()
        let body = try JSONObject(parsing: try #require(world.partner.requests.first?.body))
        #expect(body["redirectUri"] == "http://127.0.0.1:49152/ssafy/callback")
    }
}

extension SSAFYWorld {
    func verifyGuest() async throws(VerificationError) -> VerificationResult {
        let verifier: SSAFYVerify
        do { verifier = try self.verifier(as: "guest") } catch { throw VerificationError(.configuration("")) }
        return try await verifier.verify()
    }
}

/// A user agent that receives at schemes of the app's own alone.
private struct SSAFYSchemesOnly: UserAgent {
    let next: any UserAgent

    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        guard !redirectURI.description.hasPrefix("https:") else {
            throw SignInError(.authorization, .configuration("No links here."))
        }
        return try await next.attempt(awaiting: redirectURI)
    }
}
