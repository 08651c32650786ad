import Foundation
import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import Testing

@testable import OstiaryOAuth

@Suite("Forms of errors")
struct ErrorFormTests {
    private func refresh(
        _ members: JSONObject,
        _ status: HTTPResponse.Status,
        manners: ServerManners = ServerManners()
    ) throws -> SignInError? {
        var client = Fixtures.client()
        client.manners = manners
        let exchange = TokenRequest(try RefreshGrant(try Fixtures.signIn()), client: client, server: Fixtures.server)
        return signInError { _ = try exchange.output(from: answer(members, status)) }
    }

    private func answer(_ members: JSONObject, _ status: HTTPResponse.Status) -> EndpointResponse {
        EndpointResponse(status: status, fields: [.contentType: "application/json"], body: members.encoded())
    }

    private func refused(_ code: String, _ words: String? = nil) -> SignInError {
        SignInError(.refresh, .refused(OAuthError(code: .init(rawValue: code), description: words)))
    }

    @Test("An error with status 200 is an error, also beside an access token")
    func withStatusOK() throws {
        let alone = try refresh(["error": "bad_verification_code", "error_description": "old"], .ok)
        #expect(alone == refused("bad_verification_code", "old"))
        var members = Fixtures.goodMembers(idToken: nil)
        members["error"] = "access_denied"
        #expect(try refresh(members, .ok) == refused("access_denied"))
        members["error"] = .object(["message": "no"])
        #expect(try refresh(members, .ok)?.serverMessage == "no")
        members["error"] = nil
        members["ok"] = false
        #expect(try refresh(members, .ok)?.reason == .server(status: 200))
    }

    @Test("An empty error member beside an access token is ignored", arguments: ["", .null, false, 0] as [JSONValue])
    func emptyError(_ value: JSONValue) throws {
        var members = Fixtures.goodMembers(idToken: nil)
        members["error"] = value
        members["ok"] = true
        #expect(try refresh(members, .ok) == nil)
    }

    @Test("An error object is reported with its code, message and number")
    func object() throws {
        let error: JSONObject = ["message": "Invalid token", "type": "OAuthException", "code": 190]
        #expect(try refresh(["error": .object(error)], .badRequest) == refused("OAuthException", "Invalid token (190)"))
        #expect(
            try refresh(["error": ["message": "No", "code": "token_expired"]], .badRequest)
                == refused("token_expired", "No")
        )
        #expect(try refresh(["error": ["message": "No", "code": 4]], .badRequest) == refused("4", "No"))
    }

    @Test("errorCode and errorSummary are reported as code and description")
    func errorCode() throws {
        let members: JSONObject = ["errorCode": "E0000011", "errorSummary": "Invalid token provided"]
        #expect(try refresh(members, .unauthorized) == refused("E0000011", "Invalid token provided"))
        #expect(try refresh(members, .ok) == refused("E0000011", "Invalid token provided"))
    }

    @Test("An error with ok: false is reported with its code")
    func notOK() throws {
        #expect(try refresh(["ok": false, "error": "invalid_code"], .ok) == refused("invalid_code"))
    }

    @Test("A sentence in place of an error code is reported as the server's message")
    func sentence() throws {
        let error = try #require(try refresh(["error": "The requested action was forbidden"], .forbidden))
        #expect(error.reason == .server(status: 403) && error.serverMessage == "The requested action was forbidden")
        #expect(
            error.description == "refresh: The server responded with status 403: The requested action was forbidden"
        )
    }

    @Test("A 500 response is temporary, whatever form its error has")
    func trouble() throws {
        let members: JSONObject = ["errorCode": "E0000009", "errorSummary": "Internal Server Error"]
        let error = try #require(try refresh(members, .internalServerError))
        #expect(error.reason == .server(status: 500) && error.recovery == .retry)
        #expect(error.serverMessage == "Internal Server Error")
    }

    @Test(
        "invalid_grant at the top level with a status of 400 to 499 ends the session",
        arguments: [400, 401, 403, 499]
    )
    func endsSession(_ status: Int) throws {
        #expect(try refresh(["error": "invalid_grant"], .init(code: status))?.endsSession == true)
    }

    @Test("invalid_grant with another status does not end the session", arguments: [200, 500, 503])
    func otherStatus(_ status: Int) throws {
        let error = try #require(try refresh(["error": "invalid_grant"], .init(code: status)))
        guard case .refused(let refusal) = error.reason else { throw error }
        #expect(refusal.code == .invalidGrant && !error.endsSession && error.recovery == .retry)
    }

    @Test("invalid_grant inside an object or a challenge does not end the session")
    func otherPlace() throws {
        let object: JSONObject = ["error": ["code": "invalid_grant", "message": "no"]]
        #expect(try refresh(object, .badRequest)?.endsSession == false)
        let members: JSONObject = ["errorCode": "invalid_grant"]
        #expect(try refresh(members, .badRequest)?.endsSession == false)
        let exchange = TokenRequest(
            try RefreshGrant(try Fixtures.signIn()),
            client: Fixtures.client(),
            server: Fixtures.server
        )
        let challenge = EndpointResponse(
            status: .unauthorized,
            fields: [.wwwAuthenticate: #"Bearer error="invalid_grant""#]
        )
        #expect(signInError { _ = try exchange.output(from: challenge) }?.endsSession == false)
    }

    @Test("A server's own error code ends the session only where its manners list it")
    func listedCode() throws {
        let members: JSONObject = ["error": "bad_refresh_token", "error_description": "incorrect or expired"]
        #expect(try refresh(members, .ok)?.endsSession == false)
        let manners = ServerManners(sessionEndingCodes: [.init(rawValue: "bad_refresh_token")])
        for status in [HTTPResponse.Status.ok, .badRequest] {
            let error = try #require(try refresh(members, status, manners: manners))
            #expect(error.endsSession && error.recovery == .signInAgain)
        }
        #expect(try refresh(members, .badGateway, manners: manners)?.endsSession == false)
        #expect(try refresh(["error": "bad_request"], .badRequest, manners: manners)?.endsSession == false)
    }

    @Test("An error in a user info response with status 200 is reported")
    func userInfo() throws {
        let request = try UserInfoRequest(try Fixtures.signIn(), client: Fixtures.client(), server: Fixtures.server)
        let error = signInError { _ = try request.output(from: answer(["ok": false, "error": "invalid_auth"], .ok)) }
        #expect(error == SignInError(.userInfo, .refused(OAuthError(code: .init(rawValue: "invalid_auth")))))
    }

    @Test("A resource server's challenge comes before a JSON body of its own")
    func challengeFirst() throws {
        let request = try UserInfoRequest(try Fixtures.signIn(), client: Fixtures.client(), server: Fixtures.server)
        var response = answer(["status": 401, "error": "Unauthorized"], .unauthorized)
        response.fields[.wwwAuthenticate] = #"Bearer error="invalid_token""#
        let error = signInError { _ = try request.output(from: response) }
        #expect(error == SignInError(.userInfo, .refused(OAuthError(code: .invalidToken))))
    }
}

