import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryServer
import OstiaryTesting
import PlainServer
import Testing

@Suite("The backend kit on SwiftNIO alone", .timeLimit(.minutes(5)))
struct PlainServerTests {
    private static let issuer = "https://id.example.com"
    private static let audience = "https://api.example.com"
    private static let key = try! SigningKey.generate(.es256, keyID: "issuer-key")

    @Test("GuardedRouteCheck finds no fault that a guarded route accepts, and a body reaches its endpoint")
    func contract() async throws {
        let configuration = ProviderConfiguration(
            issuer: try Issuer(Self.issuer),
            clients: [],
            users: [],
            signingAlgorithms: [.es256],
            signingKeys: [Self.key]
        )
        let clock = TestClock()
        let provider = Provider(
            configuration: configuration,
            clock: clock.device,
            random: SystemRandomNumberGenerator()
        )
        let keys = try KeySource(
            issuer: configuration.issuer,
            transport: InProcessProvider(provider: provider),
            clock: clock.device
        )
        let orders = try ProtectedResource(
            policy: AccessTokenPolicy(
                issuer: configuration.issuer,
                audience: Self.audience,
                requiredScopes: ["orders"]
            ),
            keys: keys,
            clock: clock.device
        )
        let ports = AsyncStream<Int>.makeStream()
        let server = Task {
            try await PlainServer.run(port: 0, listening: { ports.continuation.yield($0) }) { request in
                guard request.path == "/orders" else { return ServerResponse(status: .notFound) }
                switch await orders.authorize(request) {
                case .granted(let token, let fields):
                    return ServerResponse(status: .ok, fields: fields, body: Array(token.subject.utf8) + request.body)
                case .refused(let refusal):
                    return ServerResponse(status: refusal.status, fields: refusal.fields)
                }
            }
        }
        defer { server.cancel() }
        let port = try #require(await ports.stream.first { _ in true })
        try await GuardedRouteCheck(
            issuer: configuration.issuer,
            audience: Self.audience,
            scopes: ["orders"],
            key: Self.key,
            clock: clock.device
        ) { fields in
            try await Self.send("/orders", to: port, fields).answer
        }.run()
        let token = try Self.key.sign(
            claims: [
                "iss": .string(Self.issuer), "aud": .string(Self.audience), "sub": "alice", "client_id": "app",
                "jti": "1", "scope": "orders", "iat": .integer(Int(clock.now.timeIntervalSince1970)),
                "exp": .integer(Int(clock.now.timeIntervalSince1970) + 60),
            ],
            type: "at+jwt"
        )
        let fields: HTTPFields = [.authorization: "Bearer " + token]
        #expect(try await Self.send("/orders", to: port, fields, body: " and a body").text == "alice and a body")
        #expect(try await Self.send("/", to: port, fields).answer.status == .notFound)
    }

    private static func send(
        _ path: String,
        to port: Int,
        _ fields: HTTPFields,
        body: String = ""
    ) async throws -> (answer: GuardedRouteCheck.Answer, text: String) {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = .POST
        for field in fields { request.headers.add(name: field.name.rawName, value: field.value) }
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        var answered = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { answered.append(HTTPField(name: name, value: value)) }
        }
        let text = String(buffer: try await response.body.collect(upTo: 65_536))
        return (.init(status: .init(code: Int(response.status.code)), fields: answered), text)
    }
}
