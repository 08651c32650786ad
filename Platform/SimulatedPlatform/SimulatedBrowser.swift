import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

public struct BrowserPage: Sendable {
    public let url: URL
    public let status: Int
    public let body: String
}

/// What the scripted person does with the page in front of them.
public enum BrowserAction: Sendable {
    case submit(to: String, fields: [String: String])
    case visit(URL)
    case cancel
    /// Leaves the sheet open for ever (until the app cancels the session).
    case wait
}

public enum BrowserOutcome: Sendable, Equatable {
    case callback(URL)
    case cancelledByUser
    case stopped
}

/// A user agent without a screen: real HTTP, real redirects, a cookie jar, and a script in place of a person.
public final class SimulatedBrowser: @unchecked Sendable {
    public typealias Script = @Sendable (BrowserPage) async -> BrowserAction

    private let mutex = NSLock()
    private var sharedCookies: [String: [String: String]] = [:]
    private var storedScript: Script = { _ in .wait }
    private var visitedURLs: [URL] = []

    public init() {}

    public var script: Script {
        get { mutex.withLock { storedScript } }
        set { mutex.withLock { storedScript = newValue } }
    }
    public var visited: [URL] { mutex.withLock { visitedURLs } }

    public func run(
        from start: URL,
        headers: [String: String],
        ephemeral: Bool,
        isCallback: @Sendable (URL) -> Bool
    ) async -> BrowserOutcome {
        var cookies = ephemeral ? [:] : mutex.withLock { sharedCookies }
        defer { if !ephemeral { let jar = cookies; mutex.withLock { sharedCookies = jar } } }
        var request = URLRequest(url: start)
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        var hops = 0
        while !Task.isCancelled {
            guard let url = request.url else { return .stopped }
            if isCallback(url) { return .callback(url) }
            hops += 1
            guard hops <= 50, ["http", "https"].contains(url.scheme?.lowercased() ?? "") else { return await dwell() }
            mutex.withLock { visitedURLs.append(url) }
            let host = url.host ?? ""
            if let jar = cookies[host], !jar.isEmpty {
                request.setValue(
                    jar.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; "),
                    forHTTPHeaderField: "Cookie"
                )
            }
            guard let (response, body) = await load(request) else { return await dwell() }
            for (name, value) in setCookies(response) { cookies[host, default: [:]][name] = value }
            if (300..<400).contains(response.statusCode), let location = response.value(forHTTPHeaderField: "Location"),
                let next = URL(string: location, relativeTo: url)?.absoluteURL
            {
                request = URLRequest(url: next)
                continue
            }
            let page = BrowserPage(url: url, status: response.statusCode, body: body)
            let action = await script(page)
            switch action {
            case .cancel: return .cancelledByUser
            case .wait: return await dwell()
            case .visit(let next): request = URLRequest(url: next)
            case .submit(let path, let fields):
                guard let target = URL(string: path, relativeTo: url)?.absoluteURL else { return .stopped }
                request = URLRequest(url: target)
                request.httpMethod = "POST"
                request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
                var form = URLComponents()
                form.queryItems = fields.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
                request.httpBody = Data((form.percentEncodedQuery ?? "").utf8)
            }
        }
        return .stopped
    }

    /// The page just sits there until the app takes the sheet down.
    private func dwell() async -> BrowserOutcome {
        while !Task.isCancelled { try? await Task.sleep(nanoseconds: 5_000_000) }
        return .stopped
    }

    private func setCookies(_ response: HTTPURLResponse) -> [(String, String)] {
        guard let header = response.value(forHTTPHeaderField: "Set-Cookie"),
            let pair = header.split(separator: ";").first
        else { return [] }
        let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
        return parts.count == 2 ? [(parts[0], parts[1])] : []
    }

    private final class NoRedirects: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) { completionHandler(nil) }
    }

    private func load(_ request: URLRequest) async -> (HTTPURLResponse, String)? {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        let session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        return await withCheckedContinuation { continuation in
            session.dataTask(with: request) { data, response, _ in
                guard let response = response as? HTTPURLResponse else { return continuation.resume(returning: nil) }
                continuation.resume(returning: (response, String(decoding: data ?? Data(), as: UTF8.self)))
            }.resume()
        }
    }
}
