import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import Testing

/// Answers one path with a status, and counts how often.
private final class CountedAnswer: HTTPTransport {
    private let answer: AnsweringTransport
    private let path: String
    private let number = Lock(0)
    var count: Int { number.withLock { $0 } }

    init(status: Int, over next: any HTTPTransport, path: String) {
        answer = AnsweringTransport(status: status, over: next, path: path)
        self.path = path
    }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        if request.url.path() == path { number.withLock { $0 += 1 } }
        return try await answer.send(request)
    }
}

@Suite("Signing in with a pushed request")
struct PushedSignInTests {
    @Test("A server that requires pushed requests gets one, and the browser carries only the request URI")
    func required() async throws {
        let world = try World(provider: { $0.requiresPushedAuthorizationRequests = true })
        let session = try await world.client().signIn()
        #expect(session.identity?.subject == "alice-subject")
        #expect(world.network.count(path: "/par") == 1)
        let opened = try #require(world.network.requests.first { $0.path == "/authorize" })
        let query = try #require(opened.request.url.query())
        #expect(query.contains("request_uri=") && !query.contains("state=") && !query.contains("code_challenge"))
    }

    @Test("A server that offers pushed requests gets one, even where only the client must push")
    func offered() async throws {
        let world = try World(client: { $0.requiresPushedAuthorization = true })
        _ = try await world.client().signIn()
        #expect(world.network.count(path: "/par") == 1)
    }

    @Test(
        "After a failed push the same request goes through the browser once",
        arguments: [404, 405, 500, 503]
    )
    func unpushed(status: Int) async throws {
        let world = try World()
        let broken = CountedAnswer(status: status, over: world.network, path: "/par")
        let session = try await world.client(transport: broken).signIn()
        #expect(session.identity?.subject == "alice-subject" && broken.count == 1)
        let opened = try #require(world.network.requests.first { $0.path == "/authorize" }?.request.url.query())
        #expect(opened.contains("state=") && opened.contains("code_challenge=") && !opened.contains("request_uri"))
    }

    @Test(
        "A request that must be pushed does not go through the browser when the endpoint fails",
        arguments: [401, 404, 405, 503]
    )
    func mandatory(status: Int) async throws {
        for isDemandedByServer in [true, false] {
            let world = try World(provider: { $0.requiresPushedAuthorizationRequests = isDemandedByServer })
            let client = try world.client(
                transport: AnsweringTransport(status: status, over: world.network, path: "/par")
            )
            let request = AuthorizationRequest(pushing: isDemandedByServer ? .auto : .always)
            let error = await failure { () throws(SignInError) in _ = try await client.signIn(request) }
            #expect(error == SignInError(.authorization, .server(status: status)))
            #expect(world.network.count(path: "/authorize") == 0)
        }
    }

    @Test(
        "A rejected push ends the sign-in, and no page is opened",
        arguments: [(400, true), (413, true), (429, true), (400, false), (401, false), (403, false)]
    )
    func refusedPush(status: Int, isPublic: Bool) async throws {
        let world = try World()
        let client = try world.client(
            transport: AnsweringTransport(status: status, over: world.network, path: "/par"),
            authentication: isPublic ? .none : .clientSecretBasic(Secret("secret"))
        )
        #expect(
            await failure { () throws(SignInError) in _ = try await client.signIn() }
                == SignInError(.authorization, .server(status: status))
        )
        #expect(world.network.count(path: "/authorize") == 0)
    }

    /// A server that authenticates only confidential clients at the endpoint, as Spring Authorization Server does.
    private static let confidentialOnly = Scenario(name: "pushed requests of confidential clients") {
        $0.response = { request, response in
            guard request.path == "/par" else { return }
            response = ProviderResponse(
                status: .unauthorized,
                fields: [.contentType: "application/json"],
                content: .bytes((["error": "invalid_client"] as JSONObject).encoded())
            )
        }
    }

    @Test("A public client signs in where only confidential clients may push")
    func publicClient() async throws {
        let world = try World(scenario: Self.confidentialOnly)
        let session = try await world.client().signIn()
        #expect(session.identity?.subject == "alice-subject" && world.network.count(path: "/par") == 1)
        let opened = try #require(world.network.requests.first { $0.path == "/authorize" }?.request.url.query())
        #expect(opened.contains("state=") && opened.contains("code_challenge=") && !opened.contains("request_uri"))
    }

    @Test("A public client opens no page where only confidential clients may push and pushing is required")
    func publicClientThatMustPush() async throws {
        let world = try World(
            scenario: Self.confidentialOnly,
            provider: { $0.requiresPushedAuthorizationRequests = true }
        )
        let client = try world.client()
        let error = await failure { () throws(SignInError) in _ = try await client.signIn() }
        #expect(error == SignInError(.authorization, .refused(OAuthError(code: .invalidClient))))
        #expect(world.network.count(path: "/authorize") == 0)
    }

    @Test("A request is not pushed where the app says never, or only when required")
    func switchedOff() async throws {
        let world = try World()
        for pushing in [AuthorizationRequest.Pushing.never, .whenRequired] {
            _ = try await world.client().signIn(AuthorizationRequest(pushing: pushing))
        }
        #expect(world.network.count(path: "/par") == 0)
    }

    @Test("The app can always push, and refusing to push fails where it is required")
    func asked() async throws {
        let world = try World()
        _ = try await world.client().signIn(AuthorizationRequest(pushing: .always))
        #expect(world.network.count(path: "/par") == 1)
        let demanding = try World(provider: { $0.requiresPushedAuthorizationRequests = true })
        let client = try demanding.client()
        let error = await failure { () throws(SignInError) in
            _ = try await client.signIn(AuthorizationRequest(pushing: .never))
        }
        guard case .configuration = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(demanding.network.count(path: "/authorize") == 0)
    }

    @Test("A rejected push ends the sign-in without a plain request")
    func noFallBack() async throws {
        let world = try World(scenario: .pushedRefused)
        let client = try world.client()
        let error = await failure { () throws(SignInError) in
            _ = try await client.signIn(AuthorizationRequest(pushing: .always))
        }
        #expect(error?.stage == .authorization)
        #expect(world.network.count(path: "/authorize") == 0)
        #expect(try await client.restoreSession() == nil)
    }

    @Test("Every sign-in pushes its own request")
    func anew() async throws {
        let world = try World(provider: { $0.requiresPushedAuthorizationRequests = true })
        let client = try world.client()
        _ = try await client.signIn()
        _ = try await client.signIn()
        #expect(world.network.count(path: "/par") == 2)
    }

    @Test("A push endpoint that only the second metadata document names is found")
    func secondDocument() async throws {
        let split = Scenario(name: "pushed endpoint in the OAuth document") {
            $0.response = { request, response in
                guard request.path == "/.well-known/openid-configuration", case .bytes(let bytes) = response.content,
                    var metadata = try? JSONObject(parsing: bytes)
                else { return }
                metadata["pushed_authorization_request_endpoint"] = nil
                response.content = .bytes(metadata.encoded())
            }
        }
        let world = try World(scenario: split, provider: { $0.requiresPushedAuthorizationRequests = true })
        _ = try await world.client().signIn()
        #expect(world.network.count(path: "/par") == 1)
    }
}
