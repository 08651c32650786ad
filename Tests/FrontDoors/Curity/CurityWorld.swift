import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryCurity
import OstiaryJOSE
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

/// A Curity server, a user and a device, in this process, on one clock.
struct CurityWorld: DoorWorld {
    static let issuer = "https://idsvr.example.test/oauth/v2/oauth-anonymous"
    static let registrationPath = "/token-service/oauth-registration"
    static let tokenPath = "/oauth/v2/oauth-token"
    static let revocationPath = "/oauth/v2/oauth-revoke"
    static let passwordContext = "urn:se:curity:authentication:html-form:Username-Password"

    let base: TestWorld
    let browser: HTTPUserAgent
    let events = Recorded<SignInEvent>()

    /// Makes a server that takes no pushed requests, so that a test sees each parameter in the browser's URL.
    ///
    /// - Parameter offersPushedRequests: Whether its metadata names the endpoint for them.
    init(
        scenario: Scenario = .none,
        offersPushedRequests: Bool = false,
        dialect: CurityDialect = CurityDialect(),
        provider change: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws {
        var scenario = scenario
        if !offersPushedRequests {
            let change = scenario.metadata
            scenario.metadata = { metadata in
                change(&metadata)
                metadata["pushed_authorization_request_endpoint"] = nil
            }
        }
        base = try TestWorld(scenario) { configuration in
            configuration = try .curity(
                issuer: try Issuer(Self.issuer),
                users: [Self.alice],
                serviceSecret: Secret("service-secret"),
                dialect: dialect
            )
            configuration.signingAlgorithms = [.rs256, .es256]
            configuration.signingKeys = [Self.rsaKey, Self.ecKey]
            change(&configuration)
        }
        browser = base.userAgent()
    }

    static let rsaKey = try! SigningKey.generate(.rs256, keyID: "curity-rsa")
    static let ecKey = try! SigningKey.generate(.es256, keyID: "curity-ec")
    static let alice: ProviderUser = {
        var random = SecureRandom()
        return ProviderUser(
            name: "alice",
            passwordHash: try! PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
            subject: "alice-subject",
            claims: ["name": "Alice", "preferred_username": "alice"]
        )
    }()

    static func configuration(
        _ registration: CurityRegistration = .describingItself(),
        replacement: CurityReplacement = .automatic
    ) throws -> CurityConfiguration {
        try CurityConfiguration(
            issuer: issuer,
            redirectUri: "io.curity.client:/callback",
            postLogoutRedirectUri: "io.curity.client:/logoutcallback",
            scope: "openid profile",
            registration: registration,
            replacement: replacement
        )
    }

    /// The app, started now: what an earlier start left in the store is there.
    func start(
        _ registration: CurityRegistration = .describingItself(),
        replacement: CurityReplacement = .automatic,
        userAgent: (any UserAgent)? = nil,
        transport: (any HTTPTransport)? = nil,
        _ change: (inout CurityConfiguration) throws -> Void = { _ in }
    ) throws -> Curity {
        var configuration = try Self.configuration(registration, replacement: replacement)
        try change(&configuration)
        let events = events
        return Curity(
            configuration,
            userAgent: userAgent ?? browser,
            transport: transport ?? network,
            store: store,
            clock: clock.device,
            events: { events.add($0) }
        )
    }

    /// The registration requests, in order.
    var registrations: [EndpointRequest] {
        network.requests.filter { $0.path == Self.registrationPath && $0.method == .post }.map(\.request)
    }

    /// The requests of the app's own client to the token endpoint, in order.
    var tokenRequests: [EndpointRequest] {
        network.requests.filter { $0.path == Self.tokenPath && $0.request.form["scope"] != "dcr" }.map(\.request)
    }

    /// The queries with which the user was sent to a path.
    func pages(_ path: String) -> [Parameters] {
        network.requests.filter { $0.path == path && $0.method == .get }
            .compactMap { FormURLEncoding.decode($0.request.url.query(percentEncoded: true) ?? "") }
    }

    /// The server forgets a client without a notice, as when its database is reset.
    func loseClient(_ registration: ClientRegistration) async throws {
        let management = try #require(registration.management)
        let response = await provider.respond(
            to: ProviderRequest(
                method: .delete,
                path: management.url.path(),
                fields: [.authorization: "Bearer " + management.token.reveal()]
            )
        )
        try #require(response.status == .noContent)
    }
}

/// Answers some requests itself, and lets everything else through.
struct CurityInterception: HTTPTransport {
    let next: any HTTPTransport
    let answer: @Sendable (EndpointRequest) -> EndpointResponse?

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        if let response = answer(request) { return response }
        return try await next.send(request)
    }

    static func json(_ object: JSONObject, status: HTTPResponse.Status = .ok) -> EndpointResponse {
        EndpointResponse(status: status, fields: [.contentType: "application/json"], body: object.encoded())
    }
}

/// Holds the answers to some requests until the test opens it.
final class CurityGate: HTTPTransport {
    private let next: any HTTPTransport
    private let holds: @Sendable (EndpointRequest) -> Bool
    private let arrivals = AsyncStream<Void>.makeStream()
    private let gate = AsyncStream<Void>.makeStream()

    init(next: any HTTPTransport, holding holds: @escaping @Sendable (EndpointRequest) -> Bool) {
        self.next = next
        self.holds = holds
    }

    /// Waits until an answer is being held.
    func arrival() async { for await _ in arrivals.stream { return } }
    /// Lets every answer go.
    func open() { gate.continuation.finish() }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let response = try await next.send(request)
        if holds(request) {
            arrivals.continuation.yield()
            for await _ in gate.stream {}
        }
        return response
    }
}
