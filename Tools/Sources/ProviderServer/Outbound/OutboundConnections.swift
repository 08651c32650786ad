public import AsyncHTTPClient
import Foundation
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
        let transport = reach == .anywhere ? direct : try await pinned(request, reach)
        do throws(TransportFailure) { return try await transport.send(request) } catch { throw .transport(error) }
    }

    private func pinned(
        _ request: EndpointRequest,
        _ reach: OutboundReach
    ) async throws(OutboundFailure) -> AsyncHTTPClientTransport {
        guard let host = request.url.host() else { throw .transport(.insecureURL) }
        let addresses = await resolve(host.trimmingCharacters(in: ["[", "]"]))
        guard let first = addresses.first else { throw .transport(.unknownHost) }
        guard addresses.allSatisfy(reach.includes) else { throw .addressOutOfReach }
        return AsyncHTTPClientTransport(userAgent: "Ostiary", connectionsPerHost: 1) { [configure] in
            configure(&$0)
            $0.dnsOverride = [host: first.text]
        }
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
