import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryProvider
import OstiaryProviderDialects
import OstiarySSAFY
import OstiarySSAFYServer
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("SSAFY Verify: a code that could not be redeemed yet", .timeLimit(.minutes(5)))
struct SSAFYLaterTests {
    /// The service, with something before it that answers token requests in its place.
    final class Front: HTTPTransport {
        enum Turn: Sendable {
            case answer(Int, String, HTTPFields)
            case fail(TransportFailure)
            case never
        }
        private let service: any HTTPTransport
        private let turns: Lock<[Turn]>
        private let hasEnded = Lock(false)

        /// Lets the requests that are never answered fail.
        func end() { hasEnded.withLock { $0 = true } }

        /// Whether every turn was taken.
        var isReached: Bool { turns.withLock(\.isEmpty) }

        init(_ turns: [Turn], before service: any HTTPTransport) {
            self.service = service
            self.turns = Lock(turns)
        }

        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            guard request.url.path().hasSuffix("/verify/token"),
                let turn = turns.withLock({ $0.isEmpty ? nil : $0.removeFirst() })
            else { return try await service.send(request) }
            switch turn {
            case .answer(let status, let body, var fields):
                fields[.contentType] = "application/json"
                return EndpointResponse(status: .init(code: status), fields: fields, body: Array(body.utf8))
            case .fail(let failure): throw failure
            case .never:
                while !hasEnded.withLock({ $0 }) { await Task.yield() }
                throw .cancelled
            }
        }
    }

    private func partner(_ world: SSAFYWorld, _ turns: Front.Turn...) throws -> SSAFYPartner {
        try SSAFYPartner(
            network: Front(turns, before: world.network),
            clientID: "ssafy-partner",
            clientSecret: "partner-secret",
            clock: world.clock
        )
    }

    private static let verifier = String(repeating: "v", count: 43)

    /// A code that the service gave for ``verifier``.
    static func code(_ world: SSAFYWorld) async throws -> String {
        let query: Parameters = [
            .clientID: "ssafy-partner", .redirectURI: SSAFYWorld.callback, .scope: "ssafy.verify", .state: "state",
            .codeChallenge: Base64URL.encode(HashAlgorithm.sha256.hash(Array(verifier.utf8))),
            .codeChallengeMethod: "S256",
        ]
        let page = URL(string: SSAFYWorld.issuer + "/verify/authorize?" + FormURLEncoding.encode(query))!
        let callback = try await world.person().attempt(awaiting: try RedirectURI(SSAFYWorld.callback)).open(
            page,
            accepting: .any
        )
        return try #require(SSAFYWorld.query(callback)[.code])
    }

    static func request(_ code: String) -> ServerRequest {
        let members: JSONObject = [
            "code": .string(code), "codeVerifier": .string(verifier), "redirectUri": .string(SSAFYWorld.callback),
            "iss": .string(SSAFYWorld.issuer),
        ]
        return ServerRequest(
            method: .post,
            target: "/api/ssafy/verify",
            fields: [.contentType: "application/json"],
            body: members.encoded(),
            sender: "192.0.2.1"
        )
    }

    private static let limited = #"{"error":{"code":"VERIFY_RATE_LIMITED","request_id":"r-1"}}"#
    private static let away = #"{"error":{"code":"VERIFY_TOKEN_FAILED","request_id":"r-2"}}"#

    @Test("A code that the service's rate limit rejected is redeemed after its Retry-After", .covers(.ssafy, rows: 58))
    func serviceLimit() async throws {
        let world = try SSAFYWorld(dialect: SSAFYDialect(tokenRequestsPerMinute: 1))
        _ = await world.partner.handoff.respond(to: Self.request(try await Self.code(world)))
        // The code is valid as long as the limit counts.
        world.clock.advance(by: .seconds(50))
        let request = Self.request(try await Self.code(world))
        let limited = await world.partner.handoff.respond(to: request)
        #expect(limited.status == .tooManyRequests)
        world.clock.advance(by: .seconds(try #require(limited.fields[.retryAfter].flatMap(Int.init))))
        #expect(await world.partner.handoff.respond(to: request).status == .ok)
    }

    @Test(
        "A temporary refusal reports its Retry-After, and the same request is redeemed later",
        .covers(.ssafy, rows: 17, 58),
        arguments: [
            (429, limited, "5", "VERIFY_RATE_LIMITED", 429, "5"), (429, "{}", nil, "VERIFY_RATE_LIMITED", 429, "1"),
            (503, away, "5", "VERIFY_TOKEN_FAILED", 503, "5"), (503, away, nil, "VERIFY_TOKEN_FAILED", 503, "1"),
            (503, "<html>", "9", "VERIFY_TOKEN_FAILED", 503, "9"),
        ] as [(Int, String, String?, String, Int, String)]
    )
    func later(
        _ status: Int,
        _ body: String,
        _ wait: String?,
        _ code: String,
        _ answered: Int,
        _ told: String
    ) async throws {
        let world = try SSAFYWorld()
        let fields: HTTPFields = wait.map { [.retryAfter: $0] } ?? [:]
        let partner = try partner(world, .answer(status, body, fields))
        let request = Self.request(try await Self.code(world))
        let first = await partner.handoff.respond(to: request)
        #expect(first.status.code == answered && first.fields[.retryAfter] == told)
        #expect(try JSONObject(parsing: first.body)["errorCode"] == .string(code))
        #expect(await partner.handoff.respond(to: request).status == .ok)
    }

    @Test(
        "A request that did not reach the service keeps the code for a retry",
        .covers(.ssafy, rows: 58),
        arguments: [TransportFailure.unreachable, .unknownHost]
    )
    func unreachable(_ failure: TransportFailure) async throws {
        let world = try SSAFYWorld()
        let partner = try partner(world, .fail(failure))
        let request = Self.request(try await Self.code(world))
        let first = await partner.handoff.respond(to: request)
        #expect(first.status == .badGateway && first.fields[.retryAfter] == "1")
        #expect(try JSONObject(parsing: first.body)["errorCode"] == "VERIFY_TOKEN_FAILED")
        #expect(await partner.handoff.respond(to: request).status == .ok)
    }

    @Test(
        "A code that the service may have received is not redeemed again, and the response stays",
        .covers(.ssafy, rows: 58),
        arguments: [
            Front.Turn.fail(.interrupted), .fail(.timedOut), .answer(503, "upstream reset", [:]),
            .answer(500, away, [.retryAfter: "5"]), .answer(502, "{}", [.retryAfter: "5"]),
            .answer(403, #"{"error_code":"CONSENT_DENIED"}"#, [.retryAfter: "5"]),
        ]
    )
    func final(_ turn: Front.Turn) async throws {
        let world = try SSAFYWorld()
        let partner = try partner(world, turn)
        let request = Self.request(try await Self.code(world))
        let first = await partner.handoff.respond(to: request)
        let second = await partner.handoff.respond(to: request)
        #expect(first.status.code >= 400 && first.body == second.body)
        #expect(world.network.count(path: "/verify/token") == 0)
    }

    @Test(
        "A code whose redeeming process died counts as in progress for a minute, then as used",
        .covers(.ssafy, rows: 58)
    )
    func died() async throws {
        let world = try SSAFYWorld()
        let front = Front([.never], before: world.network)
        let partner = try SSAFYPartner(
            network: front,
            clientID: "ssafy-partner",
            clientSecret: "partner-secret",
            clock: world.clock
        )
        let request = Self.request(try await Self.code(world))
        let dead = Task { await partner.handoff.respond(to: request) }
        defer {
            dead.cancel()
            front.end()
        }
        while !front.isReached { await Task.yield() }
        let start = world.clock.now
        let waiting = await partner.handoff.respond(to: request)
        #expect(waiting.status == .serviceUnavailable && waiting.fields[.retryAfter] == "1")
        world.clock.advance(by: .seconds(60 - world.clock.now.timeIntervalSince(start)))
        let late = await partner.handoff.respond(to: request)
        #expect(late.status == .unauthorized && late.fields[.retryAfter] == nil)
        #expect(try JSONObject(parsing: late.body)["errorCode"] == "VERIFY_TOKEN_INVALID")
    }
}
