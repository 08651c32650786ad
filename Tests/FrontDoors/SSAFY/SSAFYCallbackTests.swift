import Foundation
import Ostiary
import OstiarySSAFY
import OstiaryTesting
import Testing

@Suite("SSAFY Verify: the callback", .timeLimit(.minutes(5)))
struct SSAFYCallbackTests {
    private static let iss = "iss=https%3A%2F%2Fverify.myknow.xyz"
    private static let code = "code=0123456789abcdef"

    /// The outcome of a verification whose callback carries this query.
    private func outcome(_ query: String, at place: String? = nil) async throws -> VerificationError? {
        let world = try SSAFYWorld()
        let answer = SSAFYAnswer(200, #"{"ok":true,"verified":true,"sub":"s","authTime":1781740800}"#)
        let verifier = try world.verifier(
            userAgent: SSAFYWorld.answering(query, at: place),
            backend: world.backend(over: answer)
        )
        let error = await thrownError { () throws(VerificationError) in try await verifier.verify() }
        #expect((error == nil) == (answer.requests.count == 1), "Only a checked code reaches the backend.")
        return error
    }

    @Test("A callback with code, state and iss is accepted", .covers(.ssafy, rows: 5, 8))
    func whole() async throws {
        #expect(try await outcome("\(Self.code)&state=STATE&\(Self.iss)") == nil)
    }

    @Test("A callback with a code and no iss is rejected", .covers(.ssafy, rows: 8, cites: "V-4"))
    func noIssuer() async throws {
        let error = try await outcome("\(Self.code)&state=STATE")
        #expect(error == VerificationError(.mismatch(.issuer), code: .callbackIssuerMismatch))
    }

    @Test(
        "A callback with a code from another issuer is rejected",
        .covers(.ssafy, rows: 8, cites: "V-4"),
        arguments: [
            "https%3A%2F%2Fevil.example", "https%3A%2F%2Fverify.myknow.xyz%2F", "https%3A%2F%2Fwww.verify.myknow.xyz",
            "http%3A%2F%2Fverify.myknow.xyz", "https%3A%2F%2FVERIFY.myknow.xyz", "",
        ]
    )
    func otherIssuer(_ issuer: String) async throws {
        let error = try await outcome("\(Self.code)&state=STATE&iss=\(issuer)")
        #expect(error == VerificationError(.mismatch(.issuer), code: .callbackIssuerMismatch))
    }

    @Test(
        "A callback with an error from another issuer is rejected for its issuer",
        .covers(.ssafy, rows: 8, cites: "V-4")
    )
    func issuerBeforeError() async throws {
        let error = try await outcome("error=x&error_code=CONSENT_DENIED&state=STATE&iss=https%3A%2F%2Fevil.example")
        #expect(error == VerificationError(.mismatch(.issuer), code: .callbackIssuerMismatch))
    }

    @Test(
        "A callback with an error and another state is rejected for its state",
        .covers(.ssafy, rows: 5, cites: "V-4")
    )
    func stateBeforeError() async throws {
        let error = try await outcome("error=x&error_code=CONSENT_DENIED&state=other&\(Self.iss)")
        #expect(error == VerificationError(.mismatch(.state), code: .stateMismatch))
    }

    @Test(
        "A callback with a repeated member is rejected",
        .covers(.ssafy, rows: 5),
        arguments: ["code=0123456789abcdef", "state=STATE", "iss=https%3A%2F%2Fverify.myknow.xyz"]
    )
    func repeated(_ member: String) async throws {
        let error = try await outcome("\(Self.code)&state=STATE&\(Self.iss)&\(member)")
        #expect(error == VerificationError(.mismatch(.repeatedParameter)))
    }

    @Test("A callback to another place is rejected", .covers(.ssafy, rows: 21))
    func otherPlace() async throws {
        let error = try await outcome(
            "\(Self.code)&state=STATE&\(Self.iss)",
            at: "https://partner.example.com/ios/ssafy/callback-evil"
        )
        #expect(error == VerificationError(.mismatch(.redirectURI)))
    }

    @Test("A callback with neither a code nor an error is a missing code", .covers(.ssafy, rows: 3))
    func nothing() async throws {
        #expect(try await outcome("state=STATE&\(Self.iss)") == VerificationError(.missingCode))
    }

    @Test("A callback that carries a token is rejected", .covers(.ssafy, rows: 16))
    func tokenInCallback() async throws {
        let error = try await outcome("\(Self.code)&state=STATE&\(Self.iss)&access_token=t")
        #expect(error == VerificationError(.mismatch(.unexpectedParameter)))
    }

    @Test(
        "A code shorter than 16 or longer than 256 characters is not sent",
        .covers(.ssafy, rows: 17),
        arguments: ["short", String(repeating: "a", count: 257)]
    )
    func codeLength(_ code: String) async throws {
        let error = try await outcome("code=\(code)&state=STATE&\(Self.iss)")
        #expect(error == VerificationError(.invalidAnswer("code")))
    }

    @Test("An error in a callback keeps its code and its request id", .covers(.ssafy, rows: 56))
    func errorMembers() async throws {
        let error = try await outcome(
            "error=server_error&error_code=PROFILE_NOT_FOUND&request_id=req-1.2:3_4&message=x&state=STATE&\(Self.iss)"
        )
        #expect(error?.reason == .refused)
        #expect(error?.code == .profileNotFound)
        #expect(error?.requestID == VerificationRequestID(rawValue: "req-1.2:3_4"))
    }

    @Test("A callback with an error and no iss is accepted", .covers(.ssafy, rows: 8))
    func errorWithoutIssuer() async throws {
        let error = try await outcome("error=access_denied&error_code=CONSENT_DENIED&state=STATE")
        #expect(error == VerificationError(.cancelled, code: .consentDenied))
    }

    @Test("A callback with an error_code and no error is an error", .covers(.ssafy, rows: 56))
    func errorCodeAlone() async throws {
        let error = try await outcome("error_code=VERIFY_RATE_LIMITED&state=STATE&\(Self.iss)")
        #expect(error == VerificationError(.rateLimited, code: .rateLimited))
    }

    @Test(
        "A callback's error code or request id outside its pattern is dropped",
        .covers(.ssafy, rows: 56, cites: "V-8"),
        arguments: ["consent_denied", "A%20B", "%3Cscript%3E", "A\u{301}", String(repeating: "A", count: 97), ""]
    )
    func patterns(_ text: String) async throws {
        let escaped = text.contains("%") ? text : FormURLEncoding.escape(text)
        let number = escaped == "consent_denied" ? "a%2Fb" : escaped
        let error = try await outcome("error=x&error_code=\(escaped)&request_id=\(number)%20&state=STATE&\(Self.iss)")
        #expect(error == VerificationError(.cancelled, code: .cancelled))
    }

    @Test(
        "The message of a callback's error appears in no description",
        .covers(.ssafy, rows: 61, cites: "V-8")
    )
    func messageIsNotShown() async throws {
        let outcome = try await outcome(
            "error=x&error_code=MEMBER_NOT_FOUND&message=CALL-0123&error_description=PHONE-45&state=STATE&\(Self.iss)"
        )
        let error = try #require(outcome)
        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(error)", dumped, String(reflecting: error)] {
            #expect(!text.contains("CALL-0123") && !text.contains("PHONE-45"))
        }
    }
}
