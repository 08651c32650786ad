import Foundation
import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("User info, revocation, end session")
struct EndpointTests {
    private func userInfo(
        policy: Client.ValidationPolicy = Client.ValidationPolicy(),
        _ response: EndpointResponse,
        keys: JSONWebKeySet = Fixtures.keys
    ) throws -> UserInfo {
        let client = Fixtures.client(validation: policy)
        let request = try UserInfoRequest(try Fixtures.signIn(), client: client, server: Fixtures.server)
        return try request.output(from: response).validated(by: keys, now: Fixtures.now)
    }

    private func signed(_ claims: JSONObject, type: String? = nil, key: SigningKey = Fixtures.key) throws
        -> EndpointResponse
    {
        EndpointResponse(
            fields: [.contentType: "application/jwt"],
            body: Array(try key.sign(claims: claims, type: type).utf8)
        )
    }

    private let claims: JSONObject = ["sub": "alice", "email": "alice@example.com"]

    @Test("A user info request sends the token in the Authorization field alone")
    func request() throws {
        let request = try UserInfoRequest(try Fixtures.signIn(), client: Fixtures.client(), server: Fixtures.server)
            .request()
        #expect(request.fields[.authorization] == "Bearer " + Fixtures.accessToken)
        #expect(request.method == .get && request.body == nil && request.url.query() == nil)
    }

    @Test("User info for the session's user is accepted, as JSON and signed")
    func good() throws {
        #expect(try userInfo(Fixtures.tokenResponse(claims)).claims["email"]?.string == "alice@example.com")
        var full = claims
        full["iss"] = .string(Fixtures.issuerText)
        full["aud"] = "app"
        #expect(try userInfo(signed(full)).subject == "alice")
    }

    @Test("The profile claims of user info are read by name")
    func profile() throws {
        var full = claims
        full["name"] = "Alice"
        full["preferred_username"] = "al"
        full["email_verified"] = true
        full["picture"] = "HTTPS://example.com/alice.png"
        let user = try userInfo(Fixtures.tokenResponse(full))
        #expect(user.name == "Alice" && user.preferredUsername == "al" && user.email == "alice@example.com")
        #expect(user.isEmailVerified && user.picture?.host() == "example.com")
        let bare = try userInfo(Fixtures.tokenResponse(claims))
        #expect(bare.name == nil && !bare.isEmailVerified && bare.picture == nil)
    }

    @Test(
        "User info for another or a missing subject is rejected",
        arguments: ["aliceinvalid", "", nil, .integer(1)] as [JSONValue?]
    )
    func subject(_ value: JSONValue?) throws {
        var other = claims
        other["sub"] = value
        #expect(signInError { _ = try userInfo(Fixtures.tokenResponse(other)) } == mismatch(.userInfo, .subject))
        let response = try signed(other)
        #expect(signInError { _ = try userInfo(response) } == mismatch(.userInfo, .subject))
    }

    @Test("Signed user info with another issuer, client, type, key or an expiry in the past is rejected")
    func signedChecks() throws {
        func failure(type: String? = nil, key: SigningKey = Fixtures.key, _ change: (inout JSONObject) -> Void) throws
            -> SignInError?
        {
            var changed = claims
            change(&changed)
            let response = try signed(changed, type: type, key: key)
            return signInError { _ = try userInfo(response) }
        }
        #expect(try failure { $0["iss"] = "https://evil.example.com" } == mismatch(.userInfo, .issuer))
        #expect(try failure { $0["aud"] = "other" } == mismatch(.userInfo, .audience))
        #expect(try failure { $0["exp"] = 1 } == mismatch(.userInfo, .expiry))
        #expect(try failure(type: "at+jwt") { _ in } == mismatch(.userInfo, .type))
        #expect(try failure(key: Fixtures.otherKey) { _ in } == mismatch(.userInfo, .key))
        #expect(try failure { _ in } == nil)
    }

