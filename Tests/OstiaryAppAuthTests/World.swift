import Dispatch
import Foundation
import Ostiary
import OstiaryAppAuth
import OstiaryAutomation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

/// A provider, its user and an app's network, on one clock.
struct World: Sendable {
    static let issuer = "https://id.example.test"
    static let redirect = URL(string: "com.example.app:/callback")!
    static let signedOut = URL(string: "com.example.app:/signedout")!

    let clock: TestClock
    let network: InProcessProvider
    let browser: OIDExternalUserAgentOstiary

    init(
        _ scenario: Scenario = .none,
        issuer: String = World.issuer,
        change: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws {
        let clients = [
            try Self.client("app", .none),
            try Self.client("basic", .clientSecretBasic(SecretDigest(of: Secret("s3cret&=+ ä")))),
            try Self.client("posting", .clientSecretPost(SecretDigest(of: Secret("posted")))),
            RegisteredClient(
                id: "service",
                name: "Service",
                authenticationMethod: .clientSecretBasic(SecretDigest(of: Secret("service-secret"))),
                redirectURIs: [],
                allowedScopes: [Scope(rawValue: "api")],
                grantTypes: [.clientCredentials]
            ),
        ]
        let world = try TestWorld(scenario) { configuration in
            configuration.issuer = try Issuer(issuer)
            configuration.clients = clients
            configuration.users = [Self.alice]
            configuration.additionalScopes = [ProviderScope(Scope(rawValue: "api"), sentence: "Use the API")]
            configuration.signingKeys = [Self.key]
            change(&configuration)
        }
        (clock, network) = (world.clock, world.network)
        browser = OIDExternalUserAgentOstiary(world.userAgent())
    }

    private static func client(
        _ id: String,
        _ method: RegisteredClient.AuthenticationMethod
    ) throws -> RegisteredClient {
        RegisteredClient(
            id: id,
            name: id,
            authenticationMethod: method,
            redirectURIs: [try RedirectURI(redirect.absoluteString)],
            postLogoutRedirectURIs: [try RedirectURI(signedOut.absoluteString)],
            requiresConsent: false
        )
    }

    static let key = try! SigningKey.generate(.es256, keyID: "world")
    static let rsaKey = try! SigningKey.generate(.rs256, keyID: "world-rsa")
    static let alice: ProviderUser = {
        var random = SecureRandom()
        return ProviderUser(
            name: "alice",
            passwordHash: try! PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
            subject: "alice-subject"
        )
    }()

    /// Runs an app on this network.
    func run<Outcome>(_ app: () async throws -> Outcome) async rethrows -> Outcome {
        try await OIDTransportProvider.withTransport(network, clock: clock.device, operation: app)
    }

    func configuration() async throws -> OIDServiceConfiguration {
        let issuer = network.provider.configuration.issuer.url
        return try await run { try await OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) }
    }

    static func request(
        _ configuration: OIDServiceConfiguration,
        client: String = "app",
        secret: String? = nil,
        scopes: [String] = [OIDScopeOpenID, OIDScopeProfile, "offline_access"],
        additional: [String: String]? = nil
    ) -> OIDAuthorizationRequest {
        OIDAuthorizationRequest(
            configuration: configuration,
            clientId: client,
            clientSecret: secret,
            scopes: scopes,
            redirectURL: redirect,
            responseType: OIDResponseTypeCode,
            additionalParameters: additional
        )
    }

    /// Signs in.
    func signIn(_ request: OIDAuthorizationRequest? = nil) async throws -> OIDAuthState {
        let request =
            if let request { request } else { Self.request(try await configuration()) }
        return try await run {
            try await answer { callback in
                OIDAuthState.authState(byPresenting: request, externalUserAgent: browser, callback: callback)
            }
        }
    }

    /// Presents a request, and returns its response.
    func authorize(_ request: OIDAuthorizationRequest) async throws -> OIDAuthorizationResponse {
        try await run {
            try await answer { callback in
                OIDAuthorizationService.present(request, externalUserAgent: browser, callback: callback)
            }
        }
    }

    /// The requests to the token endpoint, in order.
    var tokenRequests: [EndpointRequest] { network.requests.filter { $0.path == "/token" }.map(\.request) }
}

/// The response that a call with a callback gets.
func answer<Response: Sendable>(
    _ call: (@escaping @MainActor @Sendable (Response?, (any Error)?) -> Void) -> any OIDExternalUserAgentSession
) async throws -> Response {
    try await withCheckedThrowingContinuation { continuation in
        _ = call { response, error in
            if let response {
                continuation.resume(returning: response)
            } else {
                continuation.resume(throwing: error ?? CancellationError())
            }
        }
    }
}

/// The error that a body throws, in AppAuth's domains.
func failure<Outcome>(_ body: () async throws -> Outcome) async -> NSError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as NSError
    }
}

/// A domain and a code.
struct Place: Equatable, CustomStringConvertible {
    let domain: String
    let code: Int

    init(_ domain: String, _ code: Int) { (self.domain, self.code) = (domain, code) }
    init(_ code: OIDErrorCode) { self.init(OIDGeneralErrorDomain, code.rawValue) }
    init?(_ error: NSError?) {
        guard let error else { return nil }
        self.init(error.domain, error.code)
    }

    var description: String { "\(domain) \(code)" }
}

/// Waits until a condition holds, between other work of the process; a test's time limit ends it.
func until(_ condition: () -> Bool) async { while !condition(), !Task.isCancelled { await Task.yield() } }

/// Changes or replaces requests on their way.
struct Detour: HTTPTransport {
    let next: any HTTPTransport
    let answer: @Sendable (EndpointRequest) -> EndpointResponse?

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        if let response = answer(request) { return response }
        return try await next.send(request)
    }
}

/// The main queue, which on Linux need not run on the first thread.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
