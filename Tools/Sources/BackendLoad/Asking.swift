import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import OstiaryJOSE

/// The outcome of one request.
struct Answer: Sendable {
    /// The status; 0 when no response came.
    var status: Int
    var body: JSONObject = [:]
    /// The challenge of a refusal.
    var challenge = ""
    /// The target of a redirect.
    var location = ""
    /// The fields `Set-Cookie`.
    var cookies: [String] = []

    static let none = Answer(status: 0)

    /// Its name in the figures.
    var kind: String { status == 0 ? "no answer" : "\(status)" }
    /// Whether the request may be repeated: nothing was decided, or the outcome is unknown.
    var mayBeAskedAgain: Bool { [0, 429, 502, 503, 504].contains(status) }
}

extension HTTPClient {
    /// Sends a request and reads the whole response; a broken connection has the status 0.
    func ask(
        _ method: HTTPMethod,
        _ url: String,
        _ fields: [(String, String)] = [],
        _ body: ByteBuffer? = nil,
        within patience: Double = 15
    ) async -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = method
        for (name, value) in fields { request.headers.add(name: name, value: value) }
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(body)
        }
        guard let response = try? await execute(request, timeout: .milliseconds(Int64(patience * 1000))),
            let bytes = try? await response.body.collect(upTo: 65_536)
        else { return .none }
        return Answer(
            status: Int(response.status.code),
            body: (try? JSONObject(parsing: Array(bytes.readableBytesView))) ?? [:],
            challenge: response.headers.first(name: "www-authenticate") ?? "",
            location: response.headers.first(name: "location") ?? "",
            cookies: response.headers["set-cookie"]
        )
    }
}

/// The time for which a client repeats a request.
struct Patience: Sendable {
    private let end: ContinuousClock.Instant

    init(_ seconds: Double) { end = .now + .seconds(seconds) }

    var isOver: Bool { end < .now }
}

/// The pause before an attempt: longer each time, and not for long.
func pause(before attempt: Int) async {
    try? await Task.sleep(for: .milliseconds(min(1000, 50 << min(attempt, 5))))
}