@Suite("Device responses that deviate from RFC 8628")
struct DeviceMannersTests {
    private static var server: AuthorizationServer {
        var server = Fixtures.server
        server.deviceAuthorizationEndpoint = URL(string: "https://id.example.com/device")
        return server
    }

    private func pending(_ change: (inout JSONObject) -> Void) throws -> PendingDeviceAuthorization {
        var members: JSONObject = [
            "device_code": "secret-device-code", "user_code": "BCDF-GHJK",
            "verification_uri": "https://id.example.com/device", "expires_in": 600,
        ]
        change(&members)
        var random = CountingWords()
        return try DeviceAuthorizationRequest(client: Fixtures.client(), server: Self.server, using: &random)
            .output(from: Fixtures.tokenResponse(members))
    }

    private func poll(_ members: JSONObject) throws -> SignInError {
        let exchange = try pending { _ in }.exchange()
        return try #require(signInError { _ = try exchange.output(from: Fixtures.tokenResponse(members)) })
    }

    @Test("Numbers of a device response may be strings, and the page may be verification_url")
    func codes() throws {
        let pending = try pending { members in
            members["expires_in"] = "900"
            members["interval"] = "7"
            members["verification_uri"] = .null
            members["verification_uri_complete"] = ""
            members["verification_url"] = "https://id.example.com/go"
        }
        #expect(pending.completeVerificationURI == nil)
        #expect(pending.lifetime == .seconds(900) && pending.interval == .seconds(7))
        #expect(pending.verificationURI == "https://id.example.com/go")
    }

    @Test("A verification_url that is not https is refused")
    func insecurePage() {
        let error = signInError {
            _ = try pending { members in
                members["verification_uri"] = nil
                members["verification_url"] = "http://id.example.com/go"
            }
        }
        #expect(error == SignInError(.device, .malformed("the response's verification_url")))
    }

