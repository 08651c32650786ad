import Foundation
import HTTPTypes
import OstiaryOAuth

/// The promises about unchanged requests and responses.
extension HTTPTransportTrial {
    func sendsRequestAsGiven() async throws(HTTPTransportCheckFailure) {
        let server = try server()
        for method in [HTTPRequest.Method.get, .post, .put, .delete] {
            var request = server.request("/a/b%20c/d%2Fe?x=1%2B2&y=%E2%82%AC&x=3")
            request.method = method
            request.fields = [.authorization: "Bearer a.b-c~d", .accept: "application/json", .cookie: "a=1; b=2"]
            _ = try await answer(to: request)
            guard let received = server.requests.last else { throw broken("no request arrived") }
            try require(received.method == method.rawValue, "\(method) arrived as \(received.method)")
            try require(
                received.target == "/a/b%20c/d%2Fe?x=1%2B2&y=%E2%82%AC&x=3",
                "the path and query arrived as \(received.target)"
            )
            // HTTP/1.1 has one Cookie field for all cookies (RFC 6265 section 5.4).
            for (name, value) in [
                ("Authorization", "Bearer a.b-c~d"), ("Accept", "application/json"), ("Cookie", "a=1; b=2"),
            ] {
                let values = received.values(of: name)
                try require(values == [value], "\(name) arrived as \(values)")
            }
            try require(received.body.isEmpty, "a body arrived that was not given")
        }
    }

    func sendsFormAsGiven() async throws(HTTPTransportCheckFailure) {
        let server = try server()
        var request = server.request("/token")
        request.method = .post
        request.form = ["grant_type": "authorization_code", "code": "a+b/c=&d e", "name": "Zoë €"]
        _ = try await answer(to: request)
        guard let received = server.requests.last else { throw broken("no request arrived") }
        try require(
            received.body == request.body,
            "the form arrived as \(String(decoding: received.body, as: UTF8.self))"
        )
        let types = received.values(of: "Content-Type")
        try require(types == ["application/x-www-form-urlencoded"], "Content-Type arrived as \(types)")
    }

