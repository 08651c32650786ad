import Foundation
import HTTPTypes
import Logging
import NIOHTTP1
import OstiaryJOSE
import OstiaryServer
import OstiaryTesting
import OstiaryVapor
import Synchronization
import Testing
import Vapor

@Suite("Access tokens on Vapor", .timeLimit(.minutes(5)))
struct AccessTokenTests {
    private let world: VaporWorld

    init() throws { world = try VaporWorld() }

    /// The names of refusals.
    private final class Refusals: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func note(_ refusal: Authorization.Refusal, _ request: Request) {
            names.withLock { $0.append(refusal.reason.name) }
        }
    }

    private func serve(
        events: (@Sendable (Authorization.Refusal, Request) -> Void)? = nil,
        _ body: (VaporClient) async throws -> Void
    ) async throws {
        let orders = world.orders
        let erasing = try orders.requiring(["orders.erase"])
        let recent = try orders.requiring(maximumAge: .seconds(60))
        try await world.serve(
            { app in
                if let document = world.server.metadata {
                    app.add(ResourceMetadataDocument(at: document, of: [orders]))
                }
                app.grouped(AccessTokenMiddleware(orders, events: events)).get("orders") { request in
                    try request.auth.require(VerifiedAccessToken.self).subject
                }
                app.grouped(AccessTokenMiddleware(erasing)).get("erase") { _ in "erased" }
                app.grouped(AccessTokenMiddleware(recent)).get("recent") { _ in "recent" }
                let news = app.grouped(AccessTokenAuthenticator(orders, events: events))
                news.get("news") { request in request.auth.get(VerifiedAccessToken.self)?.subject ?? "guest" }
                news.get("mine") { request in try request.requireAccessToken().subject }
                app.get("open") { request in try request.requireAccessToken().subject }
            },
            body
        )
    }

    @Test("GuardedRouteCheck finds no fault that a route behind AccessTokenMiddleware accepts")
    func contract() async throws {
        let clock = world.clock
        try await serve { client in
            try await GuardedRouteCheck(
                issuer: try Issuer(VaporWorld.issuer),
                audience: VaporWorld.origin,
                scopes: ["orders"],
                key: world.issuerKey,
                clock: clock.device
            ) { fields in
                var headers = HTTPHeaders()
                for field in fields { headers.add(name: field.name.rawName, value: field.value) }
                let response = try await client.send(.GET, "/orders", headers)
                var answered = HTTPFields()
                for (name, value) in response.headers {
                    guard let name = HTTPField.Name(name) else { continue }
                    answered.append(HTTPField(name: name, value: value))
                }
                return .init(status: .init(code: Int(response.status.code)), fields: answered)
            }.run()
        }
    }

    @Test("A request without a token gets 401 with a challenge that names scope and metadata, and no error")
    func noToken() async throws {
        let refusals = Refusals()
        try await serve(events: refusals.note) { client in
            let response = try await client.send(.GET, "/orders")
            #expect(response.status == .unauthorized)
            #expect(response.challenges.count == 2)
            for challenge in response.challenges {
                #expect(challenge.contains(#"scope="orders""#) && !challenge.contains("error="))
                #expect(challenge.contains("/.well-known/oauth-protected-resource\""))
            }
            #expect(response.object["reason"] == "Unauthorized")
        }
        #expect(refusals.all == ["no_token"])
    }

    @Test("A valid token reaches the route in request.auth")
    func granted() async throws {
        try await serve { client in
            let response = try await client.send(.GET, "/orders", .bearer(try world.token()))
            #expect(response.status == .ok && response.text == "alice-subject")
        }
    }

    @Test("A token for another audience gets 401 with invalid_token, and the response does not repeat it")
    func wrongToken() async throws {
        let refusals = Refusals()
        try await serve(events: refusals.note) { client in
            let wrong = try world.token { $0["aud"] = "https://other.example" }
            let response = try await client.send(.GET, "/orders", .bearer(wrong))
            #expect(response.status == .unauthorized)
            #expect(response.challenges.contains { $0.contains(#"error="invalid_token""#) })
            #expect(!response.text.contains(wrong) && !"\(response.headers)".contains(wrong))
        }
        #expect(refusals.all == ["token_aud"])
    }

    @Test("A token without a required scope gets 403 with insufficient_scope and the scopes")
    func wrongScope() async throws {
        try await serve { client in
            let response = try await client.send(.GET, "/erase", .bearer(try world.token()))
            #expect(response.status == .forbidden)
            let challenge = try #require(response.challenges.first { $0.contains("error=") })
            #expect(challenge.contains(#"error="insufficient_scope""#))
            #expect(challenge.contains(#"scope="orders orders.erase""#))
        }
    }

    @Test("A token of an old authentication gets 401 with max_age, and one of a recent authentication passes")
    func stepUp() async throws {
        let time = Int(world.clock.now.timeIntervalSince1970)
        try await serve { client in
            let old = try world.token { $0["auth_time"] = .integer(time - 600) }
            let response = try await client.send(.GET, "/recent", .bearer(old))
            #expect(response.status == .unauthorized)
            let challenge = try #require(response.challenges.first { $0.contains("error=") })
            #expect(challenge.contains(#"error="insufficient_user_authentication""#))
            #expect(challenge.contains("max_age"))
            let recent = try world.token { $0["auth_time"] = .integer(time) }
            #expect(try await client.send(.GET, "/recent", .bearer(recent)).status == .ok)
        }
    }

    @Test("A bound token passes with a proof that has the server's nonce, once, and never without")
    func bound() async throws {
        let token = try world.boundToken()
        try await serve { client in
            func ask(_ proof: String) async throws -> VaporClient.Response {
                try await client.send(.GET, "/orders", ["authorization": "DPoP \(token)", "dpop": proof])
            }
            let first = try await ask(try world.proof("/orders", token: token, nonce: nil))
            #expect(first.status == .unauthorized && first.challenges.count == 1)
            #expect(first.challenges.first?.contains(#"error="use_dpop_nonce""#) == true)
            let nonce = try #require(first.headers.first(name: "dpop-nonce"))
            let proof = try world.proof("/orders", token: token, nonce: nonce)
            let granted = try await ask(proof)
            #expect(granted.status == .ok && granted.text == "alice-subject")
            #expect(granted.headers.first(name: "dpop-nonce") == nonce)
            #expect(try await ask(proof).status == .unauthorized)
            #expect(try await client.send(.GET, "/orders", .bearer(token)).status == .unauthorized)
        }
    }

    @Test("The metadata of the resource is served where RFC 9728 has it")
    func metadata() async throws {
        try await serve { client in
            let response = try await client.send(.GET, "/.well-known/oauth-protected-resource")
            #expect(response.status == .ok)
            #expect(response.object["resource"] == .string(VaporWorld.origin))
            #expect(response.object["authorization_servers"] == [.string(VaporWorld.issuer)])
            #expect(response.object["scopes_supported"] == ["orders"])
        }
    }

    @Test(
        "Behind AccessTokenAuthenticator a request without a valid token is a guest's, and one with a token its user's"
    )
    func authenticator() async throws {
        let refusals = Refusals()
        try await serve(events: refusals.note) { client async throws in
            #expect(try await client.send(.GET, "/news").text == "guest")
            #expect(try await client.send(.GET, "/news", .bearer("a.b.c")).text == "guest")
            #expect(try await client.send(.GET, "/news", .bearer(try world.token())).text == "alice-subject")
        }
        #expect(refusals.all.count == 1)
    }

    @Test("requireAccessToken throws the challenge of the refusal that the authenticator found")
    func required() async throws {
        try await serve { client in
            let none = try await client.send(.GET, "/mine")
            #expect(none.status == .unauthorized && none.challenges.allSatisfy { !$0.contains("error=") })
            let wrong = try await client.send(.GET, "/mine", .bearer("a.b.c"))
            #expect(wrong.challenges.contains { $0.contains(#"error="invalid_token""#) })
            let token = try world.token()
            #expect(try await client.send(.GET, "/mine", .bearer(token)).text == "alice-subject")
            #expect(try await client.send(.GET, "/open", .bearer(token)).status == .internalServerError)
        }
    }

    @Test(
        "A token that an outer guard accepts and AccessTokenAuthenticator does not gets 403, and is not in request.auth"
    )
    func nested() async throws {
        let orders = world.orders
        let erasing = try orders.requiring(["orders.erase"])
        try await world.serve({ app in
            let inner = app.grouped(AccessTokenMiddleware(orders)).grouped(AccessTokenAuthenticator(erasing))
            inner.get("inner") { request in try request.requireAccessToken().subject }
            inner.get("guest") { request in request.auth.get(VerifiedAccessToken.self)?.subject ?? "guest" }
            let outer = app.grouped(AccessTokenAuthenticator(erasing)).grouped(AccessTokenAuthenticator(orders))
            outer.get("outer") { request in try request.requireAccessToken().subject }
        }) { client async throws in
            let bearer = HTTPHeaders.bearer(try world.token())
            let refused = try await client.send(.GET, "/inner", bearer)
            #expect(refused.status == .forbidden)
            #expect(refused.challenges.contains { $0.contains(#"error="insufficient_scope""#) })
            #expect(try await client.send(.GET, "/guest", bearer).text == "guest")
            #expect(try await client.send(.GET, "/outer", bearer).text == "alice-subject")
            let erasing = HTTPHeaders.bearer(try world.token { $0["scope"] = "orders orders.erase" })
            #expect(try await client.send(.GET, "/inner", erasing).text == "alice-subject")
        }
    }

    @Test("A bound token's next nonce comes with the response of an authenticated route")
    func nonce() async throws {
        let token = try world.boundToken()
        let nonce = try ServerNonces(secrets: [Secret(String(repeating: "s", count: 32))], purpose: "test")
            .current(at: world.clock.now)
        try await serve { client in
            let proof = try world.proof("/mine", token: token, nonce: nonce)
            let response = try await client.send(.GET, "/mine", ["authorization": "DPoP \(token)", "dpop": proof])
            #expect(response.text == "alice-subject")
            #expect(response.headers.first(name: "dpop-nonce") == nonce)
        }
    }

    @Test("A token that is bound to a certificate passes with that certificate alone")
    func certificate() async throws {
        struct Certificate: AsyncMiddleware {
            let certificate: ClientCertificate
            func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
                if request.headers.contains(name: "x-with") { request.clientCertificate = certificate }
                return try await next.respond(to: request)
            }
        }
        let certificate = try #require(ClientCertificate(der: [0x30, 3, 2, 1, 5]))
        let token = try world.token { $0["cnf"] = ["x5t#S256": .string(certificate.thumbprint)] }
        let orders = world.orders
        try await world.serve({ app in
            app.grouped(Certificate(certificate: certificate)).grouped(AccessTokenMiddleware(orders))
                .get("orders") { _ in "in" }
        }) { client async throws in
            var headers = HTTPHeaders.bearer(token)
            #expect(try await client.send(.GET, "/orders", headers).status == .unauthorized)
            headers.add(name: "x-with", value: "1")
            #expect(try await client.send(.GET, "/orders", headers).status == .ok)
        }
    }

    /// Keeps the lines of a log.
    private struct LineHandler: LogHandler {
        let lines: Lines
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            lines.note("\(event.level) \(event.metadata?["reason"].map { "\($0)" } ?? "-") \(event.message)")
        }
    }

    private final class Lines: Sendable {
        private let kept = Mutex<[String]>([])
        var all: [String] { kept.withLock { $0 } }
        func note(_ line: String) { kept.withLock { $0.append(line) } }
    }

    @Test("A refusal is one line of the request's log with its reason, and its error is Vapor's at debug")
    func log() async throws {
        let orders = world.orders
        let lines = Lines()
        try await world.serve({ app in
            app.logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
            app.grouped(AccessTokenMiddleware(orders)).get("orders") { _ in "in" }
        }) { client async throws in
            let wrong = try world.token { $0["aud"] = "https://other.example" }
            #expect(try await client.send(.GET, "/orders", .bearer(wrong)).status == .unauthorized)
            let refusals = lines.all.filter { $0.contains("token_aud") }
            #expect(refusals.count == 1 && refusals.first?.hasPrefix("info token_aud") == true, "\(lines.all)")
            #expect(!lines.all.contains { $0.hasPrefix("warning") || $0.hasPrefix("error") || $0.contains(wrong) })
        }
        guard case .refused(let refusal) = await orders.authorize(fields: [:]) else {
            Issue.record("A request without a token was granted.")
            return
        }
        let error = AuthorizationError(refusal)
        #expect(error.logLevel == .debug && error.identifier == "no_token" && error.status == .unauthorized)
    }
}
