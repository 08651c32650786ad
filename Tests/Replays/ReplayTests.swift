import Foundation
import HTTPTypes
import Ostiary
import OstiaryTesting
import Testing

@Suite("Replays")
struct ReplayTests {
    private func replay(_ exchanges: String...) throws -> Replay {
        Replay(try Recording(parsing: Array((#"{"steps":[]}"# + "\n" + exchanges.joined(separator: "\n")).utf8)))
    }

    private func exchange(
        _ time: Int,
        _ method: String,
        _ path: String,
        form: String? = nil,
        body: String,
        more: String = ""
    ) -> String {
        let fields = form == nil ? "" : #"["Content-Type","application/x-www-form-urlencoded"]"#
        return #"{"time":\#(time),"method":"\#(method)","url":"https://id.example\#(path)","#
            + #""request":{"headers":[\#(fields)],"body":"\#(form ?? "")"},"#
            + #""response":{"status":200,"headers":[],"body":"\#(body)"}\#(more)}"#
    }

    private func request(_ path: String, grantType: String? = nil, isAuthorized: Bool = false) -> EndpointRequest {
        var request = EndpointRequest(url: URL(string: "https://id.example" + path)!)
        if let grantType {
            request.method = .post
            request.form = ["grant_type": grantType]
        }
        if isAuthorized { request.fields[.authorization] = "Bearer t" }
        return request
    }

    private func body(_ request: EndpointRequest, of replay: Replay) async throws -> String {
        String(decoding: try await replay.transport.send(request).body, as: UTF8.self)
    }

    @Test("Requests are matched by method, path and grant type, in whatever order they come")
    func matching() async throws {
        let replay = try replay(
            exchange(1, "POST", "/token", form: "grant_type=refresh_token", body: "first"),
            exchange(2, "POST", "/token", form: "grant_type=authorization_code", body: "code"),
            exchange(3, "POST", "/token", form: "grant_type=refresh_token", body: "second")
        )
        #expect(try await body(request("/token", grantType: "authorization_code"), of: replay) == "code")
        #expect(try await body(request("/token?x=1", grantType: "refresh_token"), of: replay) == "first")
        #expect(try await body(request("/token", grantType: "refresh_token"), of: replay) == "second")
        await #expect(throws: TransportFailure.unreachable) {
            try await body(request("/token", grantType: "refresh_token"), of: replay)
        }
        #expect(replay.unansweredRequests.count == 1 && replay.requests.count == 4)
    }

    @Test("A recorded document is replayed in its order, and the last one repeated")
    func documents() async throws {
        let replay = try replay(
            exchange(1, "GET", "/keys", body: "old"),
            exchange(2, "POST", "/token", form: "grant_type=a", body: ""),
            exchange(3, "GET", "/keys", body: "new")
        )
        #expect(try await body(request("/keys"), of: replay) == "old")
        _ = try await body(request("/token", grantType: "a"), of: replay)
        #expect(try await body(request("/keys"), of: replay) == "new")
        #expect(try await body(request("/keys"), of: replay) == "new")
    }

    @Test("A recorded document that later steps passed is not replayed")
    func passedOver() async throws {
        let replay = try replay(
            exchange(1, "GET", "/keys", body: "old"),
            exchange(2, "GET", "/keys", body: "new"),
            exchange(3, "POST", "/token", form: "grant_type=a", body: "")
        )
        _ = try await body(request("/token", grantType: "a"), of: replay)
        #expect(try await body(request("/keys"), of: replay) == "new")
    }

    @Test("A response to credentials is given once")
    func once() async throws {
        let replay = try replay(exchange(1, "GET", "/me", body: "alice"))
        #expect(try await body(request("/me", isAuthorized: true), of: replay) == "alice")
        await #expect(throws: TransportFailure.unreachable) {
            try await body(request("/me", isAuthorized: true), of: replay)
        }
    }

    @Test("A metadata document that was not recorded is not found; another host is not reached")
    func unrecorded() async throws {
        let replay = try replay(exchange(1, "GET", "/me", body: "alice"))
        let document = try await replay.transport.send(request("/.well-known/openid-configuration"))
        #expect(document.status == .notFound)
        await #expect(throws: TransportFailure.unreachable) {
            let url = try #require(URL(string: "https://other.example/.well-known/openid-configuration"))
            return try await replay.transport.send(EndpointRequest(url: url))
        }
    }

    @Test("The clock shows the time of the latest exchange and never goes back; waiting moves it")
    func clock() async throws {
        let replay = try replay(
            exchange(10, "GET", "/a", body: ""),
            exchange(20, "GET", "/b", body: "")
        )
        #expect(replay.now.timeIntervalSince1970 == 10)
        _ = try await body(request("/b"), of: replay)
        _ = try await body(request("/a"), of: replay)
        #expect(replay.now.timeIntervalSince1970 == 20)
        try await replay.clock.sleep(.seconds(5))
        #expect(replay.clock.now().timeIntervalSince1970 == 25)
    }

    @Test("A response beyond the request's limit is refused, and a recorded failure is thrown")
    func failures() async throws {
        let failed = #"{"time":2,"method":"GET","url":"https://id.example/b","failure":"timedOut"}"#
        let replay = try replay(exchange(1, "GET", "/a", body: "long"), failed)
        var limited = request("/a")
        limited.limits.maximumBodyBytes = 3
        await #expect(throws: TransportFailure.tooLarge) { try await replay.transport.send(limited) }
        await #expect(throws: TransportFailure.timedOut) { try await replay.transport.send(request("/b")) }
    }
}
