import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting

/// One Logto tenant, one app and two people, in this process, on one clock.
struct LogtoWorld: DoorWorld {
    let base: TestWorld
    let endpoint: String
    let pages = LogtoPages()
    let events = Recorded<SignInEvent>()

    init(
        endpoint: String = "https://tenant.logto.test",
        scenario: Scenario = .none,
        dialect: LogtoDialect = .development,
        keys: [SigningKey] = [LogtoWorld.key],
        change: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws {
        self.endpoint = endpoint
        base = try TestWorld(scenario) { configuration in
            configuration = try .logto(
                issuer: try Issuer(endpoint + "/oidc"),
                passwordHash: Self.wonderland,
                dialect: dialect
            )
            configuration.signingAlgorithms = keys.map(\.algorithm)
            configuration.signingKeys = keys
            change(&configuration)
        }
    }

    static let key = try! SigningKey.generate(.es384, keyID: "logto-key")
    static let wonderland: PasswordHash = {
        var random = SecureRandom()
        return try! PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random)
    }()
    static let callback = "io.logto.app://callback"
    static let callbackURL = URL(string: callback)!
    static let shopping = "https://shopping.your-app.com/api"
    static let store = "https://store.your-app.com/api"

    func config(
        scopes: [String] = [],
        resources: [String] = [],
        appId: String = "logto-app",
        prompt: LogtoCore.Prompt = .consent,
        change: (inout LogtoConfig) -> Void = { _ in }
    ) throws -> LogtoConfig {
        var config = try LogtoConfig(
            endpoint: endpoint,
            appId: appId,
            scopes: scopes,
            resources: resources,
            prompt: prompt
        )
        change(&config)
        return config
    }

    /// The front door of an app.
    func logto(
        _ config: LogtoConfig? = nil,
        redirectURI: String = callback,
        userAgent: (any UserAgent)? = nil,
        transport: (any HTTPTransport)? = nil,
        store: (any SecretStore)? = nil,
        pendingLifetime: Duration? = nil,
        device: DeviceClock? = nil
    ) throws -> Logto {
        let events = events
        return try Logto(
            try config ?? self.config(),
            redirectURI: redirectURI,
            userAgent: userAgent ?? person(),
            transport: transport ?? network,
            store: store ?? self.store,
            pendingLifetime: pendingLifetime,
            clock: device ?? clock.device,
            events: { events.add($0) }
        )
    }

    /// The same under the names of Logto's SDK.
    func client(
        _ config: LogtoConfig? = nil,
        userAgent: (any UserAgent)? = nil,
        transport: (any HTTPTransport)? = nil,
        store: (any SecretStore)? = nil,
        redirects: ForwardedRedirects = ForwardedRedirects()
    ) throws -> LogtoClient {
        let events = events
        return LogtoClient(
            useConfig: try config ?? self.config(),
            transport: transport ?? network,
            userAgent: userAgent ?? person(),
            store: store ?? self.store,
            redirects: redirects,
            clock: clock.device,
            events: { events.add($0) }
        )
    }

    /// A user in a browser that shows its pages; a page without a way back is closed.
    func person(
        _ name: String = "alice",
        changing change: @escaping @Sendable (URL) throws(SignInError) -> URL = { (url) throws(SignInError) in url }
    ) -> LogtoPerson {
        LogtoPerson(
            browser: HTTPUserAgent(
                transport: network,
                credentials: .init(name: name, password: Secret("wonderland"))
            ),
            pages: pages,
            changing: change
        )
    }

    /// The network for the single steps of a sign-in.
    var session: LogtoNetwork { LogtoNetwork(network: network) }

    /// The number of requests to a path below the issuer.
    func count(_ path: String) -> Int { network.count(path: URL(string: endpoint)!.path() + "/oidc" + path) }
    /// The forms that went to a path below the issuer.
    func forms(_ path: String) -> [Parameters] {
        let path = URL(string: endpoint)!.path() + "/oidc" + path
        return network.requests.filter { $0.path == path }.map(\.request.form)
    }
}

/// A user in a browser.
struct LogtoPerson: UserAgent {
    let browser: HTTPUserAgent
    let pages: LogtoPages
    /// Changes the redirect, or ends the attempt.
    let changing: @Sendable (URL) throws(SignInError) -> URL

    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        let attempt = try await browser.attempt(awaiting: redirectURI)
        return UserAgentAttempt(
            redirectURI: attempt.redirectURI,
            open: { (url: URL, predicate: RedirectPredicate) async throws(SignInError) -> URL in
                pages.add(url)
                let isEnd = url.path().hasSuffix("/session/end")
                guard !isEnd || url.query()?.contains("post_logout_redirect_uri") == true else {
                    throw SignInError(.authorization, .cancelled)
                }
                return try changing(try await attempt.open(url, accepting: predicate))
            }
        )
    }
}

/// The pages that were opened, in order.
final class LogtoPages: Sendable {
    private let list = Lock<[URL]>([])
    func add(_ url: URL) { list.withLock { $0.append(url) } }
    var urls: [URL] { list.withLock { $0 } }
    /// The parameters of a page.
    func parameters(of index: Int = 0) -> Parameters {
        let urls = urls
        guard urls.indices.contains(index) else { return Parameters() }
        return FormURLEncoding.decode(urls[index].query(percentEncoded: true) ?? "") ?? Parameters()
    }
}

/// The network as a session of Logto's SDK: a transport becomes one with an empty extension.
struct LogtoNetwork: HTTPTransport, NetworkSession {
    let network: InProcessProvider

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        try await network.send(request)
    }
}

/// Changes answers on their way.
struct LogtoChangingTransport: HTTPTransport, NetworkSession {
    let next: any HTTPTransport
    let change: @Sendable (EndpointRequest, inout EndpointResponse) throws(TransportFailure) -> Void

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        var response = try await next.send(request)
        try change(request, &response)
        return response
    }
}

/// Holds the first request to a path until the test opens it.
final class LogtoGate: HTTPTransport {
    private let next: any HTTPTransport
    private let path: String
    private let held = Lock(false)
    private let arrivals = AsyncStream<Void>.makeStream()
    private let gate = AsyncStream<Void>.makeStream()

    init(over next: any HTTPTransport, path: String) {
        self.next = next
        self.path = path
    }

    func arrival() async { for await _ in arrivals.stream { return } }
    func open() { gate.continuation.finish() }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let isFirst =
            request.url.path() == path
            && held.withLock { held in
                defer { held = true }
                return !held
            }
        if isFirst {
            arrivals.continuation.yield()
            for await _ in gate.stream {}
        }
        return try await next.send(request)
    }
}

/// The kind of error that a body of Logto's own SDK throws.
func logtoKind<Kind: Sendable & Hashable>(_ kind: Kind.Type, _ body: () async throws -> Void) async -> Kind? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? LogtoError<Kind>)?.type
    }
}
