import HTTPTypes
import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Replay {
    /// The transport that returns recorded responses.
    public var transport: ReplayTransport { ReplayTransport(replay: self) }

    /// Whether the recording has exchanges with the host and port of a URL.
    fileprivate func knows(_ url: URL) -> Bool {
        recording.exchanges.contains { exchange in Origin(exchange.url).map { $0 == Origin(url) } ?? false }
    }

    fileprivate func answer(to request: EndpointRequest) -> Recording.Exchange? {
        let key = ExchangeKey(request)
        let exchanges = recording.exchanges
        let fitting = exchanges.indices.filter { !exchanges[$0].isPage && ExchangeKey(exchanges[$0]) == key }
        return state.withLock { state in
            var open = fitting.filter { !state.past.contains($0) }
            var index: Int?
            if request.isDocument {
                // The version at this time; a later one is for a second request.
                if let latest = open.lastIndex(where: { exchanges[$0].time <= state.now }) { open.removeFirst(latest) }
                index = open.first ?? fitting.last
            } else {
                index = open.first
            }
            let exchange = index.map { exchanges[$0] }
            state.sent.append(Request(request: request, exchange: exchange))
            if let index { state.take(index, of: exchanges) }
            return exchange
        }
    }
}

/// The transport of a ``Replay``.
///
/// A request gets the response of the first unused exchange with its method, its URL up to the query, and its
/// `grant_type`. A request for a document without credentials, such as metadata or a key set, gets the version that
/// the server published at the time of the replay, however often the client requests it. A document under
/// `/.well-known/` that the recorded client did not request gets 404.
public struct ReplayTransport: HTTPTransport {
    let replay: Replay

    /// Returns the recorded response to a request.
    ///
    /// - Throws: `unreachable` for a request that the recording has no response for, `tooLarge` for a response beyond
    ///   the request's limit, `cancelled` when the task is cancelled, and the recorded failure.
    public func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard !Task.isCancelled else { throw .cancelled }
        guard let exchange = replay.answer(to: request) else {
            // The client chooses which of the issuer's documents it reads: an unrecorded one counts as not published.
            guard request.isDocument, request.url.path().hasPrefix("/.well-known/"), replay.knows(request.url) else {
                throw .unreachable
            }
            return EndpointResponse(status: .notFound)
        }
        guard let response = exchange.response else {
            throw TransportFailure(rawValue: exchange.failure ?? "") ?? .interrupted
        }
        guard response.body.count <= request.limits.maximumBodyBytes else { throw .tooLarge }
        return response
    }
}

/// The parts in which a request must match a recorded exchange.
struct ExchangeKey: Hashable {
    private let method: HTTPRequest.Method
    private let place: String
    private let grantType: String?

    init(_ request: EndpointRequest) {
        method = request.method
        place = Self.place(of: request.url)
        grantType = request.form["grant_type"]
    }

    init(_ exchange: Recording.Exchange) {
        method = exchange.method
        place = Self.place(of: exchange.url)
        grantType = exchange.request.form["grant_type"]
    }

    /// The URL up to its query, with the port written out.
    static func place(of url: URL) -> String {
        guard let parts = URIParts(url) else { return url.absoluteString }
        let port = parts.effectivePort.map { "\($0)" } ?? ""
        let path = parts.path.isEmpty ? "/" : parts.path
        return "\(parts.scheme)://\(parts.authority?.host.lowercased() ?? ""):\(port)\(path)"
    }
}

extension EndpointRequest {
    /// Whether the request reads a public document: the response is the same for every client.
    fileprivate var isDocument: Bool { method == .get && fields[.authorization] == nil }
}
