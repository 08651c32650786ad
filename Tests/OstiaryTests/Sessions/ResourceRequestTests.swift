import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A resource server beside the provider, which answers as a test says.
private final class ResourceServer: HTTPTransport {
    private let provider: InProcessProvider
    private let answer: @Sendable (EndpointRequest, Int) -> EndpointResponse
    private let seen = Lock<[EndpointRequest]>([])

    init(beside provider: InProcessProvider, _ answer: @escaping @Sendable (EndpointRequest, Int) -> EndpointResponse) {
        self.provider = provider
        self.answer = answer
    }

    var requests: [EndpointRequest] { seen.withLock { $0 } }
    /// The tokens by the address that they were presented to: `https://host/path token`.
    var shown: [String] {
        requests.map { "\($0.url.absoluteString) \($0.fields[.authorization]?.prefix(6) ?? "-")" }
    }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        if request.url.absoluteString.hasPrefix(World.issuer) { return try await provider.send(request) }
        let number = seen.withLock { seen in
            seen.append(request)
            return seen.count
        }
        return answer(request, number)
    }
}

extension EndpointResponse {
    fileprivate static func redirect(_ status: HTTPResponse.Status, _ location: String) -> EndpointResponse {
        EndpointResponse(status: status, fields: [.location: location])
    }
    fileprivate static func challenge(
        _ text: String,
        status: HTTPResponse.Status = .unauthorized
    ) -> EndpointResponse {
        EndpointResponse(status: status, fields: [.wwwAuthenticate: text])
    }
}

@Suite("Requests to resource servers")
struct ResourceRequestTests {
    private static let api = "https://api.example.test/things"

    private func start(
        _ world: World,
        allowing origins: [String] = ["https://api.example.test"],
        senderConstraint: SenderConstraint = .none,
        resources: [ResourceIndicator] = [],
        _ answer: @escaping @Sendable (EndpointRequest, Int) -> EndpointResponse
    ) async throws -> (Session, ResourceServer) {
        let server = ResourceServer(beside: world.network, answer)
        let policy = SessionPolicy(resourceOrigins: Set(try origins.map { try Origin($0) }))
        let client = try world.client(policy: policy, transport: server, senderConstraint: senderConstraint)
        return (try await client.signIn(AuthorizationRequest(resources: resources)), server)
    }

    private func request(_ url: String = api, _ method: HTTPRequest.Method = .get) throws -> EndpointRequest {
        EndpointRequest(url: try #require(URL(string: url)), method: method)
    }

    @Test("A resource request to an allowed origin carries the token, and its response is returned unchanged")
    func allowed() async throws {
        let (session, server) = try await start(try World()) { _, _ in
            EndpointResponse(status: .notFound, body: Array("no such thing".utf8))
        }
        var request = try request()
        request.fields[.authorization] = "Basic c2VjcmV0"
        let response = try await session.data(for: request)
        #expect(response.status == .notFound && response.body == Array("no such thing".utf8))
        #expect(server.requests[0].fields[.authorization] == "Bearer \(try await session.accessToken().reveal())")
    }

    @Test(
        "A resource request to an origin that is not allowed is refused, and nothing is sent",
        arguments: [
            "https://api.example.test:8443/", "https://example.test/", "https://api.example.test.evil.test/",
            "https://evil.test/https://api.example.test/", World.issuer + "/userinfo",
        ]
    )
    func otherOrigins(url: String) async throws {
        let (session, server) = try await start(try World()) { _, _ in EndpointResponse() }
        let request = try request(url)
        let error = await failure { () throws(SignInError) in _ = try await session.data(for: request) }
        guard case .configuration(let sentence) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.stage == .resource && sentence.contains("resourceOrigins"))
        #expect(server.requests.isEmpty)
    }

