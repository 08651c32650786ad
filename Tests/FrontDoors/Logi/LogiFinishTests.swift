import Foundation
import HTTPTypes
import Ostiary
import OstiaryLogi
import OstiaryLogiServer
import OstiaryProvider
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("logi: the place where a backend finishes sign-ins", .timeLimit(.minutes(5)))
struct LogiFinishTests {
    private func callback(_ partner: LogiPartner) async throws -> LogiCallback {
        try await partner.world.logi(opener: partner.world.nativeApp()).authorize(try await partner.start())
    }

    private func finish(
        _ partner: LogiPartner,
        code: String = "code",
        state: String = "state",
        sender: String? = "192.0.2.1",
        proven: Bool = true
    ) async -> ServerResponse {
        let body: JSONObject = ["code": .string(code), "state": .string(state)]
        var fields: HTTPFields = [.contentType: "application/json"]
        if proven { fields[.dpop] = partner.proof("/auth/finish") }
        return await partner.backend.signIn.finish.respond(
            to: ServerRequest(
                method: .post,
                target: "/auth/finish",
                fields: fields,
                body: body.encoded(),
                sender: sender
            )
        )
    }

    private func finish(_ partner: LogiPartner, _ callback: LogiCallback) async -> ServerResponse {
        await finish(partner, code: callback.code.reveal(), state: callback.state.reveal())
    }

    @Test(
        "A sender that finishes too often gets 429 before its proof is checked, and other senders do not",
        .covers(.logi, rows: 58)
    )
    func limit() async throws {
        let partner = try LogiPartner(try LogiWorld())
        for _ in 0..<20 { #expect(await finish(partner, proven: false).status == .unauthorized) }
        let limited = await finish(partner)
        #expect(limited.status == .tooManyRequests && limited.fields[.retryAfter] == "3")
        #expect(try JSONObject(parsing: limited.body) == ["error": "temporarily_unavailable"])
        #expect(await finish(partner, sender: "192.0.2.2").status == .badRequest)
        partner.world.clock.advance(by: .seconds(3))
        #expect(await finish(partner).status == .badRequest)
    }

    @Test(
        "A finish request without a sign-in stores nothing but the replay entry and the limit",
        .covers(.logi, rows: 58)
    )
    func nothingKept() async throws {
        let partner = try LogiPartner(try LogiWorld())
        let answer = await finish(partner)
        #expect(try JSONObject(parsing: answer.body) == ["error": "invalid_grant"])
        // Nothing is left by then of the proof, which is valid for a minute, nor of the limit.
        let later = partner.world.clock.now.addingTimeInterval(300)
        #expect(try await partner.store.removeExpired(limit: 100, now: later) == 2)
        #expect(try await partner.store.removeExpired(limit: 100, now: .distantFuture) == 0)
    }

    @Test(
        "A sign-in whose code did not reach logi can be finished once logi is back",
        .covers(.logi, rows: 58),
        arguments: [TransportFailure.unreachable, .unknownHost]
    )
    func unreachable(_ failure: TransportFailure) async throws {
        let partner = try LogiPartner(try LogiWorld())
        let callback = try await callback(partner)
        partner.world.network.lose(to: "/oauth/token", .beforeProcessing, with: failure)
        let first = await finish(partner, callback)
        #expect(first.status == .serviceUnavailable && first.fields[.retryAfter] == "1")
        #expect(try JSONObject(parsing: first.body) == ["error": "temporarily_unavailable"])
        #expect(await finish(partner, callback).status == .ok)
        #expect(await finish(partner, callback).status == .ok)
        #expect(partner.world.network.count(path: "/oauth/token") == 2)
    }

    @Test("A sign-in that could not be finished expires after ten minutes", .covers(.logi, rows: 58))
    func tooOld() async throws {
        let partner = try LogiPartner(try LogiWorld())
        let callback = try await callback(partner)
        partner.world.network.lose(to: "/oauth/token", .beforeProcessing, with: .unreachable)
        partner.world.clock.advance(by: .seconds(590))
        #expect(await finish(partner, callback).status == .serviceUnavailable)
        partner.world.clock.advance(by: .seconds(10))
        #expect(try JSONObject(parsing: await finish(partner, callback).body) == ["error": "invalid_grant"])
        #expect(partner.world.network.count(path: "/oauth/token") == 1)
    }

    @Test("A code that logi may have received is not sent again", .covers(.logi, rows: 58))
    func lost() async throws {
        let partner = try LogiPartner(try LogiWorld())
        let callback = try await callback(partner)
        partner.world.network.lose(to: "/oauth/token", .afterProcessing)
        for _ in 0..<2 {
            let answer = await finish(partner, callback)
            #expect(answer.status == .badRequest)
            #expect(try JSONObject(parsing: answer.body) == ["error": "temporarily_unavailable"])
        }
        #expect(partner.world.network.count(path: "/oauth/token") == 1)
    }
}
