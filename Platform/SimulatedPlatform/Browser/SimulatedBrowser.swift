import Foundation

/// A browser without a screen: real redirects, forms and cookies, and a script in place of a user.
///
/// Cookies of the shared jar outlive a visit; a private visit has a jar of its own
/// (documentation/authenticationservices/aswebauthenticationsession/prefersephemeralwebbrowsersession).
public final class SimulatedBrowser: @unchecked Sendable {
    public typealias Script = @Sendable (BrowserPage) async -> BrowserAction

    private let mutex = NSLock()
    private var jar: [String: [String: String]] = [:]
    private var storedScript: Script = { _ in .wait }
    private var storedTransport: BrowserTransport = BrowserNetwork.send
    private var visitedURLs: [URL] = []
    private var sentFields: [[String: String]] = []
    private var visitKinds: [VisitKind] = []

    public init() {}

    /// The actions of the user.
    public var script: Script {
        get { mutex.withLock { storedScript } }
        set { mutex.withLock { storedScript = newValue } }
    }

    /// The network: that of this machine unless a test puts a provider of this process here.
    public var transport: BrowserTransport {
        get { mutex.withLock { storedTransport } }
        set { mutex.withLock { storedTransport = newValue } }
    }

    /// Every URL that was asked for, in order.
    public var visited: [URL] { mutex.withLock { visitedURLs } }

    /// The header fields of every request, in order.
    public var sent: [[String: String]] { mutex.withLock { sentFields } }

    /// Whether a visit has the jar of the browser or one of its own.
    public enum VisitKind: Sendable { case shared, isPrivate }

    /// The kind of every visit, in order.
    public var visits: [VisitKind] { mutex.withLock { visitKinds } }

    /// Visits a page, goes where it leads, and ends at a URL that the app has asked for.
    public func run(
        from start: URL,
        headers: [String: String],
        ephemeral: Bool,
        isCallback: @Sendable (URL) -> Bool
    ) async -> BrowserOutcome {
        mutex.withLock { visitKinds.append(ephemeral ? .isPrivate : .shared) }
        var cookies = ephemeral ? [:] : mutex.withLock { jar }
        defer {
            if !ephemeral {
                let kept = cookies
                mutex.withLock { jar = kept }
            }
        }
        var request = BrowserRequest(url: start)
        request.fields = headers
        for _ in 0..<50 {
            if Task.isCancelled { return .stopped }
            if isCallback(request.url) { return .callback(request.url) }
            guard ["http", "https"].contains(request.url.scheme?.lowercased() ?? "") else { return await dwell() }
            let host = request.url.host ?? ""
            if let crumbs = cookies[host], !crumbs.isEmpty {
                request.fields["cookie"] = crumbs.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                    .joined(separator: "; ")
            }
            let sending = request
            mutex.withLock {
                visitedURLs.append(sending.url)
                sentFields.append(sending.fields)
            }
            SimulatedDevice.shared.changed()
            guard let response = await transport(request) else { return await dwell() }
            for (name, value) in response.values("set-cookie").compactMap(Self.cookie) {
                cookies[host, default: [:]][name] = value.isEmpty ? nil : value
            }
            if (300..<400).contains(response.status), let location = response.values("location").first,
                let next = URL(string: location, relativeTo: request.url)?.absoluteURL
            {
                request = BrowserRequest(url: next)
                continue
            }
            let page = BrowserPage(url: request.url, status: response.status, body: response.body)
            switch await script(page) {
            case .cancel: return .cancelledByUser
            case .wait: return await dwell()
            case .visit(let next): request = BrowserRequest(url: next)
            case .submit(let target, let fields):
                guard let next = Self.form(fields, to: target, on: page.url) else { return .stopped }
                request = next
            }
        }
        return await dwell()
    }

    /// The page stays in front of the user until the app takes it away.
    private func dwell() async -> BrowserOutcome {
        let held = AsyncStream<Never>.makeStream()
        for await _ in held.stream {}
        return .stopped
    }

    private static func cookie(_ field: String) -> (String, String)? {
        let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return pair.count == 2 ? (String(pair[0]), String(pair[1])) : nil
    }

    private static func form(_ fields: [(name: String, value: String)], to target: String, on page: URL)
        -> BrowserRequest?
    {
        guard let url = target.isEmpty ? page : URL(string: target, relativeTo: page)?.absoluteURL else { return nil }
        var form = URLComponents()
        form.queryItems = fields.map { URLQueryItem(name: $0.name, value: $0.value) }
        var request = BrowserRequest(url: url)
        request.method = "POST"
        let port = page.port.map { ":\($0)" } ?? ""
        request.fields = [
            "content-type": "application/x-www-form-urlencoded",
            "origin": "\(page.scheme ?? "")://\(page.host ?? "")\(port)",
        ]
        request.body = Array((form.percentEncodedQuery ?? "").replacingOccurrences(of: "+", with: "%2B").utf8)
        return request
    }
}