    @Test("A URLRequest is sent with the token, its fields and its body, and its response is Foundation's")
    func foundation() async throws {
        let (session, server) = try await start(try World()) { _, _ in
            EndpointResponse(
                status: .created,
                fields: [.contentType: "text/plain", .cacheControl: "no-store", .cacheControl: "private"],
                body: Array("made".utf8)
            )
        }
        var request = URLRequest(url: try #require(URL(string: Self.api + "?page=2")))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "content-type")
        request.setValue("Basic c2VjcmV0", forHTTPHeaderField: "Authorization")
        request.setValue("7", forHTTPHeaderField: "X-Trace")
        request.httpBody = Data("{}".utf8)
        request.timeoutInterval = 7
        let (data, response) = try await session.data(for: request, maximumBodyBytes: 100)
        #expect(data == Data("made".utf8) && response.statusCode == 201 && response.url == request.url)
        #expect(response.value(forHTTPHeaderField: "Content-Type") == "text/plain")
        #expect(response.value(forHTTPHeaderField: "Cache-Control") == "no-store, private")
        let sent = server.requests[0]
        #expect(sent.url == request.url && sent.method == .post && sent.body == Array("{}".utf8))
        let trace = try #require(HTTPField.Name("X-Trace"))
        #expect(sent.allFields[.contentType] == "application/json" && sent.fields[trace] == "7")
        #expect(sent.fields[.authorization] == "Bearer \(try await session.accessToken().reveal())")
        #expect(sent.limits == EndpointRequest.Limits(maximumBodyBytes: 100, deadline: .seconds(7)))
    }

    @Test(
        "A timeoutInterval that is no time limits the exchange to a second, a minute or a day",
        arguments: zip([0, -1, .infinity, .greatestFiniteMagnitude, .nan], [1, 1, 86_400, 86_400, 60])
    )
    func interval(seconds: Double, expected: Double) async throws {
        let (session, server) = try await start(try World()) { _, _ in EndpointResponse() }
        var request = URLRequest(url: try #require(URL(string: Self.api)))
        request.timeoutInterval = seconds
        _ = try await session.data(for: request)
        #expect(server.requests[0].limits.deadline == .seconds(expected))
    }

    @Test(
        "A URLRequest that cannot be sent whole is not sent",
        arguments: [
            ("stream", "httpBody"), ("method", "method"), ("body", "GET"), ("field", "header fields"), ("url", "URL"),
        ]
    )
    func unsendable(fault: String, named: String) async throws {
        let (session, server) = try await start(try World()) { _, _ in EndpointResponse() }
        var request = URLRequest(url: try #require(URL(string: Self.api)))
        switch fault {
        case "stream": request.httpBodyStream = InputStream(data: Data("x".utf8))
        case "method": request.httpMethod = "NO METHOD"
        case "body": request.httpBody = Data("x".utf8)
        case "field": request.allHTTPHeaderFields = ["X-Field": "a\r\nX-Injected: 1"]
        default: request.url = nil
        }
        let unsent = request
        let error = await failure { () throws(SignInError) in _ = try await session.data(for: unsent) }
        guard case .configuration(let sentence) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.stage == .resource && sentence.contains(named) && server.requests.isEmpty)
    }

    @Test("A request of HTTPTypes is sent with the token and its body, and its response is one of HTTPTypes")
    func types() async throws {
        let (session, server) = try await start(try World()) { _, _ in
            EndpointResponse(status: .accepted, fields: [.contentType: "text/plain"], body: Array("ok".utf8))
        }
        let request = HTTPRequest(
            method: .put,
            scheme: "https",
            authority: "api.example.test",
            path: "/things?a=%2F",
            headerFields: [.contentType: "text/csv"]
        )
        let (body, response) = try await session.data(for: request, body: Array("a,b".utf8))
        #expect(body == Array("ok".utf8) && response.status == .accepted)
        #expect(response.headerFields[.contentType] == "text/plain")
        let sent = server.requests[0]
        #expect(sent.url.absoluteString == "https://api.example.test/things?a=%2F" && sent.method == .put)
        #expect(sent.body == Array("a,b".utf8) && sent.allFields[.contentType] == "text/csv")
        #expect(sent.fields[.authorization] == "Bearer \(try await session.accessToken().reveal())")
        let partial = HTTPRequest(method: .get, scheme: nil, authority: "api.example.test", path: "/things")
        let error = await failure { () throws(SignInError) in _ = try await session.data(for: partial) }
        guard case .configuration = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(server.requests.count == 1)
    }

    @Test(
        "A resource request to an insecure URL is refused, and nothing is sent",
        arguments: ["http://api.example.test/", "file:///etc/passwd", "https://user@api.example.test/"]
    )
    func insecure(url: String) async throws {
        let (session, server) = try await start(try World()) { _, _ in EndpointResponse() }
        let request = try request(url)
        let error = await failure { () throws(SignInError) in _ = try await session.data(for: request) }
        #expect(error == SignInError(.resource, .transport(.insecureURL)))
        #expect(server.requests.isEmpty)
    }

    @Test("A resource request to its own resource's origin needs no allowance, and carries that token")
    func resource() async throws {
        let world = try World(provider: {
            $0.resources = [ProviderResource(identifier: "https://notes.example.test/api", name: "Notes")]
        })
        let notes = try ResourceIndicator("https://notes.example.test/api")
        let (session, server) = try await start(world, allowing: [], resources: [notes]) { _, _ in EndpointResponse() }
        _ = try await session.data(for: try request("https://notes.example.test/api/1"), resource: notes)
        #expect(
            server.requests[0].fields[.authorization] == "Bearer \(try await session.accessToken(for: notes).reveal())"
        )
        let other = try request()
        let error = await failure { () throws(SignInError) in _ = try await session.data(for: other, resource: notes) }
        #expect(error?.stage == .resource && server.requests.count == 1)
    }

    @Test("A redirect keeps the token within the origin, and loses it for good at another one")
    func redirects() async throws {
        let (session, server) = try await start(try World()) { request, number in
            switch number {
            case 1: .redirect(.found, "/moved?a=b")
            case 2: .redirect(.temporaryRedirect, "https://other.example.test/x")
            case 3: .redirect(.found, "https://api.example.test/back")
            default: EndpointResponse(body: [1])
            }
        }
        var request = try request()
        request.fields[.cookie] = "session=secret"
        request.fields[HTTPField.Name("X-Api-Key")!] = "secret"
        request.fields[.accept] = "text/plain"
        #expect(try await session.data(for: request).body == [1])
        #expect(
            server.shown == [
                "https://api.example.test/things Bearer", "https://api.example.test/moved?a=b Bearer",
                "https://other.example.test/x -", "https://api.example.test/back -",
            ]
        )
        for foreign in server.requests[2...] { #expect(foreign.fields.map(\.name) == [.accept]) }
    }

    @Test(
        "A redirected POST becomes GET or keeps its body, depending on the status",
        arguments: [
            (303, "GET", false), (302, "GET", false), (301, "GET", false), (307, "POST", true), (308, "POST", true),
        ]
    )
    func methods(status: Int, method: String, hasBody: Bool) async throws {
        let (session, server) = try await start(try World()) { _, number in
            number == 1 ? .redirect(.init(code: status), "/next") : EndpointResponse()
        }
        var request = try request(Self.api, .post)
        request.content = .init(mediaType: "text/plain", bytes: [1, 2])
        _ = try await session.data(for: request)
        #expect(server.requests[1].method.rawValue == method && (server.requests[1].body != nil) == hasBody)
    }

    @Test(
        "A redirect to an insecure or forbidden target is rejected",
        arguments: [
            (307, "https://other.example.test/"), (303, "http://api.example.test/"), (303, "http://127.0.0.1/"),
            (303, "https://localhost/"), (303, "file:///etc/passwd"), (303, "https://a:b@api.example.test/"),
            (303, "javascript:alert(1)"), (303, "https://" + String(repeating: "a", count: 9000)),
        ]
    )
    func badRedirects(status: Int, location: String) async throws {
        let (session, server) = try await start(try World()) { _, number in
            number == 1 ? .redirect(.init(code: status), location) : EndpointResponse()
        }
        var request = try request(Self.api, .post)
        request.content = .init(mediaType: "text/plain", bytes: [1, 2])
        let sent = request
        let error = await failure { () throws(SignInError) in _ = try await session.data(for: sent) }
        #expect(error == SignInError(.resource, .transport(.redirectRefused)))
        #expect(server.requests.count == 1)
    }

    @Test("A resource request follows five redirects, and no sixth")
    func endless() async throws {
        let (session, server) = try await start(try World()) { _, number in .redirect(.found, "/\(number)") }
        let request = try request()
        let error = await failure { () throws(SignInError) in _ = try await session.data(for: request) }
        #expect(error == SignInError(.resource, .transport(.redirectRefused)))
        #expect(server.requests.count == 6)
    }

    @Test("A 401 of a resource server refreshes the token and repeats the request once")
    func renewed() async throws {
        let world = try World()
        let (session, server) = try await start(world) { _, number in
            number == 1 ? .challenge("Bearer error=\"invalid_token\"") : EndpointResponse(body: [7])
        }
        let before = try await session.accessToken()
        #expect(try await session.data(for: try request()).body == [7])
        #expect(try await session.accessToken() != before)
        #expect(world.network.count(path: "/token") == 2)
        #expect(server.requests[1].fields[.authorization] == "Bearer \(try await session.accessToken().reveal())")
    }

    @Test("Repeated 401s cause one repeated request and one refresh in all")
    func neverSatisfied() async throws {
        let world = try World()
        let (session, server) = try await start(world) { _, _ in .challenge("Bearer") }
        for _ in 0..<3 { #expect(try await session.data(for: try request()).status == .unauthorized) }
        #expect(server.requests.count == 4)
        #expect(world.network.count(path: "/token") == 2)
        // Another token, which time brought, may be renewed again.
        world.clock.advance(by: .seconds(890))
        #expect(try await session.data(for: try request()).status == .unauthorized)
        #expect(world.network.count(path: "/token") == 4)
    }

    @Test("Fifty resource requests rejected with one token cause one refresh")
    func together() async throws {
        let world = try World()
        let stale = Lock<String?>(nil)
        let (session, server) = try await start(world) { request, _ in
            let isStale = stale.withLock { $0 } == request.fields[.authorization]
            return isStale ? .challenge("Bearer error=\"invalid_token\"") : EndpointResponse(body: [7])
        }
        let token = try await session.accessToken().reveal()
        stale.withLock { $0 = "Bearer \(token)" }
        let request = try request()
        try await withThrowingTaskGroup(of: EndpointResponse.self) { group in
            for _ in 0..<50 { group.addTask { try await session.data(for: request) } }
            for try await response in group { #expect(response.body == [7]) }
        }
        #expect(world.network.count(path: "/token") == 2)
        #expect(server.requests.count <= 100)
    }

    @Test("After a redirect only the rejected request is repeated, and not the POST before it")
    func refusedAfterRedirect() async throws {
        let world = try World()
        let (session, server) = try await start(world) { request, number in
            switch number {
            case 1: .redirect(.seeOther, "/receipts/1")
            case 2: .challenge("Bearer error=\"invalid_token\"")
            default: EndpointResponse(body: [7])
            }
        }
        var order = try request("https://api.example.test/orders", .post)
        order.content = .init(mediaType: "text/plain", bytes: [1, 2])
        #expect(try await session.data(for: order).body == [7])
        #expect(server.requests.map(\.method) == [.post, .get, .get])
        #expect(server.requests[2].url == server.requests[1].url && server.requests[2].body == nil)
        #expect(server.requests[2].fields[.authorization] == "Bearer \(try await session.accessToken().reveal())")
    }

    @Test("A token refreshed after a 401 is refreshed again once a server has accepted it")
    func renewedAgain() async throws {
        let world = try World()
        let (session, _) = try await start(world) { _, number in
            [1, 3].contains(number) ? .challenge("Bearer error=\"invalid_token\"") : EndpointResponse(body: [7])
        }
        for _ in 0..<2 { #expect(try await session.data(for: try request()).body == [7]) }
        #expect(world.network.count(path: "/token") == 3)
    }

    @Test("A failed refresh after a 401 is thrown, and the session is kept")
    func refreshFails() async throws {
        let world = try World()
        let (session, server) = try await start(world) { _, _ in .challenge("Bearer") }
        world.network.lose(to: "/token", .beforeProcessing, with: .unreachable)
        let request = try request()
        let error = await failure { () throws(SignInError) in _ = try await session.data(for: request) }
        #expect(error == SignInError(.refresh, .transport(.unreachable)))
        #expect(session.end == nil && server.requests.count == 1)
    }

    @Test("A 401 of another origin refreshes nothing")
    func foreign401() async throws {
        let world = try World()
        let (session, server) = try await start(world) { _, number in
            number == 1
                ? .redirect(.found, "https://other.example.test/")
                : .challenge("Bearer error=\"insufficient_user_authentication\"")
        }
        #expect(try await session.data(for: try request()).status == .unauthorized)
        #expect(server.requests.count == 2 && world.network.count(path: "/token") == 1)
    }

    @Test("A step-up challenge of a resource server is thrown with its requirements, and nothing is refreshed")
    func stepUp() async throws {
        let world = try World()
        let (session, server) = try await start(world) { _, _ in
            .challenge(
                "Bearer error=\"insufficient_user_authentication\", acr_values=\"gold silver\", max_age=\"300\""
            )
        }
        let request = try request()
        let error = await failure { () throws(SignInError) in _ = try await session.data(for: request) }
        let challenge = AuthenticateChallenge.StepUp(acrValues: ["gold", "silver"], maximumAge: .seconds(300))
        #expect(error == SignInError(.resource, .stepUpRequired(challenge)) && error?.recovery == .signInAgain)
        #expect(server.requests.count == 1 && world.network.count(path: "/token") == 1)
        let signIn = AuthorizationRequest(stepUp: challenge)
        #expect(signIn.authenticationContext == .required(["gold", "silver"]) && signIn.maximumAge == .seconds(300))
        #expect(signIn.scopes == [.openID, .profile, .offlineAccess])
    }

    @Test(
        "Challenges are read as RFC 9470 and RFC 6750 define them",
        arguments: [
            (401, "DPoP error=\"insufficient_user_authentication\"", AuthenticateChallenge.StepUp()),
            (
                401, "Bearer error=\"insufficient_user_authentication\", max_age=\"0\"",
                AuthenticateChallenge.StepUp(maximumAge: .zero)
            ),
            (
                401, "Bearer error=\"insufficient_user_authentication\", max_age=\"-5\"",
                AuthenticateChallenge.StepUp(maximumAge: .zero)
            ),
            (
                401, "Bearer error=\"insufficient_user_authentication\", max_age=\"soon\"",
                AuthenticateChallenge.StepUp(maximumAge: .zero)
            ),
            (
                403, "Bearer error=\"insufficient_scope\", scope=\"write admin\"",
                AuthenticateChallenge.StepUp(scopes: [Scope(rawValue: "write"), Scope(rawValue: "admin")])
            ),
            (403, "Bearer error=\"insufficient_scope\"", nil), (401, "Bearer error=\"invalid_token\"", nil),
            (400, "Bearer error=\"insufficient_user_authentication\"", nil),
            (401, "Basic error=\"insufficient_user_authentication\"", nil), (401, "", nil),
        ] as [(Int, String, AuthenticateChallenge.StepUp?)]
    )
    func challenges(status: Int, field: String, expected: AuthenticateChallenge.StepUp?) {
        #expect(AuthenticateChallenge.StepUp(.challenge(field, status: .init(code: status))) == expected)
    }

    @Test("A bound token is sent with a proof, and a nonce challenge is answered")
    func bound() async throws {
        let (session, server) = try await start(try World(), senderConstraint: .dpop) { _, number in
            number == 1
                ? EndpointResponse(
                    status: .unauthorized,
                    fields: [.wwwAuthenticate: "DPoP error=\"use_dpop_nonce\"", .dpopNonce: "n-1"]
                )
                : EndpointResponse()
        }
        #expect(try await session.data(for: try request()).status == .ok)
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { $0.fields[.authorization]?.hasPrefix("DPoP ") == true })
        let proofs = server.requests.compactMap { $0.fields[.dpop] }
        #expect(Set(proofs).count == 2)
        let payload = try Base64URL.decode(String(proofs[1].split(separator: ".")[1]))
        #expect(try JSONObject(parsing: payload)["nonce"] == "n-1")
    }

    @Test("A resource server's Date does not change the issuer's clock")
    func clock() async throws {
        let world = try World()
        let (session, _) = try await start(world) { _, _ in
            EndpointResponse(fields: [.date: "Mon, 01 Jan 2035 00:00:00 GMT"])
        }
        let token = try await session.accessToken()
        _ = try await session.data(for: try request())
        #expect(try await session.accessToken() == token)
    }

    @Test("A resource response over its limit is rejected")
    func limit() async throws {
        let (session, _) = try await start(try World()) { _, _ in EndpointResponse(body: [1, 2, 3]) }
        var request = try request()
        request.limits.maximumBodyBytes = 2
        let sent = request
        let error = await failure { () throws(SignInError) in _ = try await session.data(for: sent) }
        #expect(error == SignInError(.resource, .transport(.tooLarge)))
    }

    @Test(
        "An origin is compared by scheme, host and port",
        arguments: [
            "https://api.example.test", "https://API.example.test/", "https://api.example.test:443",
        ]
    )
    func origins(text: String) throws {
        #expect(try Origin(text).description == "https://api.example.test")
        for wrong in ["http://api.example.test", "https://a/b", "https://a?b", "https://u@a", "a", "https://"] {
            #expect(throws: SignInError.self) { try Origin(wrong) }
        }
        #expect(try Origin("http://127.0.0.1:8080").description == "http://127.0.0.1:8080")
    }
}
