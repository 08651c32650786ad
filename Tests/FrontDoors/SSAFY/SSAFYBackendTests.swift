import Foundation
import HTTPTypes
import Ostiary
import OstiaryProvider
import OstiarySSAFY
import OstiaryTesting
import Testing

@Suite("SSAFY Verify: what the backend answers", .timeLimit(.minutes(5)))
struct SSAFYBackendTests {
    private static let good = #"{"ok":true,"verified":true,"sub":"pairwise","authTime":1781740800}"#

    private func outcome(_ answer: any HTTPTransport) async throws -> VerificationError? {
        let world = try SSAFYWorld()
        let verifier = try world.verifier(backend: world.backend(over: answer))
        return await ssafyFailure { () throws(VerificationError) in try await verifier.verify() }
    }

    private func outcome(_ status: Int, _ json: String, _ mediaType: String = "application/json") async throws
        -> VerificationError?
    { try await outcome(SSAFYAnswer(status, json, mediaType: mediaType)) }

    @Test("403 is forbidden: the guard looks for an Origin", .covers(.ssafy, rows: 17, 56, cites: "6.4.10"))
    func forbidden() async throws {
        let error = try await outcome(
            403,
            #"{"ok":false,"errorCode":"VERIFY_REQUEST_FORBIDDEN","requestId":"r-1"}"#
        )
        let id = VerificationRequestID(rawValue: "r-1")
        #expect(error == VerificationError(.forbidden, code: .requestForbidden, requestID: id))
        #expect(error?.recovery == .fixConfiguration)
    }

    @Test("409 is an account with another sign-in", .covers(.ssafy, rows: 17, cites: "6.4.10"))
    func conflict() async throws {
        let error = try await outcome(409, #"{"ok":false,"errorCode":"MM_EMAIL_LOGIN_REQUIRED"}"#)
        #expect(error == VerificationError(.conflict, code: .emailLoginRequired))
    }

    @Test("429 says how long to wait", .covers(.ssafy, rows: 17, cites: "6.4.10"))
    func rateLimited() async throws {
        let answer = SSAFYAnswer(
            429,
            #"{"ok":false,"errorCode":"VERIFY_RATE_LIMITED"}"#,
            fields: [.retryAfter: "30"]
        )
        let error = try await outcome(answer)
        #expect(error == VerificationError(.rateLimited, code: .rateLimited, retryAfter: 30))
        #expect(error?.recovery == .retry)
    }

    @Test(
        "A status speaks for itself where there is no code",
        .covers(.ssafy, rows: 17, cites: "6.4.10"),
        arguments: [
            (400, VerificationError.Reason.refused), (401, .refused), (403, .forbidden), (409, .conflict),
            (429, .rateLimited), (500, .unavailable), (503, .unavailable),
        ]
    )
    func statusAlone(_ status: Int, _ reason: VerificationError.Reason) async throws {
        #expect(try await outcome(status, "<html>", "text/html") == VerificationError(reason))
    }

    @Test(
        "Each documented code has its category",
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

    @Test("The code of the service comes through the backend, with its number", .covers(.ssafy, rows: 56))
    func serviceCode() async throws {
        let world = try SSAFYWorld(dialect: .init(tokenRequestsPerMinute: 1))
        let verifier = try world.verifier()
        _ = try await verifier.verify()
        let error = await ssafyFailure { () throws(VerificationError) in try await verifier.verify() }
        #expect(error?.reason == .rateLimited)
        #expect(error?.code == .rateLimited)
        #expect(error?.requestID != nil)
    }

    @Test(
        "A no with status 200 is a no",
        .covers(.ssafy, rows: 17),
        arguments: [#"{"ok":false,"errorCode":"VERIFY_TOKEN_INVALID"}"#]
    )
    func refusalWithSuccess(_ json: String) async throws {
        #expect(try await outcome(200, json) == VerificationError(.tokenInvalid, code: .tokenInvalid))
    }

    @Test(
        "An answer that is not the contract's is refused",
        .covers(.ssafy, rows: 17, cites: "6.4.10"),
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
            (#"{"ok":true,"verified":true,"sub":"s","authTime":1,"sub":"t"}"#, "it is no JSON object"),
            ("[]", "it is no JSON object"),
        ]
    )
    func malformed(_ json: String, _ part: String) async throws {
        #expect(try await outcome(200, json) == VerificationError(.invalidAnswer(part), code: .responseInvalid))
    }

    @Test("A page is no answer", .covers(.ssafy, rows: 17))
    func page() async throws {
        let error = try await outcome(200, Self.good, "text/html")
        #expect(error == VerificationError(.invalidAnswer("the media type"), code: .responseInvalid))
    }

    @Test(
        "An answer that brings a token is refused, wherever it is in it",
        .covers(.ssafy, rows: 16, 32, cites: "6.4.10"),
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

    @Test("Members beyond the contract are kept, and the status is read", .covers(.ssafy, rows: 49))
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

    @Test("No answer is the network", .covers(.ssafy, rows: 17))
    func unreachable() async throws {
        let error = try await outcome(SSAFYLost(failure: .unreachable))
        #expect(error == VerificationError(.unavailable, code: .networkFailed))
        #expect(error?.recovery == .retry)
    }

    @Test("A backend that redirects is not followed with the code", .covers(.ssafy, rows: 17, cites: "X-15"))
    func redirect() async throws {
        let answer = SSAFYAnswer(307, "", fields: [.location: "https://evil.example/"])
        let error = try await outcome(answer)
        #expect(
            error == VerificationError(.configuration("The backend redirects: give the URL that answers by itself."))
        )
        #expect(answer.requests.count == 1)
    }

    @Test("A code goes to https alone", .covers(.ssafy, rows: 17, cites: "X-15"))
    func insecureBackend() async throws {
        let answer = SSAFYAnswer(200, Self.good)
        let world = try SSAFYWorld()
        let backend = JSONVerificationBackend(
            endpoint: URL(string: "http://partner.example.com/api")!,
            transport: answer,
            clock: world.clock.device
        )
        let verifier = try world.verifier(backend: backend)
        let error = await ssafyFailure { () throws(VerificationError) in try await verifier.verify() }
        #expect(
            error
                == VerificationError(.configuration("The backend's URL is https; http is for this machine only."))
        )
        #expect(answer.requests.isEmpty)
    }

    @Test("What an app wants to add travels in header fields", .covers(.ssafy, rows: 17))
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

    @Test("An answer is read up to a limit, within a deadline", .covers(.ssafy, rows: 26, cites: "X-16"))
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
