import Foundation
import OstiaryOAuth

/// What a loopback listener replies to a request, and whether the request is the answer it awaits: a value, without
/// sockets.
///
/// The redirect is a visit of the user's own browser that the caller's predicate accepts. Any web page can make a browser
/// send requests here, as images, scripts, navigations or from a name that it points at this machine. Any program of the
/// machine can send the same. None of these is the answer, and none uses it up.
struct LoopbackReception {
    struct Reply {
        let bytes: [UInt8]
        var answer: URL?
        /// Why the attempt ends without an answer.
        var failure: SignInError?
        /// Whether nothing is left to be served after it.
        var isLast = false
    }

    private let redirectURI: RedirectURI
    private let hosts: Set<String>
    private let path: String
    private let donePath: String
    private let appName: String
    private let limits: LoopbackLimits
    private let predicate: RedirectPredicate
    private let entry: LoopbackEntry?
    private var isEntryUsed = false
    private var isAnswered = false

    init(
        redirectURI: RedirectURI,
        appName: String,
        limits: LoopbackLimits,
        accepting predicate: RedirectPredicate,
        entry: LoopbackEntry? = nil
    ) {
        self.redirectURI = redirectURI
        self.predicate = predicate
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
    /// - Parameters:
    ///   - searched: How many bytes were there before, and had no end of the head in them.
    ///   - isOfAnotherUser: Whether another user of the machine has sent it; called only for a request that would count.
    /// - Returns: `nil` until the head is whole.
    mutating func reply(
        to bytes: [UInt8],
        searchedUpTo searched: Int,
        ofAnotherUser isOfAnotherUser: () -> Bool
    ) -> Reply? {
        guard let end = LoopbackRequest.endOfHead(in: bytes, from: searched) else {
            return bytes.count > limits.headBytes ? refuse("431 Request Header Fields Too Large") : nil
        }
        guard end <= limits.headBytes else { return refuse("431 Request Header Fields Too Large") }
        switch LoopbackRequest.parse(bytes[..<end], maximumLines: limits.headLines) {
        case .failure(.tooManyLines): return refuse("431 Request Header Fields Too Large")
        case .failure(.malformed): return refuse("400 Bad Request")
        case .failure(.version): return refuse("505 HTTP Version Not Supported")
        case .success(let request): return reply(to: request, ofAnotherUser: isOfAnotherUser)
        }
    }

    private mutating func reply(to request: LoopbackRequest, ofAnotherUser isOfAnotherUser: () -> Bool) -> Reply {
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
        // Every user of the machine reads the arguments of its commands and reaches its ports.
        guard !isOfAnotherUser() else { return Reply(bytes: LoopbackPage.ofAnotherUser(appName: appName)) }
        if isEntry, let entry { return enter(entry) }
        if request.path == donePath, isAnswered {
            return Reply(bytes: LoopbackPage(appName: appName).response, isLast: true)
        }
        guard !isAnswered else { return refuse("410 Gone") }
        guard let answer = request.query.map(redirect(query:)) ?? redirectURI.url else {
            return refuse("400 Bad Request")
        }
        guard predicate.accepts(answer) else {
            return Reply(bytes: LoopbackPage.otherSignIn(appName: appName))
        }
        isAnswered = true
        // Without a script, only another address takes the code out of the address bar and the history.
        return Reply(bytes: LoopbackPage.status("303 See Other", fields: ["Location: \(donePath)"]), answer: answer)
    }

    /// Leads the first visitor to the page; a second one ends the attempt, because one of the two was not the browser.
    ///
    /// A page's URL holds what a thief can use: with the `state` and the code challenge, the thief signs in as himself and
    /// delivers that code here (RFC 9700 section 4.7).
    private mutating func enter(_ entry: LoopbackEntry) -> Reply {
        if isAnswered { return refuse("410 Gone") }
        guard !isEntryUsed else {
            let failure = SignInError(.authorization, .presentation(.openedTwice))
            return Reply(bytes: LoopbackPage.status("410 Gone"), failure: failure)
        }
        isEntryUsed = true
        return Reply(bytes: entry.response)
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
        let text = "\(base)?\(escaped)"
        // From iOS 17 and macOS 14 on `URL(string:)` escapes what is left, and a query that it changed is another query.
        return URL(string: text).flatMap { $0.absoluteString == text ? $0 : nil }
    }

    private func refuse(_ status: String, fields: [String] = []) -> Reply {
        Reply(bytes: LoopbackPage.status(status, fields: fields))
    }
}
