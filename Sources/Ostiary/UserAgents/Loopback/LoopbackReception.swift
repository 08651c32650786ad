import Foundation
import OstiaryOAuth

/// The reply of a loopback listener to a request, and whether the request is the answer that it awaits.
///
/// It is a value, without sockets. The answer is a visit of the user's own browser that the caller's predicate accepts.
/// Any web page can make a browser send requests here: images, scripts, navigations, or requests to a name that
/// resolves to this machine. Any program on the machine can send the same. None of these requests counts as the answer
/// or uses it up.
struct LoopbackReception {
    struct Reply {
        let bytes: [UInt8]
        var answer: URL?
        /// The error that ends the attempt without an answer.
        var failure: SignInError?
        /// Whether the listener has nothing left to serve after it.
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
        // A browser omits the scheme's default port.
        hosts = port == 80 ? [host, "\(host):80"] : ["\(host):\(port)"]
        path = redirectURI.parts.path.isEmpty ? "/" : redirectURI.parts.path
        donePath = path == "/done" ? "/done/" : "/done"
    }

    /// Returns the reply to the bytes of a request that have been read.
    ///
    /// - Parameters:
    ///   - bytes: All bytes that have been read.
    ///   - searched: The number of bytes that were read before, and do not contain the end of the head.
    ///   - isOfAnotherUser: Whether another user of the machine sent the request; called only for a request that would
    ///     count.
    /// - Returns: `nil` until the head is complete.
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
        // With another name for this machine, a web page evades the browser's same-origin rule (DNS rebinding).
        guard let host = request.single("host"), hosts.contains(host.lowercased()) else {
            return refuse("400 Bad Request")
        }
        let isEntry = entry?.path == request.path
        guard isEntry || request.path == path || isAnswered && request.path == donePath else {
            return refuse("404 Not Found")
        }
        guard request.method == "GET" else { return refuse("405 Method Not Allowed", fields: ["Allow: GET"]) }
        guard request.values("sec-fetch-dest").allSatisfy({ $0 == "document" }) else { return refuse("403 Forbidden") }
        // A browser that prefetches the page comes again when the user does.
        guard request.values("sec-purpose").isEmpty, request.values("purpose").isEmpty else {
            return refuse("503 Service Unavailable")
        }
        // Every user of the machine can read its commands' arguments and reach its ports.
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
        // Without a script, only another address removes the code from the address bar and the history.
        return Reply(bytes: LoopbackPage.status("303 See Other", fields: ["Location: \(donePath)"]), answer: answer)
    }

    /// Leads the first visitor to the page; a second visit ends the attempt, because one of the two was not the
    /// browser.
    ///
    /// A page's URL is useful to an attacker: with its `state` and code challenge, the attacker signs in to another
    /// account and delivers that code here (RFC 9700 section 4.7).
    private mutating func enter(_ entry: LoopbackEntry) -> Reply {
        if isAnswered { return refuse("410 Gone") }
        guard !isEntryUsed else {
            let failure = SignInError(.authorization, .presentation(.openedTwice))
            return Reply(bytes: LoopbackPage.status("410 Gone"), failure: failure)
        }
        isEntryUsed = true
        return Reply(bytes: entry.response)
    }

    /// Returns the redirect URI with a received query; characters that a URL cannot hold are escaped.
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
        // From iOS 17 and macOS 14 on, `URL(string:)` escapes other characters; a query that it changed is rejected.
        return URL(string: text).flatMap { $0.absoluteString == text ? $0 : nil }
    }

    private func refuse(_ status: String, fields: [String] = []) -> Reply {
        Reply(bytes: LoopbackPage.status(status, fields: fields))
    }
}
