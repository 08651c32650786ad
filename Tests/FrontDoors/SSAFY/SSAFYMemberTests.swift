import Foundation
import Ostiary
import OstiarySSAFY
import OstiarySSAFYServer
import OstiaryTesting
import Testing

@Suite("SSAFY Verify: what a verification says about a member")
struct SSAFYMemberTests {
    private static let all: [Scope] = [.ssafyAffiliation, .ssafyName, .ssafyProfileImage, .ssafyMattermostID]

    private func verified(
        disclosing details: Set<SSAFYMember.Detail>,
        scopes: [Scope] = all
    ) async throws -> (result: VerificationResult, partner: SSAFYPartner) {
        let world = try SSAFYWorld()
        let partner = try SSAFYPartner(
            network: world.network,
            clientID: "ssafy-partner",
            clientSecret: "partner-secret",
            clock: world.clock,
            disclosing: details
        )
        let verifier = try world.verifier(scopes: scopes, backend: world.backend(over: partner))
        return (try await verifier.verify(), partner)
    }

    @Test(
        "A backend discloses the region, name, picture and Mattermost account that it chooses",
        .covers(.ssafy, rows: 52)
    )
    func disclosed() async throws {
        let member = try await verified(disclosing: Set(SSAFYMember.Detail.allCases)).result.member
        #expect(member.cohort == "15" && member.campus == "서울 캠퍼스" && member.region == "서울")
        #expect(member.name == "김지우" && member.mattermostID == "mm-jiwoo")
        #expect(member.picture?.absoluteString == "https://verify.myknow.xyz/images/members/1.png")
        #expect("\(member)" == "SSAFYMember")
    }

    @Test("A backend that discloses nothing returns cohort and campus only", .covers(.ssafy, rows: 52))
    func minimal() async throws {
        let (result, partner) = try await verified(disclosing: [])
        #expect(result.member.region == nil && result.member.name == nil && result.member.mattermostID == nil)
        #expect(result.additionalMembers.names.isEmpty && result.cohort == "15")
        // The backend's admitting closure has them all, to match an account with.
        let claims = try #require(partner.verifiedClaims.first)
        #expect(SSAFYMember(claims: claims).mattermostID == "mm-jiwoo")
    }

    @Test("A detail whose scope was not granted is not disclosed", .covers(.ssafy, rows: 52))
    func withoutScopes() async throws {
        let member = try await verified(disclosing: Set(SSAFYMember.Detail.allCases), scopes: [.ssafyAffiliation])
            .result.member
        #expect(member.region == "서울" && member.name == nil && member.picture == nil && member.mattermostID == nil)
    }

    @Test("A picture is an https URL, and a claim of another type counts as absent", .covers(.ssafy, rows: 52))
    func shapes() throws {
        func member(_ text: String) throws -> SSAFYMember {
            SSAFYMember(claims: try JSONObject(parsing: Array(text.utf8)))
        }
        #expect(try member(#"{"picture":"http://x.example/1.png"}"#).picture == nil)
        #expect(try member(#"{"picture":"javascript:alert(1)"}"#).picture == nil)
        #expect(try member(#"{"picture":"https://x.example/1.png"}"#).picture?.host() == "x.example")
        #expect(try member(#"{"ssafy_cohort":15,"name":"","ssafy_region":[]}"#) == member("{}"))
    }
}
