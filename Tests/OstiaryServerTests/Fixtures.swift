import Foundation
import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryServer

/// A small world with names: one issuer, one resource server, one key, one user, one moment.
enum Fixtures {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let clock = DeviceClock(now: { now })
    static let time = Int(now.timeIntervalSince1970)
    static let issuerText = "https://id.example.com"
    static let audience = "https://api.example.com"
    static let key = try! SigningKey.generate(.es256, keyID: "key-1")
    static let newKey = try! SigningKey.generate(.es256, keyID: "key-2")
    static let rsaKey = try! SigningKey.generate(.rs256, keyID: "key-rsa")
    static let keys = JSONWebKeySet([key.publicKey, rsaKey.publicKey])

    static var issuer: Issuer { try! Issuer(issuerText) }

    static func policy(
        scopes: [Scope] = ["orders:read"],
        algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases),
        tolerance: Duration = .seconds(30)
    ) -> AccessTokenPolicy {
        try! AccessTokenPolicy(
            issuer: issuer,
            audience: audience,
            requiredScopes: scopes,
            algorithms: algorithms,
            clockTolerance: tolerance
        )
    }

    /// The claims of a good access token.
    static let claims: JSONObject = [
        "iss": .string(issuerText),
        "sub": "alice",
        "aud": .string(audience),
        "client_id": "app",
        "jti": "token-1",
        "scope": "orders:read profile",
        "iat": .integer(time),
        "exp": .integer(time + 300),
    ]

    /// An access token that is valid but for the changes.
    static func token(
        type: String? = "at+jwt",
        by key: SigningKey = key,
        changing change: (inout JSONObject) -> Void = { _ in }
    ) -> String {
        var claims = claims
        change(&claims)
        return try! key.sign(claims: claims, type: type)
    }

    static func bearer(_ token: String = token()) -> HTTPFields { [.authorization: "Bearer " + token] }
}

/// A clock that stands still until it is moved.
final class MovedClock: Sendable {
    private let time = Lock(Fixtures.now)

    var now: @Sendable () -> Date { { self.time.withLock { $0 } } }
    var device: DeviceClock { DeviceClock(now: now) }

    func advance(by step: Duration) { time.withLock { $0 += step / .seconds(1) } }
}

/// Answers by path as the test sets, and counts the requests.
final class ScriptedTransport: HTTPTransport {
    private struct State {
        var answers: [String: Result<EndpointResponse, TransportFailure>] = [:]
        var asked: [EndpointRequest] = []
    }

    static let openIDConnect = "/.well-known/openid-configuration"
    static let oauth = "/.well-known/oauth-authorization-server"
    static let jwks = "/jwks"

    private let state = Lock(State())

    /// A server that publishes metadata and the keys of the fixtures.
    init() {
        answer(Self.openIDConnect, Self.metadata())
        publish(Fixtures.keys)
    }

    static func metadata(issuer: String = Fixtures.issuerText, jwks: String = jwks) -> EndpointResponse {
        json(["issuer": .string(issuer), "jwks_uri": .string(Fixtures.issuerText + jwks)])
    }

    static func json(_ object: JSONObject) -> EndpointResponse {
        EndpointResponse(fields: [.contentType: "application/json"], body: object.encoded())
    }

    func answer(_ path: String, _ response: EndpointResponse) {
        state.withLock { $0.answers[path] = .success(response) }
    }

    func fail(_ path: String, _ failure: TransportFailure = .unreachable) {
        state.withLock { $0.answers[path] = .failure(failure) }
    }

    func publish(
        _ keys: JSONWebKeySet,
        at path: String = jwks,
        validity: String? = nil,
        entityTag: String? = nil
    ) {
        var response = Self.json(["keys": .array(keys.keys.map { .object($0.jsonObject) })])
        response.fields[.cacheControl] = validity
        response.fields[.eTag] = entityTag
        answer(path, response)
    }

    func count(_ path: String) -> Int { state.withLock { $0.asked.count { $0.url.path() == path } } }

    func last(_ path: String) -> EndpointRequest? { state.withLock { $0.asked.last { $0.url.path() == path } } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let path = request.url.path()
        let answer = state.withLock {
            $0.asked.append(request)
            return $0.answers[path]
        }
        // Others get their turn while this one is under way, as on a network.
        for _ in 0..<20 { await Task.yield() }
        return try answer?.get() ?? EndpointResponse(status: .notFound)
    }
}

/// Holds the answers to one path until the test opens it.
final class HeldTransport: HTTPTransport {
    private let next: any HTTPTransport
    private let path: String
    private let arrivals = AsyncStream<Void>.makeStream()
    private let gate = AsyncStream<Void>.makeStream()

    init(over next: any HTTPTransport, path: String) {
        self.next = next
        self.path = path
    }

    /// Waits until an answer is being held.
    func answered() async { for await _ in arrivals.stream { return } }
    /// Lets every answer go, those to come, too.
    func open() { gate.continuation.finish() }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let response = try await next.send(request)
        guard request.url.path() == path else { return response }
        arrivals.continuation.yield()
        for await _ in gate.stream {}
        return response
    }
}