    func sendsContentAsGiven() async throws(HTTPTransportCheckFailure) {
        let server = try server()
        var request = server.request("/register")
        request.method = .post
        // Large enough for a library to send Expect: 100-continue, which this server never answers.
        let bytes = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0) }
        request.content = EndpointRequest.Content(mediaType: "application/json", bytes: bytes)
        _ = try await answer(to: request)
        guard let received = server.requests.last else { throw broken("no request arrived") }
        try require(received.body == bytes, "of \(bytes.count) bytes arrived \(received.body.count), or others")
        let types = received.values(of: "Content-Type")
        try require(types == ["application/json"], "Content-Type arrived as \(types)")
    }

    func sendsHead() async throws(HTTPTransportCheckFailure) {
        let server = try server { _ in [.head(200, ["Content-Length: 99999999"])] }
        var request = server.request()
        request.method = .head
        let response = try await answer(to: request)
        try require(
            server.requests.last?.method == "HEAD",
            "HEAD arrived as \(server.requests.last?.method ?? "nothing")"
        )
        try require(response.status == .ok && response.body.isEmpty, "the answer is \(response)")
    }

    func refusesBodyOfGet() async throws(HTTPTransportCheckFailure) {
        let server = try server()
        for method in [HTTPRequest.Method.get, .head] {
            var request = server.request()
            request.method = method
            request.form = ["a": "1"]
            try await expect(request, toFailAs: [.invalidRequest])
        }
        try require(server.connections.isEmpty, "something was sent")
    }

    func refusesOtherSchemes() async throws(HTTPTransportCheckFailure) {
        for text in ["file:///etc/hosts", "ftp://127.0.0.1/", "data:text/plain,a", "relative"] {
            guard let url = URL(string: text) else { continue }
            try await expect(EndpointRequest(url: url), toFailAs: [.insecureURL])
        }
    }

    func revealsNothingInUserAgent() async throws(HTTPTransportCheckFailure) {
        let server = try server()
        _ = try await answer(to: server.request())
        let agents = server.requests.last?.values(of: "User-Agent") ?? []
        try require(agents.count <= 1, "there are several: \(agents)")
        let info = ProcessInfo.processInfo
        for secret in [info.processName, info.hostName, NSUserName()] where secret.count > 3 {
            let reveals = agents.contains { $0.localizedCaseInsensitiveContains(secret) }
            try require(!reveals || secret.localizedCaseInsensitiveContains("ostiary"), "it is \(agents)")
        }
    }

    func returnsStatusAndBody() async throws(HTTPTransportCheckFailure) {
        let server = try server { request in
            let status = Int(request.target.dropFirst()) ?? 0
            guard status != 204 else { return [.head(204)] }
            return .response(
                status,
                ["Content-Type: application/json", "X-Status: \(status)"],
                body: "{\"s\":\(status)}"
            )
        }
        for status in [200, 201, 204, 400, 401, 403, 404, 429, 500, 503] {
            let response = try await answer(to: server.request("/\(status)"))
            try require(response.status.code == status, "\(status) came as \(response.status.code)")
            guard status != 204 else { continue }
            try require(response.body == Array("{\"s\":\(status)}".utf8), "the body of \(status) came as another")
            try require(response.mediaType == "application/json", "the media type came as another")
        }
    }

    func returnsChallenge() async throws(HTTPTransportCheckFailure) {
        let server = try server { _ in
            .response(401, ["WWW-Authenticate: Basic realm=\"token endpoint\""], body: "{\"error\":\"invalid_client\"}")
        }
        var request = server.request()
        request.method = .post
        request.form = ["a": "1"]
        let response = try await answer(to: request)
        try require(response.status == .unauthorized, "the status came as \(response.status.code)")
        try require(response.body == Array("{\"error\":\"invalid_client\"}".utf8), "the body came as another")
        let challenge = response.fields[.wwwAuthenticate]
        try require(challenge == "Basic realm=\"token endpoint\"", "the challenge came as \(challenge ?? "none")")
        try require(server.requests.count == 1, "the challenge was answered")
    }

    func returnsRepeatedFields() async throws(HTTPTransportCheckFailure) {
        let server = try server { _ in
            .response(
                401,
                [
                    "WWW-Authenticate: DPoP algs=\"ES256\"", "X-A: 1", "WWW-Authenticate: Bearer realm=\"a, b\"",
                    "X-A: 2",
                ]
            )
        }
        let fields = try await answer(to: server.request()).fields
        let challenges = fields[.wwwAuthenticate]
        try require(
            challenges == "DPoP algs=\"ES256\", Bearer realm=\"a, b\"",
            "WWW-Authenticate came as \(challenges ?? "none")"
        )
        let others = HTTPField.Name("X-A").flatMap { fields[$0] }
        try require(others == "1, 2", "X-A came as \(others ?? "none")")
    }

    func returnsSetCookieFieldsApart() async throws(HTTPTransportCheckFailure) {
        let cookies = ["a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT; Path=/", "b=2; HttpOnly", "c="]
        let server = try server { _ in .response(200, cookies.map { "Set-Cookie: \($0)" }) }
        let received = try await answer(to: server.request()).fields[values: .setCookie]
        try require(received == cookies, "they came as \(received)")
    }

    func skipsInterimAnswer() async throws(HTTPTransportCheckFailure) {
        let server = try server { _ in
            [.head(100), .bytes(Array("HTTP/1.1 200 OK\r\nX-B: 1\r\nContent-Length: 2\r\n\r\nok".utf8))]
        }
        let response = try await answer(to: server.request())
        try require(response.status == .ok && response.body == Array("ok".utf8), "the answer is \(response)")
    }

    func toleratesTrailerFields() async throws(HTTPTransportCheckFailure) {
        let server = try server { _ in
            [.head(200, ["Transfer-Encoding: chunked"]), .text("2\r\nok\r\n0\r\nX-Checksum: 1\r\n\r\n")]
        }
        for _ in 0..<2 {
            let response = try await answer(to: server.request())
            try require(response.body == Array("ok".utf8), "the answer is \(response)")
        }
    }

    func answersManyAtOnce() async throws(HTTPTransportCheckFailure) {
        let server = try server { .response(body: $0.target) }
        let wrong = await withTaskGroup(of: String?.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let outcome = await self.outcome(of: server.request("/\(number)"))
                    guard case .answered(let response) = outcome else { return "/\(number): \(outcome)" }
                    let body = String(decoding: response.body, as: UTF8.self)
                    return body == "/\(number)" ? nil : "/\(number) was answered with \(body)"
                }
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
        if let wrong { throw broken(wrong) }
        try require(server.requests.count == 50, "\(server.requests.count) requests arrived instead of 50")
    }
}
