import Foundation
import HTTPTypes
import Ostiary
import OstiaryProvider
import OstiaryProviderDialects
import OstiarySSAFY
import OstiaryTesting
import Testing

@Suite("SSAFY Verify: what the backend answers", .timeLimit(.minutes(5)))
struct SSAFYBackendTests {
    private static let good = #"{"ok":true,"verified":true,"sub":"pairwise","authTime":1781740800}"#

    private func outcome(_ answer: any HTTPTransport) async throws -> VerificationError? {
        let world = try SSAFYWorld()
        let verifier = try world.verifier(backend: world.backend(over: answer))
        return await thrownError { () throws(VerificationError) in try await verifier.verify() }
    }

    private func outcome(_ status: Int, _ json: String, _ mediaType: String = "application/json") async throws
        -> VerificationError?
    { try await outcome(SSAFYAnswer(status, json, mediaType: mediaType)) }

    @Test(
        "A 403 of the backend is forbidden, with its code and request id",
        .covers(.ssafy, rows: 17, 56)
    )
    func forbidden() async throws {
        let error = try await outcome(
            403,
            #"{"ok":false,"errorCode":"VERIFY_REQUEST_FORBIDDEN","requestId":"r-1"}"#
        )
        let id = VerificationRequestID(rawValue: "r-1")
        #expect(error == VerificationError(.forbidden, code: .requestForbidden, requestID: id))
        #expect(error?.recovery == .fixConfiguration)
    }

