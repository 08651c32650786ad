import Foundation
import OstiaryOAuth

/// What a loopback listener replies to a request, and whether the request is the answer it awaits: a value, without
/// sockets.
///
/// The redirect is a browser's own visit. A page somewhere on the web can make a browser send requests here, too, as
/// images, scripts or from a name that it points at this machine; none of these is the answer, and none uses it up.
struct LoopbackReception {
    struct Reply {
        let bytes: [UInt8]
        var answer: URL?
        /// Whether nothing is left to be served after it.
        var isLast = false
    }

    private let redirectURI: RedirectURI
    private let hosts: Set<String>
    private let path: String
    private let donePath: String
    private let appName: String
    private let limits: LoopbackLimits
    private var entry: LoopbackEntry?
    private var isAnswered = false

    init(redirectURI: RedirectURI, appName: String, limits: LoopbackLimits, entry: LoopbackEntry? = nil) {
        self.redirectURI = redirectURI
        self.entry = entry
        self.appName = appName
        self.limits = limits
        let host = redirectURI.parts.authority?.host ?? ""
        let port = redirectURI.port ?? 80
        // A browser leaves the scheme's own port out.
        hosts = port == 80 ? [host, "\(host):80"] : ["\(host):\(port)"]
        path = redirectURI.parts.path.isEmpty ? "/" : redirectURI.parts.path
        donePath = path == "/done" ? "/done/" : "/done"
    }

    /// The reply to what has been read of a request.
    ///
    /// - Parameter searched: How many bytes were there before, and had no end of the head in them.
    /// - Returns: `nil` until the head is whole.
    mutating func reply(to bytes: [UInt8], searchedUpTo searched: Int) -> Reply? {
        guard let end = LoopbackRequest.endOfHead(in: bytes, from: searched) else {
            return bytes.count > limits.headBytes ? refuse("431 Request Header Fields Too Large") : nil
        }
        guard end <= limits.headBytes else { return refuse("431 Request Header Fields Too Large") }
        switch LoopbackRequest.parse(bytes[..<end], maximumLines: limits.headLines) {
        case .failure(.tooManyLines): return refuse("431 Request Header Fields Too Large")
        case .failure(.malformed): return refuse("400 Bad Request")
        case .failure(.version): return refuse("505 HTTP Version Not Supported")
        case .success(let request): return reply(to: request)
        }
    }

    private mutating func reply(to request: LoopbackRequest) -> Reply {
        // Another name for this machine is how a web page gets round the browser's same-origin rule (DNS rebinding).
        guard let host = request.single("host"), hosts.contains(host.lowercased()) else {
            return refuse("400 Bad Request")
        }
        let isEntry = entry?.path == request.path
        guard isEntry || request.path == path || isAnswered && request.path == donePath else {
            return refuse("404 Not Found")
        }
        guard request.method == "GET" else { return refuse("405 Method Not Allowed", fields: ["Allow: GET"]) }
        guard request.values("sec-fetch-dest").allSatisfy({ $0 == "document" }) else { return refuse("403 Forbidden") }
        // A browser that only looks ahead comes again when the person does.
        guard request.values("sec-purpose").isEmpty, request.values("purpose").isEmpty else {
            return refuse("503 Service Unavailable")
        }
        if isEntry, let page = entry?.destination {
            entry = nil
            return Reply(bytes: LoopbackPage.status("303 See Other", fields: ["Location: \(page.absoluteString)"]))
        }
        if request.path == donePath, isAnswered {
            return Reply(bytes: LoopbackPage(appName: appName).response, isLast: true)
        }
        guard !isAnswered else { return refuse("410 Gone") }
        guard let answer = request.query.map(redirect(query:)) ?? redirectURI.url else {
            return refuse("400 Bad Request")
        }
        isAnswered = true
        // Without a script, only another address takes the code out of the address bar and the history.
        return Reply(bytes: LoopbackPage.status("303 See Other", fields: ["Location: \(donePath)"]), answer: answer)
    }

    /// The redirect URI with a query that was received; characters that a URL cannot hold are escaped.
    private func redirect(query: String) -> URL? {
        var escaped = ""
        for byte in query.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
                UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: "["),
                UInt8(ascii: "]"):
                escaped += FormURLEncoding.escape(String(UnicodeScalar(byte)))
            case UInt8(ascii: "#"): return nil
            default: escaped.unicodeScalars.append(UnicodeScalar(byte))
            }
        }
        let base = redirectURI.description.prefix { $0 != "?" }
        return URL(string: "\(base)?\(escaped)", encodingInvalidCharacters: false)
    }

    private func refuse(_ status: String, fields: [String] = []) -> Reply {
        Reply(bytes: LoopbackPage.status(status, fields: fields))
    }
}
