import Foundation
import OstiarySSAFY
import Testing

/// The platform notes of SSAFY Verify: no SDK, but two JSON texts and the place of the callback.
@Suite
struct SSAFYSnippetTests {
    @Test("The client-to-backend JSON is read and written as it stands")
    func clientToBackend() throws {
        let snippet = """
            {
              "code": "code_from_callback",
              "codeVerifier": "pkce_verifier_from_client",
              "redirectUri": "https://partner.example.com/ssafy",
              "iss": "https://verify.myknow.xyz"
            }
            """
        // The note's verifier is a word; a real one has 43 characters or more.
        let verifier = String(repeating: "v", count: 43)
        let body = Array(snippet.replacing("pkce_verifier_from_client", with: verifier).utf8)
        let request = try VerificationExchangeRequest(parsing: body)
        #expect(request.code.reveal() == "code_from_callback")
        #expect(try JSONObject(parsing: request.body) == JSONObject(parsing: body))
        #expect(throws: VerificationError(.refused, code: .invalidRequest)) {
            try VerificationExchangeRequest(parsing: Array(snippet.utf8))
        }
    }

    @Test("The backend-success JSON is a result")
    func backendSuccess() throws {
        let snippet = """
            {
              "ok": true,
              "verified": true,
              "sub": "pairwise_subject_placeholder",
              "cohort": "15",
              "campus": "서울 캠퍼스",
              "authTime": 1781740800
            }
            """
        let result = try VerificationResult(parsing: Array(snippet.utf8))
        #expect(result.subject == "pairwise_subject_placeholder")
        #expect(result.cohort == "15")
        #expect(result.campus == "서울 캠퍼스")
        #expect(result.authenticated == Date(timeIntervalSince1970: 1_781_740_800))
        #expect(try JSONObject(parsing: result.body) == JSONObject(parsing: Array(snippet.utf8)))
    }

    @Test("The deep-link settings make a configuration: the link first, the scheme as the fall back")
    func deepLink() throws {
        let configuration = try SSAFYConfiguration(
            clientID: "partner",
            redirectURI: "https://partner.example.com/ios/ssafy/callback",
            fallbackRedirectURI: "partnerapp://ssafy/callback",
            scopes: [.ssafyAffiliation, .ssafyName, .ssafyProfileImage, .ssafyMattermostID]
        )
        #expect(configuration.issuer.description == "https://verify.myknow.xyz")
        #expect(
            configuration.scopes.text
                == "ssafy.verify ssafy.affiliation ssafy.name ssafy.profile_image ssafy.mattermost_id"
        )
    }
}
