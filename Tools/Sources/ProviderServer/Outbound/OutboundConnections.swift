public import AsyncHTTPClient
import Foundation
public import HTTPTypes
import OstiaryAsyncHTTPClient
public import OstiaryOAuth
public import OstiaryProvider

/// The requests of a provider to its clients, over HTTP.
///
/// A host with a limited reach is resolved first. A request is sent to one of these addresses if the reach includes all
/// of them, so that a name that resolves to another address a moment later leads nowhere else.
public struct OutboundConnections: OutboundTransport {
    private let direct: AsyncHTTPClientTransport
    private let configure: @Sendable (inout HTTPClient.Configuration) -> Void
    private let resolve: HostResolver

    /// Makes a transport.
    ///
    /// - Parameter configure: Changes the configuration, such as its trusted roots. Default: the system's roots.
    public init(configure: @escaping @Sendable (inout HTTPClient.Configuration) -> Void = { _ in }) {
        self.init(resolve: { await RemoteAddress.addresses(of: $0) }, configure: configure)
    }

    /// Makes a transport with a resolver of its own.
    package init(
        resolve: @escaping HostResolver,
        configure: @escaping @Sendable (inout HTTPClient.Configuration) -> Void = { _ in }
    ) {
        direct = AsyncHTTPClientTransport(userAgent: "Ostiary", configure: configure)
        self.resolve = resolve
        self.configure = configure
    }

    /// Sends a request.
    ///
    /// - Throws: ``OutboundFailure/addressOutOfReach`` before anything is sent.
    public func send(
        _ request: EndpointRequest,
        reach: OutboundReach
    ) async throws(OutboundFailure) -> EndpointResponse {
        let (transport, rest) = try await connection(for: request, reach)
        do throws(TransportFailure) { return try await transport.send(rest) } catch { throw .transport(error) }
    }

    /// Sends a request and returns the status of the response, without reading its body.
    ///
    /// - Throws: ``OutboundFailure/addressOutOfReach`` before anything is sent.
    public func status(
        of request: EndpointRequest,
        reach: OutboundReach
    ) async throws(OutboundFailure) -> HTTPResponse.Status {
        let (transport, rest) = try await connection(for: request, reach)
        do throws(TransportFailure) { return try await transport.status(of: rest) } catch { throw .transport(error) }
    }

    /// The transport for a request, and the request with the rest of its time.
    private func connection(
        for request: EndpointRequest,
        _ reach: OutboundReach
    ) async throws(OutboundFailure) -> (AsyncHTTPClientTransport, EndpointRequest) {
        guard reach != .anywhere else { return (direct, request) }
        let start = ContinuousClock.now
        let transport = try await pinned(request, reach)
        var rest = request
        rest.limits.deadline -= ContinuousClock.now - start
        return (transport, rest)
    }

    private func pinned(
        _ request: EndpointRequest,
        _ reach: OutboundReach
    ) async throws(OutboundFailure) -> AsyncHTTPClientTransport {
        guard let host = request.url.host() else { throw .transport(.insecureURL) }
        let name = host.trimmingCharacters(in: ["[", "]"])
        let addresses = try await addresses(of: name, within: request.limits.deadline)
        guard let first = addresses.first else { throw .transport(.unknownHost) }
        guard addresses.allSatisfy(reach.includes) else { throw .addressOutOfReach }
        return AsyncHTTPClientTransport(userAgent: "Ostiary", connectionsPerHost: 1) { [configure] in
            configure(&$0)
            $0.dnsOverride = [host: first.text]
        }
    }

    /// The addresses of a host, unless they take too long: a look-up cannot be cancelled, so it is left to its end.
    private func addresses(
        of host: String,
        within limit: Duration
    ) async throws(OutboundFailure) -> [RemoteAddress] {
        let (results, result) = AsyncStream<Result<[RemoteAddress], TransportFailure>>.makeStream()
        Task { [resolve] in result.yield(.success(await resolve(host))) }
        let timer = Task {
            try await Task.sleep(for: limit, clock: .continuous)
            result.yield(.failure(.timedOut))
        }
        defer { timer.cancel() }
        let first = await results.first { _ in true } ?? .failure(.cancelled)
        do throws(TransportFailure) { return try first.get() } catch { throw .transport(error) }
    }
}

extension OutboundReach {
    fileprivate func includes(_ address: RemoteAddress) -> Bool {
        switch self {
        case .anywhere: true
        case .publicHosts: address.isPublic
        case .publicHostsAndLoopback: address.isPublic || address.isLoopback
        }
    }
}
