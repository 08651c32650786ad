import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import OstiaryZephr

/// A publisher's site with its readers and an app, in this process, on one clock.
struct ZephrWorld: DoorWorld {
    static let base = "https://news.example.com"
    static let link = "https://app.example.com/oauthredirect"
    static let scheme = "my-app:/oauthRedirect"
    static let password = "a long password"

    let base: TestWorld
    let script: ZephrScript
    let dialect: ZephrDialect
    let redirectURI: String

    init(
        redirectURI: String = link,
        site change: (inout ZephrDialect.Site) -> Void = { _ in }
    ) throws {
        base = try TestWorld { configuration in
            var random = SecureRandom()
            configuration = try .zephr(
                issuer: try Issuer(Self.base),
                redirectURI: try RedirectURI(redirectURI),
                password: Secret(Self.password),
                cost: .insecureForTests,
                thirdPartyRedirectURIs: [try RedirectURI("com.partner.app:/callback")],
                using: &random,
                changingSite: change
            )
        }
        dialect = base.provider.configuration.dialect as! ZephrDialect
        script = ZephrScript(base.network)
        self.redirectURI = redirectURI
    }

    /// The app, at whose browser a reader called `name` answers, or the user agent that is given.
    func zephr(
        as name: String = "ada",
        answer: HTTPUserAgent.Answer = .approve,
        account: String? = nil,
        userAgent: (any UserAgent)? = nil,
        redirects: ForwardedRedirects = ForwardedRedirects(),
        events: @escaping @Sendable (SignInEvent) -> Void = { _ in },
        change: (inout ZephrConfiguration) -> Void = { _ in }
    ) throws -> Zephr {
        var configuration = try ZephrConfiguration(site: try ZephrSite(Self.base), redirectURI: redirectURI)
        change(&configuration)
        return Zephr(
            configuration,
            account: account,
            userAgent: userAgent ?? reader(name, answer),
            redirects: redirects,
            transport: script,
            store: store,
            clock: clock.device,
            events: events
        )
    }

    func reader(_ name: String = "ada", _ answer: HTTPUserAgent.Answer = .approve) -> HTTPUserAgent {
        HTTPUserAgent(
            transport: network,
            credentials: .init(name: name, password: Secret(Self.password)),
            answer: answer,
            clock: clock.device
        )
    }

    /// A session of ada's.
    func session() async throws -> ZephrSession {
        try await zephr().passwordAccounts.signIn(
            emailAddress: "ada@reader.example",
            password: Secret(Self.password)
        )
    }

    /// The store's content for an account.
    func stored(_ account: String = "") async throws -> JSONObject? {
        let key = StoreKey("zephr/https%3A%2F%2Fnews.example.com/\(account)")
        return try await store.read(key).map { try JSONObject(parsing: $0) }
    }

    /// A user agent whose redirect carries this query.
    static func answering(_ query: String, at place: String? = nil) -> ScriptedUserAgent {
        ScriptedUserAgent { _, redirectURI in URL(string: "\(place ?? redirectURI.description)?\(query)")! }
    }
}

/// A network on which a test answers some paths itself.
final class ZephrScript: HTTPTransport {
    private struct State {
        var answers: [String: Result<EndpointResponse, TransportFailure>] = [:]
        var requests: [EndpointRequest] = []
    }

    private let next: any HTTPTransport
    private let state = Lock(State())

    init(_ next: any HTTPTransport) { self.next = next }

    /// The requests so far.
    var requests: [EndpointRequest] { state.withLock { $0.requests } }

    func requests(to path: String) -> [EndpointRequest] { requests.filter { $0.url.path() == path } }

    /// Answers a path from now on.
    func answer(
        _ path: String,
        _ status: Int,
        _ body: String = "",
        mediaType: String = "application/json",
        fields: HTTPFields = [:]
    ) {
        var fields = fields
        fields[.contentType] = mediaType
        let response = EndpointResponse(status: .init(code: status), fields: fields, body: Array(body.utf8))
        state.withLock { $0.answers[path] = .success(response) }
    }

    /// Loses what goes to a path from now on.
    func lose(_ path: String, _ failure: TransportFailure = .unreachable) {
        state.withLock { $0.answers[path] = .failure(failure) }
    }

    /// Lets a path through again.
    func restore(_ path: String) { state.withLock { $0.answers[path] = nil } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers[request.url.path()]
        }
        guard let answer else { return try await next.send(request) }
        return try answer.get()
    }
}

extension ZephrSignInOutcome {
    /// The session, if there is one.
    var session: ZephrSession? {
        if case .session(let session) = self { session } else { nil }
    }

    /// The registration, if there is one.
    var registration: PartialRegistration? {
        if case .registrationRequired(let registration) = self { registration } else { nil }
    }
}
