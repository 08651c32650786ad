import Foundation
import Ostiary
import OstiarySSAFY
import Testing

@Suite("SSAFY Verify: the contract between app and backend", .timeLimit(.minutes(5)))
struct SSAFYContractTests {
    private static let verifier = String(repeating: "v", count: 43)

    private static func body(
        code: String = "0123456789abcdef",
        verifier: String = verifier,
        redirect: String = "https://partner.example.com/ssafy",
        iss: String = "https://verify.myknow.xyz",
        more: String = ""
    ) -> String {
        #"{"code":"\#(code)","codeVerifier":"\#(verifier)","redirectUri":"\#(redirect)","iss":"\#(iss)"\#(more)}"#
    }

    @Test("A handoff body with the four members is read", .covers(.ssafy, rows: 17))
    func whole() throws {
        let request = try VerificationExchangeRequest(parsing: Array(Self.body().utf8))
        #expect(request.code.reveal() == "0123456789abcdef")
        #expect(request.codeVerifier.reveal() == Self.verifier)
        #expect(request.redirectURI.description == "https://partner.example.com/ssafy")
        #expect(request.issuer.description == "https://verify.myknow.xyz")
        #expect(request.body == Array(Self.body().utf8))
    }

    @Test(
        "A handoff body with other members is an invalid request",
        .covers(.ssafy, rows: 17),
        arguments: [
            body(more: #","state":"s""#), body(code: "short"), body(code: String(repeating: "c", count: 257)),
            body(code: "0123456789 abcdef"), body(verifier: "short"), body(verifier: verifier + "+"),
            body(verifier: String(repeating: "v", count: 129)), body(redirect: "/callback"),
            body(redirect: "https://p.example/" + String(repeating: "p", count: 2000)), body(iss: "verify.myknow.xyz"),
            #"{"code":"0123456789abcdef"}"#, "[]", "", #"{"code":1,"codeVerifier":2,"redirectUri":3,"iss":4}"#,
            body(more: #","iss":"https://verify.myknow.xyz""#),
        ]
    )
    func strict(_ body: String) {
        #expect(throws: VerificationError(.refused, code: .invalidRequest)) {
            try VerificationExchangeRequest(parsing: Array(body.utf8))
        }
    }

    @Test("An encoded handoff request has the same four members", .covers(.ssafy, rows: 17))
    func encodable() throws {
        let request = try VerificationExchangeRequest(parsing: Array(Self.body().utf8))
        let encoded = try JSONObject(parsing: Array(try JSONEncoder().encode(request)))
        #expect(encoded == (try JSONObject(parsing: request.body)))
    }

    @Test("A verification result is written as the contract defines it", .covers(.ssafy, rows: 17))
    func result() throws {
        let result = VerificationResult(
            subject: "pairwise",
            cohort: "15",
            campus: "서울 캠퍼스",
            authenticated: Date(timeIntervalSince1970: 1_781_740_800)
        )
        let body = try JSONObject(parsing: result.body)
        #expect(
            body == [
                "ok": true, "verified": true, "sub": "pairwise", "cohort": "15", "campus": "서울 캠퍼스",
                "authTime": 1_781_740_800,
            ]
        )
        #expect(try VerificationResult(parsing: result.body) == result)
    }

    @Test(
        "A refusal is written with its code, request id and status",
        .covers(.ssafy, rows: 17, 56),
        arguments: [
            (VerificationErrorCode.invalidRequest, 400), (.callbackIssuerMismatch, 400), (.redirectURIMismatch, 400),
            (.tokenInvalid, 401), (.requestForbidden, 403), (.emailLoginRequired, 409), (.rateLimited, 429),
            (.tokenFailed, 502),
        ]
    )
    func refusal(_ code: VerificationErrorCode, _ status: Int) throws {
        let refusal = VerificationRefusal(code: code, requestID: VerificationRequestID(rawValue: "r:1"))
        #expect(refusal.status == status)
        #expect(
            try JSONObject(parsing: refusal.body)
                == ["ok": false, "errorCode": .string(code.rawValue), "requestId": "r:1"]
        )
        #expect(VerificationRefusal(parsing: refusal.body) == refusal)
    }

    @Test("A refusal's code or request id outside its pattern is dropped", .covers(.ssafy, rows: 56, cites: "V-8"))
    func refusalPatterns() {
        let refusal = VerificationRefusal(parsing: Array(#"{"ok":false,"errorCode":"<b>","requestId":"a b"}"#.utf8))
        #expect(refusal == VerificationRefusal(code: nil))
        #expect(VerificationRefusal(parsing: Array(#"{"ok":true}"#.utf8)) == nil)
    }

    @Test(
        "An error code is up to 96 capital letters, digits and underscores",
        .covers(.ssafy, rows: 56),
        arguments: [("A", true), ("A_1", true), ("", false), ("a", false), ("A-B", false), ("Ａ", false)]
    )
    func codePattern(_ text: String, _ isCode: Bool) {
        #expect((VerificationErrorCode(rawValue: text) != nil) == isCode)
        #expect(VerificationErrorCode(rawValue: String(repeating: "A", count: 96)) != nil)
        #expect(VerificationErrorCode(rawValue: String(repeating: "A", count: 97)) == nil)
    }

    @Test(
        "A request id is up to 120 letters, digits and the characters _.:-",
        .covers(.ssafy, rows: 56),
        arguments: [("a_B.1:-", true), ("", false), ("a b", false), ("a/b", false), ("é", false)]
    )
    func numberPattern(_ text: String, _ isNumber: Bool) {
        #expect((VerificationRequestID(rawValue: text) != nil) == isNumber)
        #expect(VerificationRequestID(rawValue: String(repeating: "1", count: 120)) != nil)
        #expect(VerificationRequestID(rawValue: String(repeating: "1", count: 121)) == nil)
    }
}