    @Test("JSON user info, or another algorithm, is rejected where a signature algorithm was agreed")
    func agreed() throws {
        let policy = Client.ValidationPolicy(userInfoAlgorithm: .rs256)
        #expect(
            signInError { _ = try userInfo(policy: policy, Fixtures.tokenResponse(claims)) }
                == mismatch(.userInfo, .signedUserInfo)
        )
        let response = try signed(claims)
        #expect(signInError { _ = try userInfo(policy: policy, response) } == mismatch(.userInfo, .algorithm))
    }

    @Test("A user info error is read from its challenge, even one without a scheme")
    func challenge() {
        for field in [
            "Bearer error=\"invalid_token\", error_description=\"gone\"",
            "error=\"invalid_token\", error_description=\"gone\"",
        ] {
            let response = EndpointResponse(status: .unauthorized, fields: [.wwwAuthenticate: field])
            #expect(
                signInError { _ = try userInfo(response) }
                    == SignInError(.userInfo, .refused(OAuthError(code: .invalidToken, description: "gone")))
            )
        }
        #expect(
            signInError { _ = try userInfo(EndpointResponse(status: .unauthorized)) }
                == SignInError(.userInfo, .server(status: 401))
        )
    }

    @Test("A user info request without an ID token is refused")
    func noIdentity() throws {
        let tokens = try Fixtures.signIn(AuthorizationRequest(scopes: ["api"]), response: { $0["id_token"] = nil })
        #expect(
            signInError { _ = try UserInfoRequest(tokens, client: Fixtures.client(), server: Fixtures.server) }
                == mismatch(.userInfo, .idToken)
        )
    }

    @Test("A revocation request sends the token in the form, and accepts any success")
    func revocation() throws {
        let revocation = RevocationRequest(
            Secret("t"),
            kind: .refreshToken,
            client: Fixtures.client(),
            server: Fixtures.server
        )
        #expect(try revocation.request().form.pairs.map(\.value) == ["t", "refresh_token", "app"])
        #expect(signInError { try revocation.output(from: EndpointResponse(status: .ok)) } == nil)
        #expect(
            signInError { try revocation.output(from: EndpointResponse(status: .serviceUnavailable)) }
                == SignInError(.revocation, .server(status: 503))
        )
    }

    @Test("An end-session request sends the hint, the client and a new state, and accepts only its own state")
    func endSession() throws {
        var random = CountingWords()
        let identity = try Fixtures.signIn().identity
        let pending = try PendingEndSession(
            identity: identity,
            client: Fixtures.client(),
            server: Fixtures.server,
            redirectURI: try RedirectURI("com.example.app:/bye"),
            using: &random
        )
        let query = try #require(FormURLEncoding.decode(pending.url.absoluteString.split(separator: "?")[1]))
        #expect(query.names.map(\.rawValue) == ["client_id", "id_token_hint", "post_logout_redirect_uri", "state"])
        #expect(query[.idTokenHint] == identity?.compact.reveal())
        let state = try #require(query[.state])
        func answer(_ text: String) -> SignInError? { signInError { try pending.confirm(URL(string: text)!) } }
        #expect(answer("com.example.app:/bye?state=\(state)") == nil)
        #expect(answer("com.example.app:/bye?state=\(state)_INVALID") == mismatch(.endSession, .state))
        #expect(answer("com.example.app:/bye") == mismatch(.endSession, .state))
        #expect(
            answer("com.example.app:/bye?state=\(state)&state=\(state)") == mismatch(.endSession, .repeatedParameter)
        )
        #expect(answer("com.example.app:/other?state=\(state)") == mismatch(.endSession, .redirectURI))
        #expect(!"\(pending)".contains(state))
    }

    /// An end-session request to a server that takes `logout_uri`.
    private func logout(_ redirectURI: String?) throws -> PendingEndSession {
        var random = CountingWords()
        var client = Fixtures.client()
        client.manners.takesLogoutURI = true
        return try PendingEndSession(
            identity: try Fixtures.signIn().identity,
            client: client,
            server: Fixtures.server,
            redirectURI: redirectURI.map { uri throws(SignInError) in try RedirectURI(uri) },
            using: &random
        )
    }

    @Test("An end-session request with logout_uri sends the client and logout_uri alone")
    func logoutURI() throws {
        let pending = try logout("com.example.app:/bye")
        let query = try #require(FormURLEncoding.decode(pending.url.absoluteString.split(separator: "?")[1]))
        #expect(query == Parameters([.clientID: Fixtures.client().id, "logout_uri": "com.example.app:/bye"]))
    }

    @Test("A redirect without state answers an end-session request with logout_uri")
    func logoutURIAnswer() throws {
        let pending = try logout("com.example.app:/bye")
        func check(_ text: String) -> (isAnswered: Bool, error: SignInError?) {
            let url = URL(string: text)!
            return (pending.isAnswered(by: url), signInError { try pending.confirm(url) })
        }
        #expect(check("com.example.app:/bye") == (true, nil))
        #expect(check("com.example.app:/other") == (false, mismatch(.endSession, .redirectURI)))
        // What names a state answers another request.
        #expect(check("com.example.app:/bye?state=s") == (false, mismatch(.endSession, .state)))
        #expect(check("com.example.app:/bye?code=c&state=s") == (false, mismatch(.endSession, .state)))
    }

    @Test("An end-session request with logout_uri requires a redirect URI")
    func logoutURIMissing() {
        let error = signInError { _ = try logout(nil) }
        guard case .configuration(let sentence)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.stage == .endSession && sentence.contains("logout_uri"))
    }

    @Test("An end-session redirect is recognized by its redirect URI and its state alone")
    func endSessionAnswer() throws {
        var random = CountingWords()
        func pending(_ redirectURI: RedirectURI?) throws -> PendingEndSession {
            try PendingEndSession(
                identity: nil,
                client: Fixtures.client(),
                server: Fixtures.server,
                redirectURI: redirectURI,
                using: &random
            )
        }
        let returning = try pending(try RedirectURI("com.example.app:/bye"))
        let query = try #require(FormURLEncoding.decode(returning.url.absoluteString.split(separator: "?")[1]))
        let state = try #require(query[.state])
        func isAnswered(_ text: String) -> Bool { returning.isAnswered(by: URL(string: text)!) }
        #expect(isAnswered("com.example.app:/bye?state=\(state)"))
        for text in ["/bye?state=other", "/bye", "/other?state=\(state)", "/bye?state=\(state)&state=\(state)"] {
            #expect(!isAnswered("com.example.app:\(text)"))
        }
        #expect(!(try pending(nil).isAnswered(by: URL(string: "com.example.app:/bye?state=\(state)")!)))
    }

    @Test("A challenge field is read whatever its form, and in bounded time")
    func challenges() {
        let list = AuthenticateChallenge.list(
            in: #"Negotiate abc==, Bearer realm="a, \"b\"", error=invalid_token , DPoP algs="ES256 PS256""#
        )
        #expect(
            list.map(\.scheme) == ["negotiate", "bearer", "dpop"] || list.map(\.scheme).suffix(2) == ["bearer", "dpop"]
        )
        #expect(list.first { $0.scheme == "bearer" }?.parameters["realm"] == #"a, "b""#)
        #expect(list.first { $0.scheme == "bearer" }?.error?.code == .invalidToken)
        #expect(AuthenticateChallenge.list(in: "").isEmpty)
        #expect(AuthenticateChallenge.list(in: "\"unclosed").count <= 1)
        #expect(AuthenticateChallenge.list(in: String(repeating: "a=", count: 5000)).isEmpty)
        _ = AuthenticateChallenge.list(in: String(repeating: "=,\"", count: 2700))
    }
}

