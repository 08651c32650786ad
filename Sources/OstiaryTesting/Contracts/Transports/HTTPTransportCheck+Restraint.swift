import HTTPTypes
import OstiaryOAuth

/// The promises about requests and fields that a transport must not add.
extension HTTPTransportTrial {
    func returnsRedirects() async throws(HTTPTransportCheckFailure) {
        let elsewhere = try server()
        let location = "http://127.0.0.1:\(elsewhere.port)/elsewhere"
        let server = try server { request in
            .response(Int(request.target.dropFirst()) ?? 0, ["Location: \(location)"], body: "moved")
        }
        for status in [301, 302, 303, 307, 308] {
            for method in [HTTPRequest.Method.get, .post] {
                let before = server.requests.count
                var request = server.request("/\(status)")
                request.method = method
                request.fields = [.authorization: "Bearer secret"]
                if method == .post { request.form = ["code": "secret"] }
                let response = try await answer(to: request)
                try require(elsewhere.connections.isEmpty, "\(method) \(status) was followed")
                try require(server.requests.count == before + 1, "\(method) \(status) was repeated")
                try require(response.status.code == status, "\(method) \(status) came as \(response.status.code)")
                try require(response.fields[.location] == location, "the Location of \(status) came as another")
                try require(response.body == Array("moved".utf8), "the body of \(status) came as another")
            }
        }
    }

    func returnsRedirectWithoutLocation() async throws(HTTPTransportCheckFailure) {
        let server = try server { request in .response(Int(request.target.dropFirst()) ?? 0) }
        for status in [300, 302, 304, 307] {
            let response = try await answer(to: server.request("/\(status)"))
            try require(response.status.code == status, "\(status) came as \(response.status.code)")
        }
    }

    func keepsNoCookies() async throws(HTTPTransportCheckFailure) {
        let server = try server { request in
            .response(request.number == 0 ? 302 : 200, ["Set-Cookie: a=1; Path=/; Max-Age=3600", "Location: /"])
        }
        for _ in 0..<3 { _ = try await answer(to: server.request()) }
        let sent = server.requests.flatMap { $0.values(of: "Cookie") }
        try require(sent.isEmpty, "the cookie was sent again: \(sent)")
    }

    func keepsNoCache() async throws(HTTPTransportCheckFailure) {
        let server = try server { request in
            .response(200, ["Cache-Control: public, max-age=3600", "ETag: \"a\""], body: "\(request.number)")
        }
        for number in 0..<2 {
            let response = try await answer(to: server.request())
            try require(response.body == Array("\(number)".utf8), "answer \(number) came from a cache")
        }
        try require(server.requests.count == 2, "two requests arrived as \(server.requests.count)")
        let conditions = server.requests.flatMap { $0.values(of: "If-None-Match") }
        try require(conditions.isEmpty, "the second request is conditional, so the first answer was kept")
    }
}
