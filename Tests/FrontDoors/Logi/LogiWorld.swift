import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryLogi
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting

/// The vendor's system, an app on one device, and the people, in this process and on one clock.
struct LogiWorld: DoorWorld {
    static let redirectURI = "myapp://oauth/1pass/callback"
    static let password: PasswordHash = {
        var random = SecureRandom()
        return try! PasswordHash(Secret("open sesame"), cost: .insecureForTests, using: &random)
    }()
    static let backendSecret = Secret("logi_secret_" + String(repeating: "d", count: 64))
    static let key = try! SigningKey.generate(.rs256, keyID: "logi-key")

    let base: TestWorld
    let wire: LogiWire
    let redirects = ForwardedRedirects()
    /// The pages that the provider's app was opened with.
    let app = Recorded<URL>()
    let browser: LogiBrowser
    let events = Recorded<SignInEvent>()
    let issuer: String

    init(
        issuer: String = LogiPreset.issuer,
        options: LogiDialect.Options = LogiDialect.Options(),
        scenario: Scenario = .none,
        person: String = "mina",
        change: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws {
        self.issuer = issuer
        base = try TestWorld(scenario) { configuration in
            configuration = .logi(
                issuer: try Issuer(issuer),
                password: Self.password,
                backendSecret: Self.backendSecret,
                options: options
            )
            configuration.signingKeys = [Self.key]
            change(&configuration)
        }
        wire = LogiWire(base.network)
        browser = LogiBrowser(base.network, base.clock, person)
    }

    /// The configuration of an app, unless a test changes it.
    func configuration(
        clientID: String = LogiDevelopment.clientID,
        redirectURI: String = LogiWorld.redirectURI,
        tokenIssuer: String? = nil,
        nativeAuthorizeHost: String? = nil
    ) throws -> LogiConfiguration {
        try LogiConfiguration(
            clientID: clientID,
            redirectURI: redirectURI,
            issuer: issuer,
            tokenIssuer: tokenIssuer,
            nativeAuthorizeHost: nativeAuthorizeHost
        )
    }

    /// The front door of an app on a device without the provider's app, unless `opener` is given.
    func logi(
        _ configuration: LogiConfiguration? = nil,
        browser: (any UserAgent)? = nil,
        opener: Logi.Opener? = nil,
        redirects: ForwardedRedirects? = nil,
        store: (any SecretStore)? = nil,
        clock: DeviceClock? = nil
    ) throws -> Logi {
        let events = events
        return try Logi(
            try configuration ?? self.configuration(),
            browser: browser ?? self.browser,
            opener: opener,
            redirects: redirects ?? self.redirects,
            transport: wire,
            store: store ?? self.store,
            clock: clock ?? self.clock.device,
            events: { events.add($0) }
        )
    }

    /// Opens the provider's app, in which the user signs in; the app then opens the redirect.
    func nativeApp(_ person: String = "mina") -> Logi.Opener {
        let browser = LogiBrowser(network, clock, person)
        let redirects = redirects
        let app = app
        let issuer = issuer
        return { url in
            app.add(url)
            let page = url.absoluteString.replacing("https://open.1pass.dev/", with: issuer + "/")
            guard let page = URL(string: page), let uri = try? RedirectURI(Self.redirectURI),
                let answer = try? await browser.attempt(awaiting: uri).open(page, accepting: .any)
            else { return false }
            return redirects.handle(answer)
        }
    }
}

/// The network, which a test can look at and answer for.
final class LogiWire: HTTPTransport {
    typealias Answer = @Sendable (EndpointRequest) async -> EndpointResponse?

    private struct State {
        var requests: [EndpointRequest] = []
        var answers: [Answer] = []
    }

    private let network: InProcessProvider
    private let state = Lock(State())

    init(_ network: InProcessProvider) { self.network = network }

    /// Answers instead of the provider, for requests that it has an answer for.
    func answer(_ answer: @escaping Answer) { state.withLock { $0.answers.append(answer) } }

    var requests: [EndpointRequest] { state.withLock { $0.requests } }

    func requests(to path: String) -> [EndpointRequest] { requests.filter { $0.url.path() == path } }

    /// The JSON that was sent to a path.
    func bodies(to path: String) -> [JSONObject] {
        requests(to: path).compactMap { try? JSONObject(parsing: $0.content?.bytes ?? []) }
    }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let answers = state.withLock { state in
            state.requests.append(request)
            return state.answers
        }
        for answer in answers {
            if let response = await answer(request) { return response }
        }
        return try await network.send(request)
    }
}

/// The system's browser, in which a user signs in.
struct LogiBrowser: UserAgent {
    let pages = Recorded<URL>()
    private let agent: HTTPUserAgent

    init(_ network: InProcessProvider, _ clock: TestClock, _ person: String, answer: HTTPUserAgent.Answer = .approve) {
        agent = HTTPUserAgent(
            transport: network,
            credentials: .init(name: person, password: Secret("open sesame")),
            answer: answer,
            clock: clock.device
        )
    }

    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        let attempt = try await agent.attempt(awaiting: redirectURI)
        let pages = pages
        return UserAgentAttempt(
            redirectURI: attempt.redirectURI,
            open: { (url: URL, predicate: RedirectPredicate) async throws(SignInError) -> URL in
                pages.add(url)
                return try await attempt.open(url, accepting: predicate)
            }
        )
    }
}

/// A browser that waits until the test gives it a redirect, or is cancelled.
final class LogiWaitingBrowser: UserAgent {
    private let pages = AsyncStream<URL>.makeStream()
    private let answers = AsyncStream<URL>.makeStream()

    /// The next page that is presented.
    func nextPage() async -> URL? {
        var iterator = pages.stream.makeAsyncIterator()
        return await iterator.next()
    }

    func answer(_ url: URL) { answers.continuation.yield(url) }

    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        UserAgentAttempt(
            redirectURI: redirectURI,
            open: { (url: URL, _: RedirectPredicate) async throws(SignInError) -> URL in
                self.pages.continuation.yield(url)
                var iterator = self.answers.stream.makeAsyncIterator()
                guard let answer = await iterator.next() else { throw SignInError(.authorization, .cancelled) }
                return answer
            }
        )
    }
}

extension URL {
    /// The parameters of the query.
    var logiQuery: Parameters {
        FormURLEncoding.decode(absoluteString.split(separator: "?", maxSplits: 1).dropFirst().first ?? "")
            ?? Parameters()
    }
}

/// An answer that is given once.
final class LogiOnce: Sendable {
    private let answer: Lock<EndpointResponse?>

    init(_ answer: EndpointResponse) { self.answer = Lock(answer) }

    func take() -> EndpointResponse? {
        answer.withLock { answer in
            defer { answer = nil }
            return answer
        }
    }
}

/// A browser that comes back with a code at once.
struct LogiCodeBrowser: UserAgent {
    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        UserAgentAttempt(
            redirectURI: redirectURI,
            open: { (url: URL, _: RedirectPredicate) async throws(SignInError) -> URL in
                URL(string: "\(redirectURI)?code=a-code&state=\(url.logiQuery[.state] ?? "")") ?? url
            }
        )
    }
}
