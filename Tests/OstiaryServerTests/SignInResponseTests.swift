import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("The posted response to a backend's sign-in")
struct SignInResponseTests {
    // MARK: The form

    /// The response to a form.
    private func response(
        _ form: String,
        type: String = "application/x-www-form-urlencoded",
        to world: PostedWorld
    ) async throws -> ServerResponse {
        try await #require(world.signIn.response).respond(
            to: ServerRequest(
                method: .post,
                target: "/auth/response",
                fields: [.contentType: type],
                body: Array(form.utf8),
                sender: "192.0.2.1"
            )
        )
    }

    @Test("A posted authorization response is handed to the app by a redirect without code and user")
    func sealed() async throws {
        let world = try PostedWorld()
        let answer = try await response("code=the-code&state=the-state&user=%7B%22email%22%3A%22a%40b%22%7D", to: world)
        #expect(answer.status == .seeOther)
        #expect(answer.fields[.cacheControl] == "no-store")
        #expect(answer.fields[HTTPField.Name("Referrer-Policy")!] == "no-referrer")
        #expect(answer.fields[.setCookie] == nil && answer.body.isEmpty)
        let place = try #require(answer.fields[.location])
        #expect(place.hasPrefix(PostedWorld.app + "?code=") && place.hasSuffix("&state=the-state"))
        #expect(!place.contains("the-code") && !place.contains("email"))
    }

    @Test("An issuer's posted error reaches the app with its state")
    func error() async throws {
        let world = try PostedWorld()
        let answer = try await response(
            "error=user_cancelled_authorize&state=s&iss=https%3A%2F%2Fid.example.test",
            to: world
        )
        #expect(
            answer.fields[.location]
                == PostedWorld.app + "?error=user_cancelled_authorize&iss=https%3A%2F%2Fid.example.test&state=s"
        )
        let described = try await response("error=server_error&error_description=Too%20busy&state=s", to: world)
        #expect(described.fields[.location]?.contains("error_description=Too%20busy") == true)
        let unreadable = try await response("error=server_error&error_description=%22%0A&state=s", to: world)
        #expect(unreadable.fields[.location] == PostedWorld.app + "?error=server_error&state=s")
    }

    @Test(
        "A posted body that is no authorization response is rejected with 400, without a redirect",
        arguments: [
            "", "code=c", "state=s", "code=c&state=", "code=&state=s", "code=c&code=c&state=s",
            "code=c&state=s&state=s",
            "code=c&state=s&iss=a&iss=a", "code=c&state=s&user=1&user=2", "error=e&error=e&state=s",
            "code=c&error=e&state=s", "error=%22&state=s", "error=%0D%0A&state=s", "error=&state=s",
            "error=\(String(repeating: "e", count: 129))&state=s",
            "code=c&state=s&id_token=t", "code=c&state=s&access_token=t", "code=c&state=s&token=t",
            "state=s&response=t", "code=%FF&state=s", "code=%G0&state=s",
            "code=c&state=\(String(repeating: "s", count: 513))",
            "code=\(String(repeating: "c", count: 2049))&state=s",
            "code=c&state=s&iss=\(String(repeating: "i", count: 513))",
            "code=c&state=s" + String(repeating: "&a=b", count: 31),
        ]
    )
    func unreadable(form: String) async throws {
        let answer = try await response(form, to: try PostedWorld())
        #expect(answer.status == .badRequest && answer.fields[.location] == nil)
    }

    @Test("A posted response with another media type is rejected")
    func mediaType() async throws {
        for type in ["application/json", "text/plain", "multipart/form-data"] {
            let answer = try await response("code=c&state=s", type: type, to: try PostedWorld())
            #expect(answer.status == .badRequest)
        }
    }

    @Test("A sender over the limit of posted responses a minute gets 429")
    func limit() async throws {
        let world = try PostedWorld()
        for _ in 0..<20 { #expect(try await response("code=c&state=s", to: world).status == .seeOther) }
        let answer = try await response("code=c&state=s", to: world)
        #expect(answer.status == .tooManyRequests && answer.fields[.retryAfter] != nil)
    }

    @Test("The largest accepted posted response fits the app's finish request")
    func largest() async throws {
        let world = try PostedWorld()
        let code = String(repeating: "c", count: 2048)
        let state = String(repeating: "s", count: 512)
        let issuer = String(repeating: "i", count: 512)
        let user = #"{"n":""# + String(repeating: "u", count: 1016) + #""}"#
        #expect(user.utf8.count == 1024)
        let form = Parameters([.code: code, .state: state, .issuer: issuer, "user": user])
        let place = try #require(try await response(FormURLEncoding.encode(form), to: world).fields[.location])
        let app = try #require(FormURLEncoding.decode(String(place.drop { $0 != "?" }.dropFirst())))
        let reference = try #require(app[.code])
        #expect(reference.utf8.count <= 6144)
        #expect(try await world.finish(code: reference, state: state).error == "invalid_grant")
        let body: JSONObject = ["code": .string(reference), "state": .string(state), "iss": .string(issuer)]
        #expect(body.encoded().count <= world.signIn.finish.maximumBodyBytes)
    }

    // MARK: Sign-ins

    @Test("A provider like Apple posts its user, which reaches the app as unverified")
    func journey() async throws {
        let world = try PostedWorld(
            user: #"{"name":{"firstName":"Alice","lastName":"Liddell"},"email":"a@example.com"}"#
        )
        let redirect = try await world.redirect()
        let finish = try await world.finish(code: try #require(redirect[.code]), state: try #require(redirect[.state]))
        #expect(finish.object["sub"]?.string == "alice-subject" && finish.object["session"]?.string != nil)
        let user = finish.object["unverified_user"]?.object
        #expect(user?["name"]?.object?["firstName"]?.string == "Alice")
        #expect(user?["email"]?.string == "a@example.com")
        // The same request hears the same answer: an app whose connection broke loses no name.
        let again = try await world.finish(code: try #require(redirect[.code]), state: try #require(redirect[.state]))
        #expect(again.object == finish.object)
    }

    @Test("A finish whose stored sign-in cannot be read once succeeds when it is repeated")
    func unreadableOnce() async throws {
        let world = try PostedWorld()
        let redirect = try await world.redirect()
        let (code, state) = (try #require(redirect[.code]), try #require(redirect[.state]))
        world.store.failNextTake(.unavailable)
        #expect(try await world.finish(code: code, state: state).error == "temporarily_unavailable")
        #expect(try await world.finish(code: code, state: state).object["sub"]?.string == "alice-subject")
    }

    @Test("A later sign-in without a posted user succeeds")
    func withoutUser() async throws {
        let world = try PostedWorld()
        let redirect = try await world.redirect()
        let finish = try await world.finish(code: try #require(redirect[.code]), state: try #require(redirect[.state]))
        #expect(finish.object["session"]?.string != nil && finish.object["unverified_user"] == nil)
    }

    @Test(
        "A posted user that cannot be read is left out, and the sign-in succeeds",
        arguments: [
            "", "Alice", "[]", #"{"a":1,"a":2}"#, #"{"a":{"b":{"c":{}}}}"#,
            #"{"name":""# + String(repeating: "x", count: 1024) + #""}"#,
        ]
    )
    func unreadableUser(user: String) async throws {
        let world = try PostedWorld(user: user)
        let redirect = try await world.redirect()
        let finish = try await world.finish(code: try #require(redirect[.code]), state: try #require(redirect[.state]))
        #expect(finish.object["session"]?.string != nil && finish.object["unverified_user"] == nil)
    }

    @Test("A posted response can be finished only with the key that started the sign-in")
    func otherKey() async throws {
        let world = try PostedWorld()
        let redirect = try await world.redirect()
        let code = try #require(redirect[.code])
        let state = try #require(redirect[.state])
        #expect(try await world.finish(code: code, state: state, by: Proofs.otherKey).error == "invalid_grant")
        #expect(try await world.finish(code: code, state: state).object["session"]?.string != nil)
    }

    @Test("A posted response does not open for another state, and stays usable")
    func otherState() async throws {
        let world = try PostedWorld()
        let first = try await world.redirect()
        let second = try await world.redirect()
        let code = try #require(first[.code])
        #expect(try await world.finish(code: code, state: try #require(second[.state])).error == "invalid_grant")
        #expect(world.provider.count(path: "/token") == 0)
        #expect(try await world.finish(code: code, state: try #require(first[.state])).object["session"] != nil)
    }

    @Test("A bare code is rejected where a posted response is expected")
    func bareCode() async throws {
        let world = try PostedWorld()
        let redirect = try await world.redirect()
        let state = try #require(redirect[.state])
        #expect(
            try await world.finish(code: try #require(world.browser.postedCode), state: state).error == "invalid_grant"
        )
        #expect(world.provider.count(path: "/token") == 0)
    }

    @Test("The code is redeemed with the response endpoint as redirect URI, and the page asks for form_post")
    func redirectURI() async throws {
        let world = try PostedWorld()
        let redirect = try await world.redirect()
        _ = try await world.finish(code: try #require(redirect[.code]), state: try #require(redirect[.state]))
        let page = try #require(world.provider.requests.first { $0.path == "/authorize" })
        let query = try #require(FormURLEncoding.decode(page.request.url.query(percentEncoded: true) ?? ""))
        #expect(query[.responseMode] == "form_post" && query[.redirectURI] == PostedWorld.endpoint)
        let token = try #require(world.provider.requests.first { $0.path == "/token" }?.request.body)
        #expect(FormURLEncoding.decode(String(decoding: token, as: UTF8.self))?[.redirectURI] == PostedWorld.endpoint)
    }

    @Test("A session that begins without a refresh token is reported, and one with a refresh token is not")
    func notRenewable() async throws {
        for (manners, events) in [(ProviderManners.strict, [ServerSessions.Event.notRenewable]), (.apple, [])] {
            let world = try PostedWorld(manners: manners)
            let redirect = try await world.redirect()
            let code = try #require(redirect[.code])
            #expect(try await world.finish(code: code, state: try #require(redirect[.state])).object["session"] != nil)
            #expect(world.events.all == events && world.events.begun == 1)
        }
    }

    // MARK: Settings

    @Test("A sign-in whose response comes in a query has no response endpoint")
    func query() throws {
        let world = try PostedWorld()
        #expect(try BackendSignIn(sessions: world.sessions, scopes: [.openID], store: world.store).response == nil)
    }

    @Test("A form_post is refused for a redirect URI that no browser can post to, and for one that is the app's")
    func redirectURIs() throws {
        for (client, app) in [
            (PostedWorld.app, "com.example.other:/callback"), (PostedWorld.endpoint, PostedWorld.endpoint),
        ] {
            let world = try PostedWorld(redirectURI: client)
            #expect {
                try BackendSignIn(
                    sessions: world.sessions,
                    scopes: [.openID],
                    responseMode: .formPost(redirectingTo: try RedirectURI(app)),
                    store: world.store
                )
            } throws: { error in
                guard case .configuration(let sentence)? = (error as? SignInError)?.reason else { return false }
                return sentence.contains(client)
            }
        }
    }
}

/// A provider like Apple, a backend that it posts to, an app with a key, and a browser between them.
private struct PostedWorld {
    static let endpoint = Proofs.origin + "/auth/response"
    static let app = "com.example.app:/callback"
    private static let issuer = "https://id.example.test"

    let provider: InProcessProvider
    let sessions: ServerSessions
    let store = SwitchedServerStore()
    let signIn: BackendSignIn
    let browser: PostingBrowser
    let events = NotedEvents()

    /// - Parameter user: The member `user` that the provider posts.
    init(user: String? = nil, redirectURI: String = endpoint, manners: ProviderManners = .apple) throws {
        var manners = manners
        manners.formPostScopes = [.email]
        manners.clientSecrets = .signed
        let events = events
        let key = try SigningKey.generate(.es256)
        var random = SystemRandomNumberGenerator()
        let configuration = ProviderConfiguration(
            issuer: try Issuer(Self.issuer),
            clients: [
                RegisteredClient(
                    id: "service",
                    name: "The service",
                    authenticationMethod: .signedSecret(keys: JSONWebKeySet([key.publicKey]), developer: "TEAM"),
                    redirectURIs: [try RedirectURI(Self.endpoint)],
                    requiresConsent: false
                )
            ],
            users: [
                ProviderUser(
                    name: "alice",
                    passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
                    subject: "alice-subject",
                    claims: ["email": "a@example.com"]
                )
            ],
            signingAlgorithms: [.es256],
            manners: manners
        )
        provider = InProcessProvider(
            provider: Provider(
                configuration: configuration,
                clock: Fixtures.clock,
                random: SystemRandomNumberGenerator()
            )
        )
        let secret = try key.sign(
            claims: [
                "iss": "TEAM", "sub": "service", "aud": .string(Self.issuer), "iat": .integer(Fixtures.time),
                "exp": .integer(Fixtures.time + 3600),
            ],
            type: "JWT"
        )
        sessions = ServerSessions(
            client: try Client(
                id: "service",
                redirectURI: try RedirectURI(redirectURI),
                authentication: .clientSecretPost(Secret(secret))
            ),
            keys: try KeySource(issuer: try Issuer(Self.issuer), transport: provider, clock: Fixtures.clock),
            store: store,
            sealing: SealingKeys(try .random()),
            dpop: try ProofChecking(origins: [try ExternalOrigin(Proofs.origin)], replays: store),
            transport: provider,
            clock: Fixtures.clock,
            events: { events.note($0) }
        )
        signIn = try BackendSignIn(
            sessions: sessions,
            scopes: [.openID, .email],
            responseMode: redirectURI == Self.endpoint ? .formPost(redirectingTo: try RedirectURI(Self.app)) : .query,
            store: store
        )
        browser = PostingBrowser(provider: provider, response: signIn.response, user: user)
    }

    struct Answer {
        let object: JSONObject
        var error: String? { object["error"]?.string }
    }

    private func ask(
        _ endpoint: some ServerEndpoint,
        _ path: String,
        _ body: JSONObject?,
        by key: SigningKey
    ) async throws -> Answer {
        var fields: HTTPFields = [.dpop: Proofs.proof(nil, path: path, method: "POST", by: key)]
        if body != nil { fields[.contentType] = "application/json" }
        let response = await endpoint.respond(
            to: ServerRequest(
                method: .post,
                target: path,
                fields: fields,
                body: body?.encoded() ?? [],
                sender: "192.0.2.1"
            )
        )
        return Answer(object: try JSONObject(parsing: response.body))
    }

    /// Starts a sign-in, shows the page, and returns the parameters that the app's redirect URI gets.
    func redirect() async throws -> Parameters {
        let start = try await ask(signIn.start, "/auth/start", nil, by: Proofs.key)
        let page = try #require(URL(string: start.object["start_url"]?.string ?? ""))
        let agent = HTTPUserAgent(
            transport: browser,
            credentials: .init(name: "alice", password: Secret("wonderland"))
        )
        let redirect = try await agent.attempt(awaiting: RedirectURI(Self.app)).open(page, accepting: .any)
        let parameters = try #require(FormURLEncoding.decode(redirect.query(percentEncoded: true) ?? ""))
        #expect(parameters[.state] == start.object["state"]?.string)
        return parameters
    }

    func finish(code: String, state: String, by key: SigningKey = Proofs.key) async throws -> Answer {
        try await ask(signIn.finish, "/auth/finish", ["code": .string(code), "state": .string(state)], by: key)
    }
}

/// The events that sessions reported.
private final class NotedEvents: Sendable {
    private let events = Lock<[ServerSessions.Event]>([])
    /// Every event but the beginnings of sessions.
    var all: [ServerSessions.Event] { events.withLock { $0.filter { $0 != .began } } }
    var begun: Int { events.withLock { $0.count { $0 == .began } } }
    func note(_ event: ServerSessions.Event) { events.withLock { $0.append(event) } }
}

/// Carries a browser's requests to the provider and to the backend, as a network does; adds the `user` that Apple
/// posts.
private final class PostingBrowser: HTTPTransport {
    private let provider: InProcessProvider
    private let response: SignInResponse?
    private let user: String?
    private let code = Lock<String?>(nil)

    init(provider: InProcessProvider, response: SignInResponse?, user: String?) {
        self.provider = provider
        self.response = response
        self.user = user
    }

    /// The code that was posted last.
    var postedCode: String? { code.withLock { $0 } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard request.url.absoluteString == PostedWorld.endpoint, let response else {
            return try await provider.send(request)
        }
        var form = FormURLEncoding.decode(String(decoding: request.body ?? [], as: UTF8.self)) ?? Parameters()
        code.withLock { $0 = form[.code] }
        form["user"] = user
        let answer = await response.respond(
            to: ServerRequest(
                method: .post,
                target: "/auth/response",
                fields: request.allFields,
                body: Array(FormURLEncoding.encode(form).utf8),
                sender: "192.0.2.2"
            )
        )
        return EndpointResponse(status: answer.status, fields: answer.fields, body: answer.body)
    }
}