@Suite("Carrying out an exchange")
struct PerformTests {
    private final class Recorder: HTTPTransport {
        let answer: @Sendable (EndpointRequest) throws(TransportFailure) -> EndpointResponse
        let sent = Lock(0)
        init(_ answer: @escaping @Sendable (EndpointRequest) throws(TransportFailure) -> EndpointResponse) {
            self.answer = answer
        }
        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            sent.withLock { $0 += 1 }
            return try answer(request)
        }
    }

    private func failure(at server: AuthorizationServer = Fixtures.server, _ transport: Recorder) async -> SignInError?
    {
        do throws(SignInError) {
            _ = try await transport.perform(KeySetRequest(server))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A request to a URL that is neither https nor on this machine is refused",
        arguments: ["http://id.example.com/jwks", "ftp://id.example.com/jwks", "http://127.0.0.1.example.com/jwks"]
    )
    func insecure(_ url: String) async {
        var server = Fixtures.server
        server.jwksURI = URL(string: url)
        let transport = Recorder { _ in EndpointResponse() }
        #expect(await failure(at: server, transport) == SignInError(.keys, .transport(.insecureURL)))
        #expect(transport.sent.withLock { $0 } == 0)
    }

    @Test("A redirect response is rejected, whatever its status", arguments: [300, 301, 302, 303, 307, 308])
    func redirect(_ status: Int) async {
        let transport = Recorder { _ in
            EndpointResponse(status: .init(code: status), fields: [.location: "https://evil.example.com"])
        }
        #expect(await failure(transport) == SignInError(.keys, .transport(.redirectRefused)))
        #expect(transport.sent.withLock { $0 } == 1)
    }

    @Test("A redirect response is returned to an exchange that reads it, and not followed")
    func readRedirect() async throws {
        let transport = Recorder { _ in
            EndpointResponse(status: .found, fields: [.location: "https://elsewhere.example.com"])
        }
        #expect(try await transport.perform(LocationFetch()) == "https://elsewhere.example.com")
        #expect(transport.sent.withLock { $0 } == 1)
    }

    @Test("A response over its limit is rejected even when the transport returns it")
    func tooLarge() async {
        let transport = Recorder {
            EndpointResponse(body: [UInt8](repeating: 0, count: $0.limits.maximumBodyBytes + 1))
        }
        #expect(await failure(transport) == SignInError(.keys, .transport(.tooLarge)))
    }

    @Test("A transport failure is reported with its stage, and a cancellation as cancelled")
    func failures() async {
        #expect(
            await failure(Recorder { _ throws(TransportFailure) in throw .tls }) == SignInError(.keys, .transport(.tls))
        )
        #expect(
            await failure(Recorder { _ throws(TransportFailure) in throw .cancelled }) == SignInError(.keys, .cancelled)
        )
    }

    @Test("A request event names method, endpoint and status, and no query")
    func report() async throws {
        var server = Fixtures.server
        server.jwksURI = URL(string: "https://id.example.com/jwks?secret=hush")
        let reports = Lock<[RequestEvent]>([])
        let transport = Recorder { _ in
            EndpointResponse(fields: [.contentType: "application/json"], body: Array(#"{"keys":[]}"#.utf8))
        }
        let context = ExchangeContext(events: { report in reports.withLock { $0.append(report) } })
        _ = try await transport.perform(KeySetRequest(server), in: context)
        let report = try #require(reports.withLock { $0 }.first)
        #expect(report.endpoint == "https://id.example.com/jwks")
        #expect(report.method == "GET" && report.stage == .keys && report.outcome == .answered(status: 200))
    }
}

/// Reads where a page is.
private struct LocationFetch: Exchange {
    var stage: SignInError.Stage { .authorization }
    var readsRedirects: Bool { true }
    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        EndpointRequest(url: URL(string: "https://id.example.com/start")!)
    }
    func output(from response: EndpointResponse) throws(SignInError) -> String? { response.fields[.location] }
}
