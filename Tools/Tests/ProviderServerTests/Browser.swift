import Foundation
import NIOHTTP1
import OstiaryOAuth
import Testing

/// As much of a browser as the pages need: cookies, and forms.
struct Browser {
    let issuer: Issuer
    private var cookies: [String: String] = [:]

    init(_ issuer: Issuer) {
        self.issuer = issuer
    }

    mutating func open(_ location: String) async throws -> RawAnswer {
        try await send(.GET, location, body: nil)
    }

    /// Sends the form of a page with its hidden fields and these inputs.
    mutating func submit(_ page: RawAnswer, _ inputs: [String: String]) async throws -> RawAnswer {
        let action = try #require(page.text.firstMatch(of: /<form method="post" action="([^"]*)"/)).1
        var pairs = page.text.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map {
            (String($0.1), String($0.2))
        }
        pairs += inputs.map { ($0.key, $0.value) }
        let form = pairs.map { "\(Self.encode($0.0))=\(Self.encode($0.1))" }.joined(separator: "&")
        return try await send(.POST, String(action), body: form)
    }

    private mutating func send(_ method: HTTPMethod, _ location: String, body: String?) async throws -> RawAnswer {
        let url = location.hasPrefix("/") ? issuer.description + location : location
        var fields: HTTPHeaders = ["origin": issuer.description]
        if body != nil { fields.add(name: "content-type", value: "application/x-www-form-urlencoded") }
        if !cookies.isEmpty {
            fields.add(name: "cookie", value: cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))
        }
        let answer = try await RawHTTP.send(method, url, fields: fields, body: body)
        for cookie in answer.fields["set-cookie"] {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[String(pair[0])] = pair[1].isEmpty ? nil : String(pair[1])
        }
        return answer
    }

    static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}