    @Test(
        "A 409 of the backend is a conflict with an account of another sign-in",
        .covers(.ssafy, rows: 17)
    )
    func conflict() async throws {
        let error = try await outcome(409, #"{"ok":false,"errorCode":"MM_EMAIL_LOGIN_REQUIRED"}"#)
        #expect(error == VerificationError(.conflict, code: .emailLoginRequired))
    }

    @Test("A 429 of the backend is rate limited, with its Retry-After", .covers(.ssafy, rows: 17))
    func rateLimited() async throws {
        let answer = SSAFYAnswer(
            429,
            #"{"ok":false,"errorCode":"VERIFY_RATE_LIMITED"}"#,
            fields: [.retryAfter: "30"]
        )
        let error = try await outcome(answer)
        #expect(error == VerificationError(.rateLimited, code: .rateLimited, retryAfter: .seconds(30)))
        #expect(error?.recovery == .retry)
    }

    @Test(
        "A backend's status without an error code has its reason",
        .covers(.ssafy, rows: 17),
        arguments: [
            (400, VerificationError.Reason.refused), (401, .refused), (403, .forbidden), (409, .conflict),
            (429, .rateLimited), (500, .unavailable), (503, .unavailable),
        ]
    )
    func statusAlone(_ status: Int, _ reason: VerificationError.Reason) async throws {
        #expect(try await outcome(status, "<html>", "text/html") == VerificationError(reason))
    }

    @Test(
        "Every documented error code has its reason",
        .covers(.ssafy, rows: 17, 56),
        arguments: [
            ("VERIFY_CANCELLED", 400, VerificationError.Reason.cancelled), ("CONSENT_DENIED", 400, .cancelled),
            ("SSAFY_VERIFY_POPUP_CLOSED", 400, .cancelled), ("SSAFY_VERIFY_CALLBACK_TIMEOUT", 400, .timedOut),
            ("VERIFY_POPUP_FAILED", 400, .presentationFailed), ("SSAFY_VERIFY_POPUP_BLOCKED", 400, .presentationFailed),
            ("VERIFY_RATE_LIMITED", 400, .rateLimited), ("VERIFY_TOKEN_INVALID", 401, .tokenInvalid),
            ("CALLBACK_ISSUER_MISMATCH", 400, .mismatch(.issuer)),
            ("REDIRECT_URI_MISMATCH", 400, .mismatch(.redirectURI)),
            ("SSAFY_VERIFY_REDIRECT_ORIGIN_MISMATCH", 400, .mismatch(.redirectURI)),
            ("SSAFY_VERIFY_STATE_MISMATCH", 400, .mismatch(.state)), ("VERIFY_REQUEST_FORBIDDEN", 403, .forbidden),
            ("MM_EMAIL_LOGIN_REQUIRED", 409, .conflict), ("SSAFY_MEMBER_CONFLICT", 409, .conflict),
            ("VERIFY_TOKEN_FAILED", 502, .unavailable), ("VERIFY_TOKEN_FAILED", 503, .unavailable),
            ("VERIFY_NETWORK_FAILED", 400, .unavailable), ("INVALID_REQUEST", 400, .refused),
            ("MEMBER_NOT_FOUND", 404, .refused), ("PROFILE_NOT_FOUND", 404, .refused),
            ("SOMETHING_NEW", 418, .refused),
        ]
    )
    func codes(_ code: String, _ status: Int, _ reason: VerificationError.Reason) async throws {
        let error = try await outcome(status, #"{"ok":false,"errorCode":"\#(code)"}"#)
        #expect(error == VerificationError(reason, code: VerificationErrorCode(rawValue: code)))
    }

    @Test("The service's error code and request id pass through the backend", .covers(.ssafy, rows: 56))
    func serviceCode() async throws {
        let world = try SSAFYWorld(dialect: .init(tokenRequestsPerMinute: 1))
        let verifier = try world.verifier()
        _ = try await verifier.verify()
        let error = await thrownError { () throws(VerificationError) in try await verifier.verify() }
        #expect(error?.reason == .rateLimited)
        #expect(error?.code == .rateLimited)
        #expect(error?.requestID != nil)
    }

    @Test(
        "A refusal sent with HTTP 200 is treated as a refusal",
        .covers(.ssafy, rows: 17),
        arguments: [#"{"ok":false,"errorCode":"VERIFY_TOKEN_INVALID"}"#]
    )
    func refusalWithSuccess(_ json: String) async throws {
        #expect(try await outcome(200, json) == VerificationError(.tokenInvalid, code: .tokenInvalid))
    }

    @Test(
        "A backend response that breaks the contract is invalid, with the member's name",
        .covers(.ssafy, rows: 17),
        arguments: [
            (#"{"verified":true,"sub":"s","authTime":1}"#, "ok"),
            (#"{"ok":"true","verified":true,"sub":"s","authTime":1}"#, "ok"),
            (#"{"ok":true,"verified":false,"sub":"s","authTime":1}"#, "verified"),
            (#"{"ok":true,"verified":1,"sub":"s","authTime":1}"#, "verified"),
            (#"{"ok":true,"verified":true,"sub":"","authTime":1}"#, "sub"),
            (#"{"ok":true,"verified":true,"authTime":1}"#, "sub"),
            (#"{"ok":true,"verified":true,"sub":"s"}"#, "authTime"),
            (#"{"ok":true,"verified":true,"sub":"s","authTime":"1"}"#, "authTime"),
            (#"{"ok":true,"verified":true,"sub":"s","authTime":1e300}"#, "authTime"),
            (#"{"ok":true,"verified":true,"sub":"s","authTime":1,"cohort":0}"#, "cohort"),
            (#"{"ok":true,"verified":true,"sub":"s","authTime":1,"sub":"t"}"#, "it is not a JSON object"),
            ("[]", "it is not a JSON object"),
        ]
    )
    func malformed(_ json: String, _ part: String) async throws {
        #expect(try await outcome(200, json) == VerificationError(.invalidAnswer(part), code: .responseInvalid))
    }

    @Test("A backend response with media type text/html is invalid", .covers(.ssafy, rows: 17))
    func page() async throws {
        let error = try await outcome(200, Self.good, "text/html")
        #expect(error == VerificationError(.invalidAnswer("the media type"), code: .responseInvalid))
    }

    @Test(
        "A backend response that carries a token in any member is invalid",
        .covers(.ssafy, rows: 16, 32),
        arguments: [
            #""verification_token":"t""#, #""data":{"accessToken":"t"}"#, #""list":[{"id_token":"t"}]"#,
            #""client_secret":"s""#,
        ]
    )
    func tokenInAnswer(_ member: String) async throws {
        let json = #"{"ok":true,"verified":true,"sub":"s","authTime":1,\#(member)}"#
        let part = "it carries a token, which is for the backend alone"
        #expect(try await outcome(200, json) == VerificationError(.invalidAnswer(part), code: .responseInvalid))
    }

    @Test("Additional members of a backend response are kept, and the status is read", .covers(.ssafy, rows: 49))
    func additionalMembers() async throws {
        let result = try VerificationResult(
            parsing: Array(
                #"{"ok":true,"verified":true,"sub":"s","cohort":"0","campus":null,"authTime":1781740800.5,"#.utf8
            ) + Array(#""status":"signup_required","nextPath":"/welcome"}"#.utf8)
        )
        #expect(result.status == .signUpRequired)
        #expect(result.additionalMembers == ["nextPath": "/welcome"])
        #expect(result.cohort == "0")
        #expect(result.campus == nil)
        #expect(result.authenticated == Date(timeIntervalSince1970: 1_781_740_800.5))
    }

    @Test("An unreachable backend is unavailable", .covers(.ssafy, rows: 17))
    func unreachable() async throws {
        let error = try await outcome(SSAFYLost(failure: .unreachable))
        #expect(error == VerificationError(.unavailable, code: .networkFailed))
        #expect(error?.recovery == .retry)
    }

    @Test("A redirect of the backend is not followed with the code", .covers(.ssafy, rows: 17))
    func redirect() async throws {
        let answer = SSAFYAnswer(307, "", fields: [.location: "https://evil.example/"])
        let error = try await outcome(answer)
        #expect(
            error == VerificationError(.configuration("The backend redirects: give the URL to which it redirects."))
        )
        #expect(answer.requests.count == 1)
    }

    @Test("A code is not sent to a backend without https", .covers(.ssafy, rows: 17))
    func insecureBackend() async throws {
        let answer = SSAFYAnswer(200, Self.good)
        let world = try SSAFYWorld()
        let backend = JSONVerificationBackend(
            endpoint: URL(string: "http://partner.example.com/api")!,
            transport: answer,
            clock: world.clock.device
        )
        let verifier = try world.verifier(backend: backend)
        let error = await thrownError { () throws(VerificationError) in try await verifier.verify() }
        #expect(
            error
                == VerificationError(.configuration("The backend's URL is https; http is for this machine only."))
        )
        #expect(answer.requests.isEmpty)
    }

    @Test("An app's header fields are sent to the backend", .covers(.ssafy, rows: 17))
    func headerFields() async throws {
        let answer = SSAFYAnswer(200, Self.good)
        let world = try SSAFYWorld()
        let backend = JSONVerificationBackend(
            endpoint: SSAFYPartner.endpoint,
            transport: answer,
            clock: world.clock.device,
            fields: { [.cookie: "installation=1"] }
        )
        _ = try await world.verifier(backend: backend).verify()
        #expect(answer.requests.first?.fields[.cookie] == "installation=1")
        #expect(try JSONObject(parsing: try #require(answer.requests.first?.body)).count == 4)
    }

    @Test(
        "A backend request has a body limit of 64 KiB and a deadline of 15 seconds",
        .covers(.ssafy, rows: 26)
    )
    func limits() async throws {
        let answer = SSAFYAnswer(200, Self.good)
        _ = try await outcome(answer)
        #expect(answer.requests.first?.limits.deadline == .seconds(15))
        #expect(answer.requests.first?.limits.maximumBodyBytes == 65_536)
    }
}

/// A transport whose answers do not arrive.
struct SSAFYLost: HTTPTransport {
    let failure: TransportFailure
    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse { throw failure }
}
