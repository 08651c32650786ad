public import HTTPTypes
import OstiaryCompatibility
public import OstiaryOAuth
public import OstiaryProvider

/// A transport whose whole network is one provider in this process: no socket, no port, no wait.
///
/// It keeps every promise of an `HTTPTransport`, records the requests, and can lose a request or its response on
/// demand.
public final class InProcessProvider: HTTPTransport {
    /// The provider that responds.
    public let provider: Provider
    private let state = Lock(State())

    private struct State {
        var requests: [RecordedRequest] = []
        var losses: [Loss] = []
    }

    /// Makes a transport to a provider.
    public init(provider: Provider) { self.provider = provider }

    /// Sends a request to the provider when the URL is on its issuer's origin.
    ///
    /// - Throws: `unreachable` for any other origin; `tooLarge` for a response beyond the request's limit; `cancelled`
    ///   when the task is; the failure of ``lose(call:to:_:with:)``.
    public func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard !Task.isCancelled else { throw .cancelled }
        guard let parts = URIParts(request.url), let issuer = URIParts(provider.configuration.issuer.description),
            parts.scheme == issuer.scheme, parts.authority?.host == issuer.authority?.host,
            parts.effectivePort == issuer.effectivePort
        else { throw .unreachable }
        let path = parts.path.isEmpty ? "/" : parts.path
        let loss = record(RecordedRequest(method: request.method, path: path, request: request))
        if let loss, loss.moment == .beforeProcessing { throw loss.failure }
        let response = await provider.respond(
            to: ProviderRequest(
                method: request.method,
                path: path,
                query: parts.query,
                fields: request.allFields,
                body: request.body ?? []
            )
        )
        if let loss { throw loss.failure }
        let body = provider.body(of: response)
        guard body.count <= request.limits.maximumBodyBytes else { throw .tooLarge }
        var fields = response.fields
        // A server in front of the provider would add the date.
        if fields[.date] == nil { fields[.date] = HTTPDate.text(provider.now) }
        return EndpointResponse(status: response.status, fields: fields, body: body)
    }
}

extension InProcessProvider {
    /// A request that was sent.
    public struct RecordedRequest: Sendable {
        /// Its method.
        public let method: HTTPRequest.Method
        /// Its path, without the query.
        public let path: String
        /// All of it.
        public let request: EndpointRequest
    }

    /// Every request so far, in order.
    public var requests: [RecordedRequest] { state.withLock { $0.requests } }

    /// Returns the number of requests to a path so far.
    public func count(path: String) -> Int { requests.count { $0.path == path } }
}

extension InProcessProvider {
    /// The moment at which a request is lost.
    public enum LossMoment: Sendable, Hashable {
        /// The provider never sees it.
        case beforeProcessing
        /// The provider has carried out the request, and its response does not arrive.
        case afterProcessing
    }

    private struct Loss {
        var path: String
        var call: Int
        var moment: LossMoment
        var failure: TransportFailure
    }

    /// Loses one request to a path, or its response.
    ///
    /// - Parameters:
    ///   - call: The number of the request, counted from 1, starting with the next request to the path.
    ///   - path: The path without a query, such as `/token`.
    ///   - moment: Whether the provider receives the request.
    ///   - failure: The error for the caller. Default `interrupted`.
    public func lose(
        call: Int = 1,
        to path: String,
        _ moment: LossMoment,
        with failure: TransportFailure = .interrupted
    ) {
        state.withLock { state in
            let before = state.requests.count { $0.path == path }
            state.losses.append(Loss(path: path, call: before + call, moment: moment, failure: failure))
        }
    }

    /// Records a request, and returns its planned loss.
    private func record(_ request: RecordedRequest) -> Loss? {
        state.withLock { state in
            state.requests.append(request)
            let call = state.requests.count { $0.path == request.path }
            guard let place = state.losses.firstIndex(where: { $0.path == request.path && $0.call == call }) else {
                return nil
            }
            return state.losses.remove(at: place)
        }
    }
}
