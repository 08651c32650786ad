public import HTTPTypes
public import OstiaryOAuth

/// Sends the requests that a provider makes itself, such as logout tokens to clients.
///
/// A transport follows no redirects and keeps the limits of the request; the deadline includes the look-up of the
/// host's name. It connects only to addresses within the reach: a host of the public internet may have a name that
/// resolves to a machine of the provider's own network.
public protocol OutboundTransport: Sendable {
    /// Sends a request.
    ///
    /// - Throws: ``OutboundFailure``; the receiver may have read the request.
    func send(
        _ request: EndpointRequest,
        reach: OutboundReach
    ) async throws(OutboundFailure) -> EndpointResponse

    /// Sends a request and returns the status of the response, whose body does not count.
    ///
    /// Default: reads the whole response, which fails when its body is longer than the request's limit.
    ///
    /// - Throws: ``OutboundFailure``; the receiver may have read the request.
    func status(
        of request: EndpointRequest,
        reach: OutboundReach
    ) async throws(OutboundFailure) -> HTTPResponse.Status

    /// Waits between two attempts.
    ///
    /// Default: sleeps.
    ///
    /// - Throws: `CancellationError`.
    func wait(_ duration: Duration) async throws
}

extension OutboundTransport {
    /// Reads the whole response.
    public func status(
        of request: EndpointRequest,
        reach: OutboundReach
    ) async throws(OutboundFailure) -> HTTPResponse.Status {
        try await send(request, reach: reach).status
    }

    /// Sleeps.
    public func wait(_ duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// The hosts that a client's URI may have, by the trust in the party that names them.
public enum OutboundReach: String, Sendable, Hashable, CaseIterable {
    /// Hosts of the public internet: for clients that register themselves.
    case publicHosts
    /// Hosts of the public internet and this machine: for tests in which clients register themselves.
    case publicHostsAndLoopback
    /// Every host: for clients of the configuration, which its author trusts.
    case anywhere
}

/// The reason that a request of the provider brought no response.
public enum OutboundFailure: Error, Sendable, Hashable {
    /// The request failed on its way.
    case transport(TransportFailure)
    /// The host's name resolves to an address out of reach; nothing was sent.
    case addressOutOfReach
}

extension OutboundFailure: CustomStringConvertible {
    /// The reason, in one sentence.
    public var description: String {
        switch self {
        case .transport(.unreachable): "The host cannot be reached."
        case .transport(.unknownHost): "The host's name has no address."
        case .transport(.tls): "The secure connection to the server failed (TLS)."
        case .transport(.timedOut): "The response took too long."
        case .transport(.tooLarge): "The response is too large."
        case .transport(let failure): "The request failed: \(failure.rawValue)."
        case .addressOutOfReach: "The host's name resolves to an address that is not a public one."
        }
    }
}