    @Test("A device response with an invalid number is malformed", arguments: ["soon", "-1", "nan", ""] as [JSONValue])
    func noNumber(_ value: JSONValue) {
        #expect(
            signInError { _ = try pending { $0["interval"] = value } }
                == SignInError(.device, .malformed("the response's interval"))
        )
    }

    @Test("authorization_pending with status 200 continues the polling")
    func pendingWithStatusOK() throws {
        var polling = PendingDeviceAuthorization.Polling(try pending { _ in }, now: Fixtures.now)
        #expect(
            polling.step(after: try poll(["error": "authorization_pending"]), now: Fixtures.now) == .wait(.seconds(5))
        )
    }

    @Test("slow_down with status 200 sets the new interval, as a number or a string")
    func slowDown() throws {
        var polling = PendingDeviceAuthorization.Polling(try pending { _ in }, now: Fixtures.now)
        #expect(
            polling.step(after: try poll(["error": "slow_down", "interval": 31]), now: Fixtures.now)
                == .wait(.seconds(31))
        )
        #expect(
            polling.step(after: try poll(["error": "authorization_pending"]), now: Fixtures.now) == .wait(.seconds(31))
        )
        #expect(
            polling.step(after: try poll(["error": "slow_down", "interval": "40"]), now: Fixtures.now)
                == .wait(.seconds(40))
        )
        // Never less than RFC 8628 section 3.5 demands, and never longer than two minutes.
        #expect(
            polling.step(after: try poll(["error": "slow_down", "interval": 1]), now: Fixtures.now)
                == .wait(.seconds(45))
        )
        let forever: JSONObject = ["error": "slow_down", "interval": 1e300]
        #expect(polling.step(after: try poll(forever), now: Fixtures.now) == .wait(.seconds(120)))
    }

    @Test("A refused device request with status 200 is reported")
    func refusedCodes() {
        let error = signInError {
            _ = try pending { members in
                members = ["error": "device_flow_disabled", "error_description": "off"]
            }
        }
        let refusal = OAuthError(code: .init(rawValue: "device_flow_disabled"), description: "off")
        #expect(error == SignInError(.device, .refused(refusal)))
    }
}

@Suite("Values that a request carried")
struct SentValuesTests {
    /// Answers each request with what it makes of it.
    private struct Echo: HTTPTransport {
        let members: @Sendable (EndpointRequest) -> JSONObject
        var fields: @Sendable (EndpointRequest) -> HTTPFields = { _ in [:] }

        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            var fields = fields(request)
            fields[.contentType] = "application/json"
            return EndpointResponse(status: .badRequest, fields: fields, body: members(request).encoded())
        }
    }

    private func failure<E: Exchange & ~Copyable>(
        of exchange: borrowing E,
        by echo: Echo
    ) async -> SignInError? where E.Output: Sendable {
        do throws(SignInError) {
            _ = try await echo.perform(exchange)
            return nil
        } catch {
            return error
        }
    }

    private func redeem(_ client: Client = Fixtures.client()) throws -> TokenRequest<AuthorizationCodeGrant> {
        try Fixtures.grant(try Fixtures.pending(client: client)).exchange()
    }

    private func words(_ error: SignInError?) throws -> String {
        guard case .refused(let refusal) = try #require(error).reason else { return error?.serverMessage ?? "" }
        return refusal.description ?? ""
    }

    @Test("An error that repeats the code and the verifier is redacted")
    func code() async throws {
        let echo = Echo { request in
            let form = request.form
            return [
                "error": "invalid_request",
                "error_description": .string(
                    "code \(form[.code]!) with \(form[.codeVerifier]!) for \(form[.clientID]!)"
                ),
            ]
        }
        let words = try words(await failure(of: try redeem(), by: echo))
        #expect(words == "code [redacted] with [redacted] for app")
    }

    @Test("An error that repeats the refresh token as its code, description or page is redacted")
    func refreshToken() async throws {
        let exchange = TokenRequest(
            try RefreshGrant(try Fixtures.signIn()),
            client: Fixtures.client(),
            server: Fixtures.server
        )
        let echo = Echo(
            members: { request in
                let token = request.form[.refreshToken]!
                return [
                    "error": .string(token), "error_description": .string("\(token)\u{301}\(token)"),
                    "error_uri": .string("https://e.example.com/?t=\(token)"),
                ]
            },
            fields: { [HTTPField.Name("X-Request-Id")!: $0.form[.refreshToken]!] }
        )
        let error = try #require(await failure(of: exchange, by: echo))
        #expect(!"\(error.reason) \(error.requestID ?? "")".contains("refresh-1"))
        let expected = OAuthError(
            code: .init(rawValue: "[redacted]"),
            description: "[redacted]\u{301}[redacted]",
            uri: "https://e.example.com/?t=[redacted]"
        )
        #expect(error.reason == .refused(expected))
        #expect(error.requestID == nil)
    }

    @Test("An error that repeats the Authorization field, or the secret in it, is redacted")
    func authorization() async throws {
        let client = Fixtures.client(authentication: .clientSecretBasic(Secret("s%&+=: ecret")))
        let echo = Echo { request in
            let field = request.fields[.authorization]!
            let credential = field.split(separator: " ")[1]
            return ["error": .string("not \(field) nor \(credential) nor s%&+=: ecret nor s%25%26%2B%3D%3A%20ecret")]
        }
        let words = try words(await failure(of: try redeem(client), by: echo))
        #expect(words == "not [redacted] nor [redacted] nor [redacted] nor [redacted]")
    }

    @Test("An error that repeats the access token of a user info request is redacted")
    func accessToken() async throws {
        let request = try UserInfoRequest(try Fixtures.signIn(), client: Fixtures.client(), server: Fixtures.server)
        let echo = Echo { request in
            ["error": ["message": .string("bad \(request.fields[.authorization]!.dropFirst(7))"), "code": "bad"]]
        }
        #expect(try words(await failure(of: request, by: echo)) == "bad [redacted]")
    }

    @Test("A secret cut off at the description's limit is redacted")
    func cutOff() async throws {
        let echo = Echo { request in
            let verifier = request.form[.codeVerifier]!
            return [
                "error": "invalid_request", "error_description": .string(String(repeating: "x", count: 480) + verifier),
            ]
        }
        let error = await failure(of: try redeem(), by: echo)
        #expect(try words(error) == String(repeating: "x", count: 480) + "[redacted]")
    }

    @Test("An error in a redirect that repeats values of the request is redacted")
    func redirect() throws {
        let pending = try Fixtures.pending()
        let query = Fixtures.query(pending)
        let state = try #require(query[.state])
        let words = [state, query[.nonce], query[.codeChallenge]].compactMap(\.self).joined(separator: "%20")
        let url = URL(string: "com.example.app:/callback?error=server_error&error_description=\(words)&state=\(state)")!
        let expected = OAuthError(code: .serverError, description: "[redacted] [redacted] [redacted]")
        #expect(signInError { _ = try pending.grant(from: url) } == SignInError(.redirect, .refused(expected)))
    }

    @Test(
        "A registered error code that contains a secret stays readable, and ends the session",
        arguments: ["grant", "invalid_grant"]
    )
    func registeredCode(secret: String) async throws {
        let exchange = TokenRequest(
            try RefreshGrant(try Fixtures.signIn()),
            client: Fixtures.client(authentication: .clientSecretPost(Secret(secret))),
            server: Fixtures.server
        )
        let echo = Echo { _ in ["error": "invalid_grant", "error_description": .string("no \(secret)")] }
        let error = await failure(of: exchange, by: echo)
        #expect(error?.reason == .refused(OAuthError(code: .invalidGrant, description: "no [redacted]")))
        #expect(error?.endsSession == true)
    }

    @Test("Every error code of the library counts as registered")
    func registeredCodes() {
        let codes: [OAuthError.Code] = [
            .accessDenied, .consentRequired, .interactionRequired, .invalidClient, .invalidGrant, .invalidRequest,
            .invalidScope, .invalidToken, .insufficientScope, .loginRequired, .serverError, .temporarilyUnavailable,
            .unauthorizedClient, .unsupportedGrantType, .unsupportedResponseType, .unsupportedTokenType,
            .authorizationPending, .slowDown, .expiredToken, .invalidTarget, .invalidDPoPProof, .useDPoPNonce,
            .useAttestationChallenge, .useFreshAttestation, .insufficientUserAuthentication, .invalidRedirectURI,
            .invalidClientMetadata, .invalidSoftwareStatement, .unapprovedSoftwareStatement,
        ]
        #expect(codes.filter { !$0.isRegistered }.isEmpty)
        #expect(!OAuthError.Code(rawValue: "refresh-1").isRegistered)
    }

    @Test("A redacted error keeps its consequence for the session")
    func consequence() async throws {
        let exchange = TokenRequest(
            try RefreshGrant(try Fixtures.signIn()),
            client: Fixtures.client(),
            server: Fixtures.server
        )
        let echo = Echo { ["error": "invalid_grant", "error_description": .string($0.form[.refreshToken]!)] }
        #expect(await failure(of: exchange, by: echo)?.endsSession == true)
    }
}
